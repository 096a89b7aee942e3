"""The schema says what the code says, refuses what must not be, and keeps renewals cheap."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tenure import Acquire, AsyncClient, NewJob, Renewal
from tenure.v1 import job_pb2
from tenure_server.domain.job import Directive, DocumentKind, Job, JobHead
from tenure_server.domain.phase import Phase
from tests.concurrency.history import Outside
from tests.factories import QUEUE
from tests.fixtures.postgres import create_database, drop_database, named
from tests.fixtures.server import Server

INSERT = """
    INSERT INTO job (scope, id, queue, kind, lifecycle, lifecycle_version, state, phase, priority, attempt,
                     max_attempts, version, fence, phase_index, pinned, create_time, update_time)
    VALUES ('s', gen_random_uuid(), 'q', '', 'standard', 1, 'pending', 'WAITING', 0, 1, 1, 0, 0, 0, false,
            now(), now())
"""
LEASED = """lease_token = '\\x01', lease_holder = 'me', lease_duration = '1 s', lease_expire_time = now(),
            lease_check_time = now()"""
ENDED = "phase = 'FAILED', end_time = now()"

REFUSED = {
    "job_phase_known": ["phase = 'DONE'", "phase = ''", "phase = 'waiting'"],
    "job_directive_known": ["directive = 'STOP'", "directive = ''"],
    "job_counts_positive": [
        "attempt = 0",
        "max_attempts = 0",
        "version = -1",
        "fence = -1",
        "phase_index = -1",
    ],
    "job_times_sane": [
        "expire_time = 'infinity'",
        "start_time = '-infinity'",
        "schedule_time = '10000-01-01'",
        "create_time = '0044-03-15 BC'",
    ],
    "job_spans_sane": [
        "lease_duration = '-1 s'",
        "retry_max_delay = '101 years'",
        "retry_initial_delay = '-1 us'",
    ],
    "job_lease_whole": [
        "lease_holder = 'me'",
        "lease_expire_time = now()",
        "lease_check_time = now()",
        f"{LEASED}, lease_token = NULL".replace("lease_token = '\\x01', ", ""),
        f"{LEASED}, lease_duration = NULL".replace("lease_duration = '1 s', ", ""),
    ],
    "job_ended_iff_terminal": ["end_time = now()", "phase = 'SUCCEEDED'", "phase = 'CANCELLED'"],
    "job_ready_is_free": [f"ready_seq = 1, {LEASED}", "ready_seq = 1, schedule_time = now()"],
    "job_ended_is_free": [f"{ENDED}, {LEASED}", f"{ENDED}, schedule_time = now()"],
}
REFUSED_BESIDE = {
    "job_document_kind_known": "INSERT INTO job_document VALUES ('s', gen_random_uuid(), 'x', '', '', '')",
    "job_facet_labels_check": "INSERT INTO job_facet VALUES ('s', gen_random_uuid(), '[]')",
    "job_facet_labels_check ": """INSERT INTO job_facet VALUES ('s', gen_random_uuid(), '{"a": 1}')""",
    "job_event_time_check": """INSERT INTO job_event VALUES
        ('s', 1, gen_random_uuid(), 0, 0, 'q', '', 'x', 'CREATED', NULL, 0, 1, 'infinity')""",
    "queue_max_active_check": "INSERT INTO queue VALUES ('s', 'q', false, 0, now())",
    "lifecycle_version_check": "INSERT INTO lifecycle VALUES ('x', 0, '')",
}
ALLOWED = [LEASED, ENDED, "ready_seq = 1", "schedule_time = now()", "lease_token = '\\x01'"]


@pytest.fixture(scope="module")
def dsn(cluster_dsn: str, template: str) -> Iterator[str]:
    """One database for all of these: each leaves it as it was."""
    name = f"schema_{uuid4().hex[:8]}"
    create_database(cluster_dsn, name, template)
    yield named(cluster_dsn, name)
    drop_database(cluster_dsn, name)


async def try_change(outside: Outside, how: str) -> None:
    """Change a row that is in order, and take it back."""
    async with outside.transaction(force_rollback=True):
        await outside.execute(INSERT)
        await outside.execute(f"UPDATE job SET {how}")


async def columns(outside: Outside, table: str) -> list[str]:
    cursor = await outside.execute(
        """SELECT column_name FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name = %s ORDER BY ordinal_position""",
        [table],
    )
    return [str(row[0]) for row in await cursor.fetchall()]


async def constraint(outside: Outside, name: str) -> str:
    cursor = await outside.execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s", [name]
    )
    row = await cursor.fetchone()
    assert row is not None
    return str(row[0])


async def test_a_job_is_its_row(outside: Outside) -> None:
    assert list(Job._fields) == await columns(outside, "job")


async def test_the_head_of_a_job_is_part_of_its_row(outside: Outside) -> None:
    assert set(JobHead._fields) <= set(await columns(outside, "job"))


async def test_phases_are_the_same_in_schema_domain_and_api(outside: Outside) -> None:
    known = {phase.value for phase in Phase}
    terminal = {phase.value for phase in Phase if phase.terminal}

    assert words(await constraint(outside, "job_phase_known")) == known
    assert words(await constraint(outside, "job_ended_iff_terminal")) == terminal
    assert {name.removeprefix("PHASE_") for name in job_pb2.Phase.keys()[1:]} == known


async def test_other_fixed_words_are_the_same_in_schema_and_domain(outside: Outside) -> None:
    assert words(await constraint(outside, "job_directive_known")) == {word.value for word in Directive}
    kinds = {kind.value for kind in DocumentKind}
    assert kinds <= words(await constraint(outside, "job_document_kind_known"))


def words(definition: str) -> set[str]:
    """The texts in a constraint."""
    return set(definition.split("'")[1::2])


@pytest.mark.parametrize(
    "name, how", [(name, how) for name, ways in REFUSED.items() for how in ways], ids=lambda text: text[:40]
)
async def test_a_bad_row_is_refused(outside: Outside, name: str, how: str) -> None:
    with pytest.raises(psycopg.errors.CheckViolation) as refused:
        await try_change(outside, how)

    assert refused.value.diag.constraint_name == name


@pytest.mark.parametrize("name", REFUSED_BESIDE)
async def test_a_bad_row_beside_a_job_is_refused(outside: Outside, name: str) -> None:
    with pytest.raises(psycopg.errors.CheckViolation) as refused:
        await outside.execute(REFUSED_BESIDE[name])

    assert refused.value.diag.constraint_name == name.strip()


async def test_every_constraint_has_a_row_that_it_refuses(outside: Outside) -> None:
    cursor = await outside.execute(
        "SELECT conname FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace"
    )
    assert {row[0] for row in await cursor.fetchall()} == {
        *REFUSED,
        *(name.strip() for name in REFUSED_BESIDE),
    }


@pytest.mark.parametrize("how", ALLOWED)
async def test_good_rows_are_allowed(outside: Outside, how: str) -> None:
    await try_change(outside, how)


async def test_there_are_no_foreign_keys_and_no_stored_code(outside: Outside) -> None:
    cursor = await outside.execute("""
        SELECT (SELECT count(*) FROM pg_constraint WHERE contype = 'f'),
               (SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
               (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal)
    """)
    assert await cursor.fetchone() == (0, 0, 0)


async def test_no_index_holds_what_renewals_change(outside: Outside) -> None:
    cursor = await outside.execute(
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = 'job'"
    )
    indexed = " ".join(str(row[0]) for row in await cursor.fetchall())
    changed = ("lease_expire_time", "lease_duration", "heartbeat_time", "version", "progress", "update_time")

    assert [name for name in changed if name in indexed.replace("lifecycle_version", "")] == []


async def test_nearly_all_renewals_are_hot_updates(
    client: AsyncClient, outside: Outside, server: Server
) -> None:
    await client.create_jobs([NewJob(queue=QUEUE) for _ in range(100)])
    wanted = Acquire(holder="me", queues=[QUEUE], max_leases=100)
    grants = (await client.acquire_leases(wanted)).grants
    renewals = [Renewal(lease=grant) for grant in grants]
    for _ in range(5):  # rows of one flush need room at once: it takes a few rounds until they lie apart
        await client.renew_many(renewals)
    before = await updates(outside)

    for _ in range(10):
        server.clock.move(seconds=1)
        await client.renew_many(renewals)

    done, hot = (after - earlier for after, earlier in zip(await updates(outside), before, strict=True))
    assert done == 1000
    assert hot >= 0.95 * done


async def updates(outside: Outside) -> tuple[int, int]:
    """Rows of `job` updated so far, and how many of them HOT; ends all backends, which only then tell."""
    await outside.execute("""
        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
    """)
    cursor = await outside.execute(
        "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'job'"
    )
    row: Any = await cursor.fetchone()
    return int(row[0]), int(row[1])
