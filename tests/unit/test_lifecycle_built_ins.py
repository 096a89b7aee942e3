"""What the built-in documents say, read back as values."""

from datetime import timedelta

import pytest

from tenure_server.domain.lifecycle import (
    Attempts,
    Cancel,
    CancelKind,
    Deadline,
    Expiry,
    ExpiryKind,
    Failure,
    LeaseRule,
    LeaseTerms,
    Lifecycle,
    OnEnter,
    Pause,
    Report,
    ReportKind,
    Resume,
    Retry,
)
from tenure_server.domain.lifecycle_bounds import (
    Bound,
    ByteBudget,
    History,
    KeyRule,
    KeyUse,
    Limit,
    Oversize,
    TargetRule,
    Unit,
    Which,
    Within,
)
from tenure_server.domain.lifecycle_document import built_ins
from tenure_server.domain.phase import Phase

BUILT_INS = {lifecycle.name: lifecycle for lifecycle in built_ins()}
IMMEDIATE = Cancel(CancelKind.IMMEDIATE, ("cancelled",))


@pytest.fixture
def standard() -> Lifecycle:
    return BUILT_INS["standard"]


@pytest.fixture
def image() -> Lifecycle:
    return BUILT_INS["image"]


@pytest.fixture
def build() -> Lifecycle:
    return BUILT_INS["build-publish"]


def test_there_are_five_and_what_is_extended_comes_first() -> None:
    names = [lifecycle.name for lifecycle in built_ins()]

    assert sorted(names) == ["build-publish", "image", "migration-export", "migration-import", "standard"]
    assert names.index("migration-import") < names.index("migration-export")


def test_standard_is_acquired_into_running(standard: Lifecycle) -> None:
    pending = standard.state("pending")

    assert (pending.leasable, pending.acquire_to, pending.phase) == (True, "running", Phase.WAITING)
    assert pending.cancel == IMMEDIATE
    assert pending.progress == Report(ReportKind.REJECT, "UNEXPECTED_STATE")


def test_standard_requeues_a_lost_attempt_until_none_is_left(standard: Lifecycle) -> None:
    lost = Failure("lease_expired", "the last holder's lease ran out")

    assert standard.state("running").on_lease_expiry == Expiry(
        ExpiryKind.REQUEUE, "pending", counts_attempt=True, exhausted="failed", error=lost
    )
    assert standard.attempts == Attempts("pending", "failed", exponential=True, jitter=True)


def test_standard_asks_the_holder_of_a_draining_job_to_cancel(standard: Lifecycle) -> None:
    paused = standard.state("paused")

    assert paused.cancel == IMMEDIATE
    assert paused.cancel_when_leased == Cancel(CancelKind.FLAG)
    assert paused.on_lease_expiry == Expiry(ExpiryKind.RECLAIMABLE)


def test_standard_says_how_to_pause_resume_and_retry(standard: Lifecycle) -> None:
    assert standard.pause == Pause((("pending", "paused"),), frozenset({"running"}))
    assert standard.resume == Resume("paused", "pending", refuse_while_leased=True)
    assert standard.retry == Retry(
        frozenset({"failed", "cancelled"}),
        "pending",
        clears=frozenset({"lease", "error", "end_time", "cancel_reason", "progress"}),
        keeps=frozenset({"payload", "checkpoint", "metadata"}),
    )


def test_standard_has_a_deadline_only_for_jobs_that_bring_one(standard: Lifecycle) -> None:
    error = Failure("deadline_exceeded", "the job did not end before its deadline")

    assert standard.deadline == Deadline(None, "failed", error=error)


def test_an_import_stays_reclaimable_in_every_state_but_cannot_be_cancelled_while_activating() -> None:
    imports = BUILT_INS["migration-import"]
    working = [state for state in imports.states.values() if not imports.is_terminal(state.name)]

    assert {(state.leasable, state.lease, state.on_lease_expiry.kind) for state in working} == {
        (True, LeaseRule.REQUIRED, ExpiryKind.RECLAIMABLE)
    }
    assert [state.name for state in working if state.cancel != IMMEDIATE] == ["activating"]
    assert imports.state("activating").cancel == Cancel(CancelKind.REFUSED, reason="CANNOT_CANCEL")


def test_an_import_keeps_its_bounds_as_data() -> None:
    imports = BUILT_INS["migration-import"]
    working = frozenset(imports.states) - frozenset(imports.terminal)

    assert imports.capacity.max_pending == Bound(10, working, "QUEUE_FULL")
    assert imports.create.key == KeyRule(KeyUse.REQUIRED, 1, 128, Unit.CHARACTERS)
    assert imports.create.covers == {"lifecycle"}
    assert imports.limits.of("error_code") == Limit("error_code", 96, Unit.CHARACTERS)
    assert imports.transfers.on_cancel == (("created", "cancelled"), ("receiving", "cancelled"))


def test_an_import_lives_a_day_unless_it_is_activating_or_leased() -> None:
    imports = BUILT_INS["migration-import"]

    assert imports.deadline == Deadline(
        timedelta(days=1), "expired", frozenset({"activating"}), not_while_leased=True
    )
    assert imports.lease == LeaseTerms(timedelta(minutes=5), timedelta(seconds=60))


def test_an_export_takes_all_it_does_not_say_from_the_import() -> None:
    imports, exports = BUILT_INS["migration-import"], BUILT_INS["migration-export"]

    assert exports.extends == ("migration-import", 1)
    assert exports.states == imports.states
    assert exports.retry == imports.retry
    assert exports.deadline == imports.deadline
    assert exports.allowed("validating") == ("completed", "cancelled", "expired", "failed")
    assert exports.dead_ends == {"ready_to_activate", "activating"}


def test_an_image_is_interrupted_when_its_lease_ends(image: Lifecycle) -> None:
    running = image.state("running")
    error = Failure(
        "cancelled",
        "the last holder's lease ran out",
        details=(("recovery", "inspect_history_before_retrying"),),
    )

    assert running.lease is LeaseRule.OPTIONAL
    assert running.on_lease_expiry == Expiry(ExpiryKind.INTERRUPT, "interrupted", error=error)
    assert running.on_enter == OnEnter(label="starting")
    assert image.state("queued").progress == Report(ReportKind.IGNORE)


def test_an_image_is_bounded_over_the_whole_service(image: Lifecycle) -> None:
    assert image.capacity.max_pending == Bound(
        1000, frozenset({"queued"}), "QUEUE_FULL", within=Within.SERVICE
    )
    assert image.capacity.byte_budget == ByteBudget(
        1 << 30, "BYTE_BUDGET_EXCEEDED", active_reserve=262144, row_overhead=128, within=Within.SERVICE
    )


def test_an_image_is_limited_and_kept_as_history(image: Lifecycle) -> None:
    assert image.limits.of("error") == Limit("error", 262144, Unit.BYTES, Oversize.REPLACE)
    assert image.limits.of("progress_label") == Limit(
        "progress_label", 64, Unit.BYTES, alphabet="A-Za-z0-9_-"
    )
    assert image.limits.of("checkpoint") is None
    assert image.history == History(Which.ANY_STATE, Which.TERMINAL, frozenset({"age", "rows", "bytes"}))
    assert image.create.leaves_out == {"timeout_ms"}


def test_a_build_is_cancelled_in_two_steps_unless_a_worker_can_roll_it_back(build: Lifecycle) -> None:
    error = Failure("cancelled", "cancelled while the job was paused")

    assert build.state("paused").cancel == Cancel(CancelKind.IMMEDIATE, ("cancelling", "failed"), error=error)
    assert build.state("paused").cancel_when_leased == Cancel(CancelKind.MOVE, ("cancelling",))
    assert build.state("running").cancel.to == "cancelling"
    assert build.state("cancelling").cancel == Cancel(CancelKind.NOOP)


def test_a_build_parks_or_fails_when_its_lease_ends(build: Lifecycle) -> None:
    assert build.state("running").on_lease_expiry == Expiry(ExpiryKind.PARK, "paused")
    assert build.state("cancelling").on_lease_expiry == Expiry(
        ExpiryKind.FAIL, "failed", error=Failure("lease_expired", "cancelled during restart")
    )
    assert build.state("rolling_back").on_lease_expiry == Expiry(
        ExpiryKind.FAIL, "failed", append_error="rollback interrupted by process restart"
    )


def test_a_build_has_phases_a_bound_and_a_target(build: Lifecycle) -> None:
    assert len(build.phases) == 7
    assert build.pause == Pause((("running", "paused"),), keeps_lease=True)
    assert build.state("succeeded").on_enter == OnEnter(clear_checkpoint=True, progress_full=True)
    assert build.create.key.use is KeyUse.NONE
    assert build.create.target == (
        TargetRule("table", required=True),
        TargetRule("index", required_for=frozenset({"index_build"})),
    )
    assert build.capacity.max_active == Bound(
        2, frozenset({"running", "cancelling", "rolling_back"}), "CONCURRENCY_LIMIT", minimum=1
    )
