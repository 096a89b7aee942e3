"""Proto, Python and SQL say the same; nobody reads a clock; lifecycles are known to nobody else."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import tenure
from tenure import errors as client_errors
from tenure.model import enums
from tenure.v1 import errors_pb2, job_pb2, lease_pb2
from tenure_server.domain import errors
from tenure_server.domain.change import EventReason
from tenure_server.domain.job import Directive
from tenure_server.domain.lease_rules import EmptyReason
from tenure_server.domain.lifecycle_document import built_ins
from tenure_server.domain.phase import Phase
from tenure_server.rpc.errors import CODES
from tests.contract.code import CLIENT, SERVER, dotted, place, sources, statements, texts, tree

REASONS = {name.removeprefix("ERROR_REASON_") for name in errors_pb2.ErrorReason.keys()[1:]}

NOT_YET_RAISED = {
    "TRANSFER_NOT_FOUND",
    "CHUNK_CONFLICT",
    "FILE_IDENTITY_MISMATCH",
    "CHUNKS_MISSING",
    "TRANSFER_CLOSED",
    "RATE_LIMITED",
    "UNAUTHENTICATED",
    "SCOPE_DENIED",
    "DOCUMENT_TAMPERED",
    "QUEUE_FULL",
    "BYTE_BUDGET_EXCEEDED",
}
"""Of the API from the start, of the server when transfers, credentials and capacities are."""

NO_SCOPE_NEEDED = {
    "sweeps.LEASES_TO_CHECK": "a sweep finds candidates of all scopes; each is judged within its own",
    "sweeps.DUE_JOBS": "the same",
    "sweeps.LATE_JOBS": "the same",
    "sweeps.NEXT_DUE": "when any job is due next; tells nobody which",
    "keys.PRUNE_OUTCOMES": "forgets by age; joins itself by scope and id",
    "lifecycles.LIST_LIFECYCLES": "lifecycles belong to no scope",
    "lifecycles.INSERT_LIFECYCLE": "lifecycles belong to no scope",
}
TABLES = re.compile(r"\b(job|job_key|job_document|job_facet|job_event|queue|lifecycle|request_outcome)\b")
CLOCKS = {
    "time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.ctime", "time.strftime",
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "datetime.datetime.now",
    "datetime.datetime.utcnow", "datetime.date.today", "uuid.uuid1", "uuid.uuid7", "uuid1", "uuid7",
}  # fmt: skip
MAY_READ_A_CLOCK = {"tenure_server/domain/clock.py": {"time.time_ns"}}
NOT_SQL_TIME = re.compile(
    r"\b(now\(\)|current_timestamp|localtimestamp|transaction_timestamp|statement_timestamp)", re.IGNORECASE
)
LIFECYCLE_FREE = ("domain", "service", "store", "rpc", "maintenance", "application.py")
STATES = {state for lifecycle in built_ins() for state in lifecycle.states}
NO_STATES = {
    "tenure_server/domain/lifecycle_state.py": {
        "cancelled",
        "interrupted",
        "expired",
    },  # outcomes of the language
    "tenure_server/domain/lifecycle_state_section.py": {"cancelled"},  # the code of an error
    "tenure_server/domain/lease_rules.py": {"expired"},  # what became of a token
    "tenure_server/rpc/queue_servicer.py": {"paused"},  # of queues
    "tenure_server/service/queues.py": {"paused"},
    "tenure_server/store/queues.py": {"paused"},
}
"""Words that some lifecycle has as a state and that mean something else here; each was looked at."""


def words(names: Iterable[str], prefix: str) -> set[str]:
    """The values of a proto enum without its prefix and its unspecified one."""
    return {name.removeprefix(prefix) for name in names} - {"UNSPECIFIED"}


def test_phases_are_the_same_everywhere() -> None:
    assert words(job_pb2.Phase.keys(), "PHASE_") == {phase.value for phase in Phase}
    assert {phase.value for phase in enums.Phase} >= {phase.value for phase in Phase}


def test_directives_are_the_same_everywhere() -> None:
    assert words(job_pb2.Directive.keys(), "DIRECTIVE_") == {word.value for word in Directive}
    assert {word.value for word in tenure.Directive} >= {word.value for word in Directive}


def test_reasons_of_events_are_the_same_everywhere() -> None:
    assert words(job_pb2.JobEventReason.keys(), "JOB_EVENT_REASON_") == {r.value for r in EventReason}


def test_reasons_to_grant_nothing_are_the_same_everywhere() -> None:
    told = words(lease_pb2.EmptyReason.keys(), "EMPTY_REASON_")

    assert {reason.value for reason in EmptyReason} <= told
    assert told - {reason.value for reason in EmptyReason} <= {"WORKER_DRAINING"}
    assert {reason.value for reason in tenure.EmptyReason} >= told


def test_every_error_of_the_server_is_a_reason_of_the_api_and_the_other_way_round() -> None:
    raised = {kind.reason for kind in subclasses(errors.TenureError) if "reason" in vars(kind)}

    assert raised <= REASONS
    assert REASONS - raised <= NOT_YET_RAISED
    assert set(CODES) == REASONS


def test_every_reason_has_a_class_in_the_client_with_the_same_code() -> None:
    assert set(client_errors.BY_REASON) == REASONS
    for reason, kind in client_errors.BY_REASON.items():
        assert kind.code == CODES[reason].name, reason


def subclasses(parent: type[errors.TenureError]) -> set[type[errors.TenureError]]:
    found: set[type[errors.TenureError]] = set()
    for child in parent.__subclasses__():
        found |= {child} | subclasses(child)
    return found


def test_every_statement_names_its_scope() -> None:
    unwalled = [
        statement.name
        for statement in statements()
        if any(reads_a_table(part) and not names_scope(part) for part in statement.text.split(" UNION "))
    ]

    assert sorted(unwalled) == sorted(NO_SCOPE_NEEDED)


def reads_a_table(text: str) -> bool:
    """Whether it touches a table that belongs to a scope."""
    return re.search(rf"\b(FROM|INTO|UPDATE|JOIN)\s+{TABLES.pattern}", text) is not None


def names_scope(text: str) -> bool:
    return "%(scope)s" in text


def test_no_statement_reads_the_time_of_the_transactions_start() -> None:
    assert [s.name for s in statements() if NOT_SQL_TIME.search(s.text)] == []


def test_no_update_sets_anything_but_parameters() -> None:
    """A distributed database refuses an UPDATE that sets a volatile function."""
    volatile = re.compile(r"clock_timestamp|random|nextval|gen_random")
    updates = re.compile(r"UPDATE job SET(.*?)(?:FROM|WHERE)", re.DOTALL)

    assert [s.name for s in statements() if any(volatile.search(u) for u in updates.findall(s.text))] == []


def test_nobody_reads_a_clock_of_the_day() -> None:
    read = {place(path): clocks(path) for path in sources(SERVER, CLIENT) if clocks(path)}

    assert read == MAY_READ_A_CLOCK


def clocks(path: Path) -> set[str]:
    """What tells the time of day, by whichever name it was imported."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        else:
            found.add(dotted(node))
    return found & CLOCKS


def test_no_state_of_a_lifecycle_is_named_in_code() -> None:
    checked = [path for path in sources(SERVER) if path.relative_to(SERVER).parts[0] in LIFECYCLE_FREE]
    named = {place(path): found for path in checked if (found := STATES.intersection(texts(path)))}

    assert named == NO_STATES


def test_no_state_of_a_lifecycle_is_named_in_sql() -> None:
    assert [s.name for s in statements() if STATES.intersection(re.findall(r"'([^']*)'", s.text))] == []
