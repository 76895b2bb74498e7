"""What the published Python client meets at the edges: caps, a wrong secret,
a server that dies while it works."""

import asyncio
import contextlib
import pathlib
import subprocess
from collections.abc import Callable

from case import LEASE_S, Case
from proxy import CountingProxy
from saro_ticketing import TicketBroker
from ticketd import Server, free_port


class Edges(Case):
    async def test_busy_at_the_cap_on_waiters(self) -> None:
        with Server("--max-waiters-per-key=1") as server:
            broker = await self.connect(server.addr)
            holder = await broker.acquire("full", 5, LEASE_S)
            waiter = asyncio.create_task(broker.acquire("full", 20, LEASE_S))
            await self.until_waiters(server, 1)
            self.assertEqual(await self.failure(broker, "full", 1), "busy")
            # Who does not want to wait is not refused for the queue.
            self.assertEqual(await self.failure(broker, "full", 0), "timeout")
            await holder.release()
            await (await waiter).release()

    async def test_busy_at_the_cap_on_keys(self) -> None:
        with Server("--max-keys=1") as server:
            broker = await self.connect(server.addr)
            only = await broker.acquire("one", 5, LEASE_S)
            self.assertEqual(await self.failure(broker, "two", 1), "busy")
            await only.release()
            await (await broker.acquire("two", 5, LEASE_S)).release()

    async def test_tokens_begin_above_a_floor(self) -> None:
        floor = 2**63
        with Server(f"--token-floor={floor}") as server:
            broker = await self.connect(server.addr)
            async with await broker.acquire("lifted", 5, LEASE_S) as ticket:
                self.assertGreater(ticket.token, floor)

    async def test_wait_zero_may_mean_for_ever(self) -> None:
        with Server("--wait-zero=block") as server:
            broker = await self.connect(server.addr)
            holder = await broker.acquire("patient", 5, LEASE_S)
            waiter = asyncio.create_task(broker.acquire("patient", 0, LEASE_S))
            await self.until_waiters(server, 1)
            await holder.release()
            await (await waiter).release()

    async def test_the_same_over_tls(self) -> None:
        server = Server()
        certificate, key = make_certificate(server.dir)
        addr = f"127.0.0.1:{free_port()}"
        server.command += [f"--listen-tls={addr}", f"--tls-cert={certificate}", f"--tls-key={key}"]
        with server:
            broker = await self.connect(addr, tls=certificate)
            holder = await broker.acquire("wrapped", 5, LEASE_S)
            waiter = asyncio.create_task(broker.acquire("wrapped", 20, LEASE_S))
            await self.until_waiters(server, 1)
            await holder.release()
            await (await waiter).release()

    async def test_a_wrong_secret_is_refused_without_a_storm(self) -> None:
        with secret_server("right") as server:
            right = await self.connect(server.addr, token="right")
            await (await right.acquire("guarded", 5, LEASE_S)).release()
            for wrong in ("wrong", ""):
                await self.refused_calmly(server, wrong)

    async def test_a_secret_is_refused_where_none_is_wanted(self) -> None:
        with Server() as server:
            await self.refused_calmly(server, "unwanted")

    async def refused_calmly(self, server: Server, secret: str) -> None:
        seconds = 4
        async with CountingProxy(server.addr) as proxy:
            broker = TicketBroker([proxy.addr], token=secret)
            kind = await self.failure(broker, "guarded", seconds)
            self.assertEqual(kind, "timeout")
            # The client holds two connections, and comes back at once.
            self.assertGreater(proxy.connections, 2, "the client was not refused at all")
            self.assertLessEqual(proxy.connections, 2 + 2 * seconds, "a storm of reconnections")


@contextlib.contextmanager
def secret_server(secret: str):
    server = Server()
    file = pathlib.Path(server.dir, "secret")
    file.write_text(secret + "\n")
    file.chmod(0o600)
    server.command.append(f"--auth-token-file={file}")
    with server:
        yield server


def make_certificate(folder: str) -> tuple[str, str]:
    """A certificate for 127.0.0.1, by the program that Go brings for tests."""
    root = subprocess.run(["go", "env", "GOROOT"], check=True, capture_output=True, text=True).stdout.strip()
    program = [f"{root}/src/crypto/tls/generate_cert.go", "--host=127.0.0.1", "--ca", "--ecdsa-curve=P256"]
    subprocess.run(["go", "run", *program], cwd=folder, check=True, capture_output=True)
    return f"{folder}/cert.pem", f"{folder}/key.pem"


class Restart(Case):
    """The server ends in the middle of work and comes back, three times."""

    async def work(self, server: Server, end: Callable[[], None]) -> tuple[list[int], list[list[int]]]:
        # A grant that was made and not heard of is over with its lease.
        lease_s, ends, keys = 2, 3, 4
        broker = await self.connect(server.addr)
        inside, overlaps, tokens = [0] * keys, [0] * keys, [[] for _ in range(keys)]
        stop = asyncio.Event()

        async def worker(key: int) -> None:
            while not stop.is_set():
                async with await broker.acquire(f"survivor-{key}", 30, lease_s) as ticket:
                    tokens[key].append(ticket.token)
                    inside[key] += 1
                    overlaps[key] += inside[key] > 1
                    await asyncio.sleep(0.001)
                    inside[key] -= 1

        workers = [asyncio.create_task(worker(n % keys)) for n in range(4 * keys)]
        for _ in range(ends):
            seen = sum(map(len, tokens))
            await self.until(lambda: sum(map(len, tokens)) > seen + 100)
            await asyncio.to_thread(end)
            await asyncio.to_thread(server.start)
        seen = sum(map(len, tokens))
        await self.until(lambda: sum(map(len, tokens)) > seen + 100)
        stop.set()
        await asyncio.wait_for(asyncio.gather(*workers), 30)
        return overlaps, tokens

    async def test_with_a_store_nobody_holds_a_held_key(self) -> None:
        with Server(durable=True) as server:
            overlaps, tokens = await self.work(server, server.kill)
        self.assertEqual(sum(overlaps), 0)
        for seen in tokens:
            self.assert_rising(seen)

    async def test_sigterm_lets_nobody_down(self) -> None:
        with Server(durable=True) as server:
            overlaps, tokens = await self.work(server, server.stop)
        self.assertEqual(sum(overlaps), 0)
        for seen in tokens:
            self.assert_rising(seen)

    async def test_in_memory_tokens_rise_all_the_same(self) -> None:
        with Server() as server:
            _, tokens = await self.work(server, server.kill)
        for seen in tokens:
            self.assert_rising(seen)

    async def test_a_holder_survives_and_its_token_still_releases(self) -> None:
        with Server(durable=True) as server:
            broker = await self.connect(server.addr)
            holder = await broker.acquire("kept", 5, LEASE_S)
            server.kill()
            server.start()
            self.assertEqual(await self.failure(broker, "kept", 1), "timeout")
            self.assertTrue(await holder.release())
