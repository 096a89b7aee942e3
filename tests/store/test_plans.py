"""At 50,000 jobs every statement goes by the index that was made for it."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from tenure_server.domain.change import Change, EventReason, LeaseChange, ReadyChange, Step
from tenure_server.domain.phase import Phase
from tenure_server.store import changes, claims, documents, events, heads, jobs, keys, queues, sweeps
from tenure_server.store.changes import Item
from tenure_server.store.claims import ReadyFilter
from tenure_server.store.database import Database, DatabaseSettings
from tenure_server.store.events import WatchPosition
from tenure_server.store.jobs import JobFilter
from tests.fixtures.postgres import create_database, drop_database, named
from tests.store.plans import Explained, Plan, Use

ROWS = 50_000
NOW = datetime(2026, 10, 4, 12, 0, tzinfo=UTC)
SCOPE = "default"
BEGINNING = (datetime(1, 1, 1, tzinfo=UTC), UUID(int=0))
LEASED = UUID(int=10 * 2**64)  # a row of each sort, by what `n % 10` makes of it
READY = UUID(int=11 * 2**64)

# Of ten jobs one is leased, five are ready, one waits for its time, three have ended.
FILL = """
    INSERT INTO job (scope, id, queue, kind, lifecycle, lifecycle_version, state, phase, priority, ready_seq,
                     schedule_time, attempt, max_attempts, version, fence, lease_token, lease_holder,
                     lease_expire_time, lease_duration, lease_check_time, phase_index, expire_time, pinned,
                     create_time, update_time, end_time)
    SELECT CASE WHEN n %% 7 = 0 THEN 'other' ELSE 'default' END,
           (lpad(to_hex(n), 16, '0') || lpad('', 16, '0'))::uuid,
           'queue-' || n %% 3, 'kind-' || n %% 5, 'standard', 1,
           CASE WHEN sort = 0 THEN 'running' WHEN sort < 7 THEN 'pending' ELSE 'succeeded' END,
           CASE WHEN sort = 0 THEN 'ACTIVE' WHEN sort < 7 THEN 'WAITING' ELSE 'SUCCEEDED' END,
           n %% 4, CASE WHEN sort BETWEEN 1 AND 5 THEN n END,
           CASE WHEN sort = 6 THEN at + n * interval '1 s' END, 1, 3, 1, 1,
           CASE WHEN sort = 0 THEN '\\x01'::bytea END, CASE WHEN sort = 0 THEN 'holder' END,
           CASE WHEN sort = 0 THEN at + n * interval '1 s' END,
           CASE WHEN sort = 0 THEN interval '60 s' END,
           CASE WHEN sort = 0 THEN at + n * interval '1 s' END, 0,
           CASE WHEN n %% 20 = 1 THEN at + n * interval '1 s' END, false, at, at,
           CASE WHEN sort > 6 THEN at END
      FROM generate_series(1, %(rows)s) AS n, LATERAL (SELECT n %% 10) AS of(sort),
           (SELECT %(now)s::timestamptz) AS begun(at)
"""
FILL_BESIDE = (
    "INSERT INTO job_key SELECT scope, sha256(id::text::bytea), id, '\\x00' FROM job",
    "INSERT INTO job_facet SELECT scope, id, jsonb_build_object('n', id::text) FROM job",
    "INSERT INTO job_document SELECT scope, id, 'payload', '\\x00', '', '\\x00' FROM job",
    """INSERT INTO job_event SELECT scope, 1000 + row_number() OVER (), id, 0, 0, queue, '', 'pending',
              'CREATED', NULL, 0, 1, create_time FROM job""",
    """INSERT INTO request_outcome SELECT scope, id::text, 'CreateJob', ARRAY[id], ARRAY[0],
              create_time + priority * interval '1 min' FROM job""",
)


@pytest.fixture(scope="module")
def filled_dsn(cluster_dsn: str, template: str) -> Iterator[str]:
    """A database with 50,000 jobs."""
    name = f"plans_{uuid4().hex[:8]}"
    create_database(cluster_dsn, name, template)
    dsn = named(cluster_dsn, name)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(FILL, {"rows": ROWS, "now": NOW})
        for statement in FILL_BESIDE:
            connection.execute(statement)
        connection.execute("VACUUM ANALYZE")
    yield dsn
    drop_database(cluster_dsn, name)


@pytest.fixture
async def explained(filled_dsn: str) -> AsyncIterator[Explained]:
    """What asks that database for its plans."""
    database = Database(DatabaseSettings(filled_dsn))
    await database.open()
    yield Explained(database)
    await database.close()


def due(statement: Any) -> Use:
    soon = NOW + timedelta(hours=1)
    return lambda tx: sweeps.find_candidates(tx, statement, now=soon, after=BEGINNING, limit=500)


def claim(**said: Any) -> Use:
    return lambda tx: claims.lock_ready_jobs(tx, SCOPE, ReadyFilter("queue-1", **said), 10, counted=False)


def listing(**said: Any) -> Use:
    return lambda tx: jobs.list_jobs(tx, SCOPE, JobFilter(**said), before=UUID(int=40_000 * 2**64), limit=50)


def watch(position: int) -> Use:
    after = WatchPosition(position, UUID(int=0), 0, 0)
    return lambda tx: events.watch_events(tx, SCOPE, after, None, None, 500)


RENEWAL = Change(
    state="running",
    phase=Phase.ACTIVE,
    lease=LeaseChange.EXTEND,
    lease_duration=timedelta(seconds=60),
    lease_expire_time=NOW + timedelta(seconds=60),
    heartbeat=True,
)
CLAIM = Change(
    state="running",
    phase=Phase.ACTIVE,
    lease=LeaseChange.GRANT,
    lease_duration=timedelta(seconds=60),
    lease_expire_time=NOW + timedelta(seconds=60),
    ready=ReadyChange.LEAVE,
    schedule_time=None,
    steps=(Step("pending", "running", EventReason.ACQUIRED),),
)


def save(change: Change, ids: list[UUID]) -> Use:
    items = [Item(job_id, 1, b"token", "holder") for job_id in ids]
    return lambda tx: changes.save_changes(tx, SCOPE, change, items, NOW)


MANY = [UUID(int=n * 2**64) for n in range(10, 5010, 10) if n % 7]

STATEMENTS: dict[str, tuple[Use, set[str]]] = {
    "claim": (claim(), {"job_ready"}),
    "claim by kind and state": (claim(kinds=("kind-1", "kind-2"), states=("pending",)), {"job_ready"}),
    "claim by labels": (claim(labels=(("n", "x"),)), {"job_ready"}),
    "scheduled sweep": (due(sweeps.DUE_JOBS), {"job_scheduled"}),
    "lease sweep": (due(sweeps.LEASES_TO_CHECK), {"job_lease_check"}),
    "deadline sweep": (due(sweeps.LATE_JOBS), {"job_expire"}),
    "next due": (lambda tx: sweeps.time_to_next_due(tx, NOW, overdue=True), {"job_scheduled"}),
    "next due beyond the damaged": (
        lambda tx: sweeps.time_to_next_due(tx, NOW, overdue=False),
        {"job_scheduled"},
    ),
    "retention": (
        lambda tx: sweeps.scan_for_pruning(tx, (SCOPE, UUID(int=1)), NOW, 500),
        {"job_pkey"},
    ),
    "lock by id": (lambda tx: heads.lock_jobs(tx, SCOPE, MANY), {"job_pkey"}),
    "read by id": (lambda tx: jobs.read_jobs(tx, SCOPE, [LEASED]), {"job_pkey"}),
    "list": (listing(), {"job_pkey"}),
    "list of a queue": (listing(queue="queue-1"), {"job_pkey"}),
    "history": (
        lambda tx: events.list_job_events(tx, SCOPE, LEASED, (-1, 0), 100),
        {"job_event_pkey"},
    ),
    "watch from the start": (watch(0), {"job_event_position"}),
    "watch near the end": (watch(1000 + ROWS - 100), {"job_event_position"}),
    "keys": (lambda tx: keys.find_keys(tx, SCOPE, [b"a" * 32, b"b" * 32]), {"job_key_pkey"}),
    "request ids": (lambda tx: keys.find_outcomes(tx, SCOPE, ["a", "b"]), {"request_outcome_pkey"}),
    "forgetting request ids": (
        lambda tx: keys.prune_outcomes(tx, age=timedelta(hours=1), now=NOW + timedelta(hours=1), limit=10),
        {"request_outcome_time"},
    ),
    "documents": (lambda tx: documents.read_documents(tx, SCOPE, [LEASED]), {"job_document_pkey"}),
    "shares of a reply": (
        lambda tx: documents.read_shares(tx, SCOPE, dict.fromkeys(MANY, 0), 1_000_000),
        {"job_document_pkey"},
    ),
    "outlook": (
        lambda tx: queues.read_outlook(tx, SCOPE, ["queue-1"], NOW),
        {"job_ready", "job_scheduled"},
    ),
    "renewal": (save(RENEWAL, [LEASED]), {"job_pkey"}),
    "500 renewals": (save(RENEWAL, MANY), {"job_pkey"}),
    "grant": (save(CLAIM, [READY]), {"job_pkey"}),
    "removal": (
        lambda tx: sweeps.remove_jobs(tx, SCOPE, MANY[:50]),
        {"job_pkey", "job_key_job", "job_document_pkey", "job_facet_pkey", "job_event_pkey"},
    ),
}
OF_FLUSH = {
    "claim",
    "claim by kind and state",
    "claim by labels",
    "lock by id",
    "read by id",
    "keys",
    "request ids",
    "documents",
    "shares of a reply",
    "renewal",
    "500 renewals",
    "grant",
}
SORTED_ANYWAY = {"removal", "shares of a reply"}
"""Few rows in any case; or no order at all."""


@pytest.mark.parametrize("name", STATEMENTS)
async def test_a_statement_goes_by_its_index_the_first_time_and_ever_after(
    explained: Explained, name: str
) -> None:
    """After five times PostgreSQL may plan a statement once for all values."""
    use, indexes = STATEMENTS[name]
    async with explained.transaction(of_flush=name in OF_FLUSH) as tx:
        plans = [
            plan for _ in range(8) for plan in await explained.plans(tx, use) if plan.indexes or plan.scanned
        ]

    assert len(plans) == 8
    for plan in plans:
        assert indexes <= plan.indexes
        assert plan.scanned <= {"queue", "event_horizon"}
        assert name in SORTED_ANYWAY or "Sort" not in plan.types


@pytest.mark.parametrize("name", sorted(OF_FLUSH - {"claim by labels"}))  # goes by its labels instead
async def test_a_flush_looks_up_what_it_names_and_never_a_whole_scope(
    explained: Explained, name: str
) -> None:
    async with explained.transaction(of_flush=True) as tx:
        (plan,) = await explained.plans(tx, STATEMENTS[name][0])

    conditions = [
        node["Index Cond"] for node in plan.nodes() if "Index Cond" in node and node["Actual Loops"]
    ]
    assert conditions
    assert [condition for condition in conditions if " AND " not in condition] == []


async def test_a_claim_looks_at_few_pages(explained: Explained) -> None:
    async with explained.transaction(of_flush=True) as tx:
        (plan,) = await explained.plans(tx, claim())

    assert plan.buffers < 150


@pytest.mark.parametrize("of_flush", [True, False])
async def test_a_guarded_update_goes_by_the_key_though_statistics_are_stale(
    explained: Explained, of_flush: bool
) -> None:
    """Just created and never analysed: the planner believes that next to nothing is ready or leased."""
    async with explained.transaction(of_flush=of_flush) as tx:
        await tx.send("UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE relname LIKE 'job%%'", {})
        await tx.send("DELETE FROM pg_statistic WHERE starelid = 'job'::regclass")
        plans: list[Plan] = []
        for ids in ([LEASED], MANY):
            plans += await explained.plans(tx, save(RENEWAL, ids))

    assert [plan.indexes for plan in plans] == [{"job_pkey"}] * 2
    assert all(not plan.scanned for plan in plans)


async def test_what_a_watch_sets_lasts_no_longer_than_its_answer(database: Database) -> None:
    async with database.read() as tx:
        await events.watch_events(tx, SCOPE, WatchPosition(0, UUID(int=0), 0, 0), None, None, 1)
        meanwhile = await tx.send("SHOW enable_sort")
        await tx.settle()
        afterwards = await tx.send("SHOW enable_sort")
        await tx.settle()
        seen = await meanwhile.fetchone(), await afterwards.fetchone()

    assert seen == (("off",), ("on",))
