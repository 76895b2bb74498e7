"""The main job, as the published Python client asks for it: once against a
server that keeps nothing, once against one with a store."""

import asyncio
import threading
import time

from case import LEASE_S, Case
from saro_ticketing import TicketBroker
from ticketd import Server


class MainJob:
    """The cases; the two classes below choose the server."""

    durable: bool

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server(durable=cls.durable))

    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.broker = await self.connect(self.server.addr)

    async def test_acquire_and_release(self) -> None:
        first = await self.broker.acquire("plain", 5, LEASE_S)
        self.assertTrue(await first.release())
        second = await self.broker.acquire("plain", 5, LEASE_S)
        self.assertGreater(second.token, first.token)
        self.assertTrue(await second.release())

    async def test_a_key_of_128_bytes_that_are_not_ascii(self) -> None:
        async with await self.broker.acquire("열쇠" * 21 + "ab", 5, LEASE_S) as ticket:
            self.assertGreater(ticket.token, 0)

    async def test_wait_and_get(self) -> None:
        holder = await self.broker.acquire("waited", 5, LEASE_S)
        waiter = asyncio.create_task(self.broker.acquire("waited", 20, LEASE_S))
        await self.until_waiters(self.server, 1)
        self.assertFalse(waiter.done())
        self.assertTrue(await holder.release())
        ticket = await waiter
        self.assertGreater(ticket.token, holder.token)
        self.assertTrue(await ticket.release())

    async def test_waiters_are_served_in_order(self) -> None:
        holder = await self.broker.acquire("fair", 5, LEASE_S)
        served: list[int] = []

        async def wait_for_it(place: int) -> None:
            async with await self.broker.acquire("fair", 20, LEASE_S):
                served.append(place)

        tasks = []
        for place in range(8):
            tasks.append(asyncio.create_task(wait_for_it(place)))
            await self.until_waiters(self.server, place + 1)
        await holder.release()
        await asyncio.gather(*tasks)
        self.assertEqual(served, list(range(8)))

    async def test_wait_and_time_out(self) -> None:
        async with await self.broker.acquire("taken", 5, LEASE_S):
            began = time.monotonic()
            self.assertEqual(await self.failure(self.broker, "taken", 1), "timeout")
            waited = time.monotonic() - began
        self.assertGreaterEqual(waited, 1)
        self.assertLess(waited, 2)

    async def test_no_wait_and_time_out(self) -> None:
        async with await self.broker.acquire("busy", 5, LEASE_S):
            began = time.monotonic()
            self.assertEqual(await self.failure(self.broker, "busy", 0), "timeout")
        self.assertLess(time.monotonic() - began, 1)

    async def test_a_lease_ends_and_its_token_is_worth_nothing(self) -> None:
        first = await self.broker.acquire("expiring", 5, 1)
        began = time.monotonic()
        second = await self.broker.acquire("expiring", 10, LEASE_S)
        waited = time.monotonic() - began
        self.assertGreater(waited, 0.9, "the lease of 1 s ended early")
        self.assertLess(waited, 2, "the lease of 1 s ended late")
        self.assertGreater(second.token, first.token)
        self.assertFalse(await first.release())
        self.assertTrue(await second.release())

    async def test_64_tasks_over_32_keys(self) -> None:
        counters = [0] * 32
        tokens: list[list[int]] = [[] for _ in counters]

        async def add(task: int) -> None:
            for step in range(20):
                key = (task + step) % len(counters)
                async with await self.broker.acquire(f"counter-{key}", 30, LEASE_S) as ticket:
                    tokens[key].append(ticket.token)
                    before = counters[key]
                    await asyncio.sleep(0)
                    counters[key] = before + 1

        await asyncio.gather(*(add(task) for task in range(64)))
        self.assertEqual(counters, [64 * 20 // 32] * 32)
        for seen in tokens:
            self.assert_rising(seen)

    async def test_two_connections_share_the_work(self) -> None:
        # The client opens two connections to its one address and takes turns.
        await self.until(lambda: self.server.status()["conns"] >= 2)
        a = await self.broker.acquire("pair-a", 5, LEASE_S)
        b = await self.broker.acquire("pair-b", 5, LEASE_S)
        # What one connection acquired another may release.
        self.assertEqual([await a.release(), await b.release()], [True, True])

    async def test_with_blocks(self) -> None:
        async with await self.broker.acquire("block", 5, LEASE_S):
            pass
        broker = TicketBroker.connect(self.server.addr)
        tokens: list[int] = []

        def in_threads() -> None:
            with broker.acquire_sync("block", 5, LEASE_S) as ticket:
                tokens.append(ticket.token)

        threads = [threading.Thread(target=in_threads) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)
        self.assertEqual(len(set(tokens)), 4)

    async def test_close_releases_in_the_background(self) -> None:
        ticket = await self.broker.acquire("closed", 5, LEASE_S)
        ticket.close()
        async with await self.broker.acquire("closed", 5, LEASE_S) as after:
            self.assertGreater(after.token, ticket.token)


class InMemory(MainJob, Case):
    durable = False


class WithAStore(MainJob, Case):
    durable = True
