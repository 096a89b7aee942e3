"""Reporting outcomes: whatever gathered while the last report was under way goes together."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from tenure.async_client import AsyncClient
from tenure.batches import MAX_ITEMS
from tenure.errors import Denied, InvalidField, JobNotFound, LeaseLost, TenureError, UnexpectedState
from tenure.held_lease import HeldLease
from tenure.lease_keeper import LeaseKeeper
from tenure.model.job import Failure
from tenure.model.lease import Acquire, Grant, ItemResult, Transition
from tenure.outage import Outage

logger = logging.getLogger("tenure")

Ask = Callable[[], Acquire | None]
Took = Callable[[Acquire, Sequence[Grant]], None]


class Completions:
    """Sends transitions in batches and asks for the next jobs with them.

    Leases are kept until the transition is answered; one that gets no answer until the local end of
    its lease is given up.
    """

    def __init__(
        self, client: AsyncClient, keeper: LeaseKeeper, failure_state: str, ask: Ask, took: Took
    ) -> None:
        self._client = client
        self._keeper = keeper
        self._failure_state = failure_state
        self._ask = ask
        self._took = took
        self._waiting: deque[tuple[HeldLease, Transition]] = deque()
        self._arrived = asyncio.Event()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._outage = Outage(float("inf"))
        # An acquire whose answer was lost is asked again as it was, or its grants would lie idle.
        self._unanswered: Acquire | None = None

    @property
    def idle(self) -> bool:
        return self._quiet.is_set()

    async def finished(self) -> None:
        """Wait until everything is reported."""
        await self._quiet.wait()

    def add(self, lease: HeldLease, transition: Transition) -> None:
        progress = self._keeper.take_progress(lease)
        self._waiting.append((lease, replace(transition, progress=progress)))
        self._quiet.clear()
        self._arrived.set()

    async def run(self) -> None:
        """Report for ever; raises Denied."""
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._waiting:
                await asyncio.sleep(0)  # what ends in the same turn of the loop goes along
                await self._send(self._next_batch())
            self._quiet.set()

    def _next_batch(self) -> list[tuple[HeldLease, Transition]]:
        count = min(len(self._waiting), MAX_ITEMS)
        batch = [self._waiting.popleft() for _ in range(count)]
        alive = [(lease, transition) for lease, transition in batch if not lease.lost.is_set()]
        if len(alive) < len(batch):
            logger.warning(
                "%d outcomes could not be reported before the lease ended", len(batch) - len(alive)
            )
        return alive

    async def _send(self, batch: Sequence[tuple[HeldLease, Transition]]) -> None:
        if not batch:
            return
        ask = self._unanswered or self._ask()
        try:
            reply = await self._client.transition_many((transition for _, transition in batch), ask)
        except Denied:
            raise
        except TenureError as error:
            self._unanswered = ask
            await self._again(batch, error)
            return
        self._unanswered = None
        self._outage.over()
        if ask is not None:
            self._took(ask, reply.grants)
        await self._settle(batch, reply.results)

    async def _again(self, batch: Sequence[tuple[HeldLease, Transition]], error: TenureError) -> None:
        logger.warning("reporting %d outcomes failed, trying again: %s", len(batch), error)
        self._waiting.extendleft(reversed(batch))
        await asyncio.sleep(self._outage.rest(error))

    async def _settle(
        self,
        batch: Sequence[tuple[HeldLease, Transition]],
        results: Sequence[ItemResult | TenureError],
    ) -> None:
        busy: list[tuple[HeldLease, Transition]] = []
        last: TenureError | None = None
        for (lease, transition), result in zip(batch, results, strict=True):
            if isinstance(result, ItemResult):
                self._keeper.drop(lease)
            elif result.temporary:
                busy.append((lease, transition))
                last = result
            else:
                self._refused(lease, transition, result)
        if last is not None:
            await self._again(busy, last)

    def _refused(self, lease: HeldLease, transition: Transition, error: TenureError) -> None:
        if isinstance(error, LeaseLost | JobNotFound):
            logger.warning("the outcome of job %s came too late: %s", lease.job_id, error)
            self._keeper.drop(lease)
        elif transition.progress is not None and isinstance(error, UnexpectedState | InvalidField):
            self._waiting.append((lease, replace(transition, progress=None)))
        elif isinstance(error, InvalidField) and transition.result is not None:
            refused = Failure("result_refused", error.message, retryable=False)
            failed = replace(transition, to=self._failure_state, result=None, error=refused)
            self._waiting.append((lease, failed))
        else:
            # Nothing the worker can say would do; the lease runs out and the lifecycle decides.
            logger.error("job %s cannot go to %s: %s", lease.job_id, transition.to, error)
            self._keeper.drop(lease)
