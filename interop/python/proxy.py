"""A TCP proxy that counts connections, to see what a client does when refused."""

import asyncio


class CountingProxy:
    def __init__(self, target: str):
        host, port = target.rsplit(":", 1)
        self._target = (host, int(port))
        self._serving: set[asyncio.Future] = set()
        self.connections = 0
        self.addr = ""

    async def __aenter__(self) -> "CountingProxy":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.addr = "127.0.0.1:%d" % self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_exc: object) -> None:
        self._server.close()
        for copying in self._serving:
            copying.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        there_reader, there_writer = await asyncio.open_connection(*self._target)
        copying = asyncio.gather(_copy(reader, there_writer), _copy(there_reader, writer))
        self._serving.add(copying)
        try:
            await copying
        except (asyncio.CancelledError, ConnectionError):
            pass
        finally:
            self._serving.discard(copying)
            writer.close()
            there_writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()
