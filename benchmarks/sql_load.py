"""The statements of the server's flushes in their order, without the server: nothing is decided per job.

Lock, save, commit, prepared and pipelined, through the store's own functions; what a decision would say
of the first job of a batch is taken for all of them.
"""

import asyncio
import random
import secrets
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from uuid import UUID

from benchmarks.cycle import DONE, HOLDER, LEASE_SECONDS, PAYLOAD, QUEUE, Leased, Plan, Sample, measure
from tenure_server.domain.change import Change
from tenure_server.domain.command import Acquire, Move
from tenure_server.domain.decide import decide
from tenure_server.domain.job import Document, DocumentKind, JobHead
from tenure_server.domain.lease_rules import EmptyReason, acquire
from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.lifecycle_document import built_ins
from tenure_server.service.saving import SHARE_BYTES
from tenure_server.service.sequence import Sequence as ReadySequence
from tenure_server.service.sequence import make_job_id
from tenure_server.store import changes, claims, documents, heads, jobs
from tenure_server.store.changes import Item, Made, Mold
from tenure_server.store.claims import ReadyFilter
from tenure_server.store.database import Answer, Database, DatabaseSettings, Row, Transaction

SCOPE = "default"
MOST_CONNECTIONS = 8
TOKEN_BYTES = 32
ASKED = Acquire(HOLDER, timedelta(seconds=LEASE_SECONDS), (QUEUE,))


def measure_sql(dsn: str, plan: Plan) -> Sample:
    """Carry out a plan with a connection per caller, eight at most, from this process."""
    return _new_loop_runner().run(_measure(dsn, plan))


def _new_loop_runner() -> asyncio.Runner:
    """What the server runs on, where there is one."""
    try:
        import uvloop
    except ImportError:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


async def _measure(dsn: str, plan: Plan) -> Sample:
    lifecycle = next(known for known in built_ins() if known.name == "standard")
    async with AsyncExitStack() as opened:
        callers = []
        for _ in range(min(plan.callers, MOST_CONNECTIONS)):
            database = Database(DatabaseSettings(dsn, pool_size=1))
            opened.push_async_callback(database.close)
            callers.append(SqlCaller(database, lifecycle, single=plan.batch == 1))
        return await measure(callers, plan)


class SqlCaller:
    """One connection; a `single` job is read back where the server's call for one job answers with it."""

    def __init__(self, database: Database, lifecycle: Lifecycle, *, single: bool) -> None:
        self._database = database
        self._lifecycle = lifecycle
        self._single = single
        self._sequence = ReadySequence()
        initial = lifecycle.state(lifecycle.initial)
        self._mold = Mold(
            queue=QUEUE,
            kind="",
            lifecycle=lifecycle.name,
            lifecycle_version=lifecycle.version,
            state=initial.name,
            phase=initial.phase.value,
            max_attempts=1,
            retry_initial_delay=None,
            retry_max_delay=None,
            retry_multiplier=None,
        )

    async def create(self, count: int) -> None:
        async with self._database.flush() as tx:
            at = await _lock(tx)
            numbers = [self._sequence.draw(at) for _ in range(count)]
            made = [Made(make_job_id(number), 0, number, None, None) for number in numbers]
            await changes.insert_jobs(tx, SCOPE, self._mold, made, at)
            payload = Document(PAYLOAD)
            kept = [(new.id, DocumentKind.PAYLOAD.value, payload) for new in made]
            await documents.save_documents(tx, SCOPE, kept)
            read = [await jobs.read_jobs(tx, SCOPE, [new.id for new in made])] if self._single else []
            await _save(tx, read)

    async def acquire(self, count: int) -> Sequence[Leased]:
        async with self._database.flush() as tx:
            await claims.share_queues(tx, SCOPE, [QUEUE])
            locked = await claims.lock_ready_jobs(tx, SCOPE, ReadyFilter(QUEUE), count, counted=False)
            at = await _lock(tx)
            ready = await locked.fetchall()
            if not ready:
                return []
            items = [Item(head.id, head.version, secrets.token_bytes(TOKEN_BYTES), HOLDER) for head in ready]
            change = self._granted(ready[0], at)
            saved = await changes.save_and_read(tx, SCOPE, change, items, at)
            shares = {item.id: 0 for item in items}
            content = await documents.read_shares(tx, SCOPE, shares, SHARE_BYTES)
            await _save(tx, [saved, content])
        return [Leased(str(item.id), item.token or b"") for item in items]

    async def finish(self, leased: Sequence[Leased]) -> None:
        left = {UUID(job.id) for job in leased}
        while True:
            left -= await self._finish(list(left))
            if not left:
                return
            # Another's claim locked a row before it saw that it was taken; the server waits so too.
            await asyncio.sleep(random.uniform(0.001, 0.004))

    async def _finish(self, ids: list[UUID]) -> set[UUID]:
        async with self._database.flush() as tx:
            locked = await heads.lock_jobs(tx, SCOPE, ids)
            at = await _lock(tx)
            held = await locked.fetchall()
            if held:
                items = [Item(head.id, head.version, None, head.lease_holder) for head in held]
                change = self._finished(held[0], at)
                save = changes.save_and_read if self._single else changes.save_changes
                saved: Answer[Row] = await save(tx, SCOPE, change, items, at)
                await _save(tx, [saved])
        return {head.id for head in held}

    def _granted(self, head: JobHead, at: datetime) -> Change:
        decision = acquire(ASKED, head, self._lifecycle, b"", at)
        assert not isinstance(decision, EmptyReason)
        assert decision.change is not None
        return decision.change

    def _finished(self, head: JobHead, at: datetime) -> Change:
        change = decide(Move(head.lease_token or b"", DONE), head, self._lifecycle, at).change
        assert change is not None
        return change


async def _lock(tx: Transaction) -> datetime:
    clock = await heads.read_clock(tx, None)
    await tx.settle()
    row = await clock.fetchone()
    assert row is not None
    return row[0]


async def _save(tx: Transaction, answers: Sequence[Answer[Row]]) -> None:
    await tx.settle()
    for answer in answers:
        await answer.fetchall()
    await heads.commit(tx)
    await tx.settle()
