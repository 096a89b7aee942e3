"""One transaction in flight, and everything that gathers meanwhile goes into the next one."""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from typing import Any

from tenure_server.domain import errors
from tenure_server.domain.clock import Clock
from tenure_server.service.backlog import Backlog
from tenure_server.service.calls import AcquireCall, AcquireOutcome, Call, CreateCall, JobCall, Reply
from tenure_server.service.flush import Flush
from tenure_server.service.lifecycles import Catalogue
from tenure_server.service.parts import request_id_of
from tenure_server.service.saving import Raced
from tenure_server.service.sequence import Sequence as ReadySequence
from tenure_server.store.database import AGAIN, LOCKED, REFUSED, UNAVAILABLE, Database

log = logging.getLogger(__name__)

TRIES = 3
ANSWER_TIME = 0.1
"""Seconds before its deadline at which a call for a busy row is answered, so that the answer arrives."""


class Flusher:
    """Carries out calls, many in one transaction.

    `committed` is told of every flush after its commit and before its callers are answered.
    """

    def __init__(
        self, database: Database, catalogue: Catalogue, clock: Clock, committed: Callable[[Flush], None]
    ) -> None:
        self._database = database
        self._catalogue = catalogue
        self._clock = clock
        self._committed = committed
        self._backlog = Backlog()
        self._sequence = ReadySequence()
        self._stopping = False
        self.flushes = 0
        self.items = 0

    async def submit(self, calls: Sequence[Call]) -> list[Any]:
        """Carry out calls and return their outcomes in order.

        An outcome may be an exception. A caller that is cancelled meanwhile does not cancel its calls.
        """
        if not calls:
            return []
        reply = self.send(calls)
        return await asyncio.shield(reply.future)

    def send(self, calls: Sequence[Call]) -> Reply:
        """Hand over calls without waiting for their outcomes."""
        reply = Reply(len(calls))
        for index, call in enumerate(calls):
            call.reply, call.index = reply, index
        self._backlog.add(calls)
        return reply

    async def run(self) -> None:
        """Flush until stopped, then flush what is left."""
        while not (self._stopping and not len(self._backlog)):
            await self._backlog.wait()
            calls = self._backlog.take()
            if calls:
                await self._carry_out(calls)
            elif self._stopping:
                return

    def stop(self) -> None:
        """Let `run` end once nothing is left."""
        self._stopping = True
        self._backlog.wake()

    async def _carry_out(self, calls: list[Call]) -> None:
        raced = False
        for _ in range(TRIES):
            flush = Flush(calls, self._catalogue, self._sequence)
            try:
                async with self._database.flush() as tx:
                    await flush.carry_out(tx, self._clock.pinned)
            except LOCKED:
                raced = False
                break
            except (Raced, *AGAIN) as failure:
                raced = isinstance(failure, Raced)
                continue
            except UNAVAILABLE as failure:
                self._give_up(calls, failure, unknown=flush.commit_sent)
                return
            except errors.DatabaseUnavailable as failure:
                self._give_up(calls, failure, unknown=False)
                return
            except REFUSED as refusal:
                await self._halve(calls, refusal)
                return
            except Exception as failure:
                log.exception("a flush of %d calls failed", len(calls))
                await self._halve(calls, failure)
                return
            await self._settle(flush)
            return
        await self._set_apart(calls, raced=raced)

    async def _settle(self, flush: Flush) -> None:
        self.flushes += 1
        answered = 0
        self._committed(flush)
        for call, outcome in flush.answers():
            call.settle(outcome)
            answered += 1
        self.items += answered
        if flush.put_off:
            self._put_back(flush.put_off)
            if not answered:
                await asyncio.sleep(random.uniform(0.001, 0.004))

    def _put_back(self, calls: Sequence[Call]) -> None:
        soon = asyncio.get_running_loop().time() + ANSWER_TIME
        late = [call for call in calls if call.deadline <= soon]
        self._backlog.put_back([call for call in calls if call.deadline > soon])
        for call in late:
            job_id = call.names_job
            if isinstance(call, AcquireCall) and job_id is None:
                call.settle(AcquireOutcome((), None, None))
            else:
                call.settle(errors.JobBusy(job_id))

    async def _halve(self, calls: list[Call], failure: Exception) -> None:
        """One bad item must not fail the others: split until it stands alone."""
        if len(calls) == 1:
            log.error("the database refused a call: %s", type(failure).__name__)
            calls[0].settle(failure)
            return
        middle = len(calls) // 2
        await self._carry_out(calls[:middle])
        await self._carry_out(calls[middle:])

    def _give_up(self, calls: Sequence[Call], failure: Exception, *, unknown: bool) -> None:
        log.warning("the database is not available: %s", type(failure).__name__)
        for call in calls:
            call.settle(errors.OutcomeUnknown() if unknown else errors.DatabaseUnavailable())

    async def _set_apart(self, calls: list[Call], *, raced: bool) -> None:
        """Someone else is in the way of one of these: let the others pass, those that cannot wait first."""
        if len(calls) == 1:
            (call,) = calls
            moved = raced and isinstance(call, JobCall)
            name = call.names_job
            call.settle(errors.VersionMismatch(name, None, None) if moved else errors.JobBusy(name))
            return
        binding = [call for call in calls if _binds(call)]
        others = [call for call in calls if not _binds(call)]
        if not binding or not others:
            middle = len(calls) // 2
            binding, others = calls[middle:], calls[:middle]
        await self._carry_out(others)
        await self._carry_out(binding)


def _binds(call: Call) -> bool:
    """Whether it inserts a key or a request id, which another server may be inserting as well."""
    return bool(request_id_of(call)) or (isinstance(call, CreateCall) and call.key_hash is not None)
