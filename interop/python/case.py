"""What the cases have in common."""

import asyncio
import time
import unittest
from collections.abc import Callable

from saro_ticketing import TicketBroker, TicketError
from ticketd import Server

LEASE_S = 30
PATIENCE_S = 30


class Case(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        # unittest turns asyncio's debug mode on, which complains of each
        # server start that it was slow.
        asyncio.get_running_loop().set_debug(False)

    async def connect(self, addr: str, **options: str) -> TicketBroker:
        broker = TicketBroker([addr], **options)
        self.assertTrue(await broker.wait_ready(5), "the client did not get through the handshake")
        return broker

    async def failure(self, broker: TicketBroker, key: str, wait: float) -> str:
        """Acquires in vain; returns the kind of error."""
        with self.assertRaises(TicketError) as caught:
            await broker.acquire(key, wait, LEASE_S)
        return caught.exception.kind

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits until something is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not await asyncio.to_thread(holds):
            self.assertLess(time.monotonic(), deadline, "it did not come to be so")
            await asyncio.sleep(0.01)

    async def until_waiters(self, server: Server, n: int) -> None:
        await self.until(lambda: server.status()["waiters"] == n)

    def assert_rising(self, tokens: list[int]) -> None:
        self.assertEqual(tokens, sorted(set(tokens)), "tokens of a key do not rise")
