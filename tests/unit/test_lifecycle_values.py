"""Every kind of value in a document, out of place once."""

from datetime import timedelta

import pytest

from tenure_server.domain.lifecycle_document import parse
from tests.unit.lifecycle_texts import BASE, changed, refusal

CANCEL = "cancel: {cooperative: flag}"
COUNTED = "counts_attempt: true, exhausted: broken"
EXPIRY = "states.working.on_lease_expiry"


@pytest.mark.parametrize(
    "written,length",
    [
        ("500ms", timedelta(milliseconds=500)),
        ("60s", timedelta(seconds=60)),
        ("5m", timedelta(minutes=5)),
        ("24h", timedelta(hours=24)),
        ("7d", timedelta(days=7)),
    ],
)
def test_a_duration_is_a_number_and_a_unit(written: str, length: timedelta) -> None:
    lifecycle = parse(f"{BASE}lease: {{default: {written}}}\n")

    assert lifecycle.lease is not None
    assert lifecycle.lease.default == length


@pytest.mark.parametrize(
    "written", ["0s", "5", "5 m", "-1s", "1.5h", "1h30m", "5M", "3651d", "999999999999d", "[]"]
)
def test_what_is_not_a_duration_is_refused(written: str) -> None:
    refused = refusal(f"{BASE}lease: {{default: {written}}}\n")

    assert refused.field == "lease.default"
    assert refused.line == BASE.count("\n") + 1


@pytest.mark.parametrize(
    "old,new,path,rule",
    [
        ("name: base", "name: Base", "name", "'Base' is not a name"),
        ("name: base\n", "", "document", "name is missing"),
        ("version: 1", "version: 0", "version", "from 1 to 2147483647"),
        ("version: 1", "version: 2147483648", "version", "from 1 to 2147483647"),
        ("version: 1", "version: one", "version", "'one' is not a whole number"),
        ("edges:\n", "edgse:\n", "edgse", "unknown key; known here: name, version"),
        ("phase: ACTIVE", "phase: ACTIVE\n    colour: red", "states.working.colour", "unknown key"),
        ("lease: required", "lease: always", "states.working.lease", "required, optional, none"),
        ("leasable: true", "leasable: yes", "states.waiting.leasable", "not one of true, false"),
        ("phase: ACTIVE\n", "\n", "states.working", "phase is missing"),
        (
            "resting: {phase: PARKED, cancel: {immediate: [dropped]}}",
            "resting: {phase: PARKED}",
            "states.resting",
            "cancel is missing",
        ),
        (CANCEL, "cancel: later", "states.working.cancel", "'later' is not one of noop"),
        (CANCEL, "cancel: {}", "states.working.cancel", "say immediate, cooperative or"),
        (CANCEL, "cancel: {immediate: []}", "states.working.cancel.immediate", "empty"),
        (
            CANCEL,
            "cancel: {cooperative: flag, refused: CANNOT_CANCEL}",
            "states.working.cancel",
            "exclude each other",
        ),
        (CANCEL, "cancel: {refused: TOO_LATE}", "states.working.cancel.refused", "CANNOT_CANCEL"),
        (CANCEL, "cancel: {cooperative: flag, error: no}", "states.working.cancel.error", "leave it out"),
        (COUNTED, "counts_attempt: true", EXPIRY, "exhausted is missing"),
        (COUNTED, "exhausted: broken", EXPIRY, "counts_attempt: true"),
        (f"{{requeue: waiting, {COUNTED}}}", "never", EXPIRY, "reclaimable"),
        (f"{{requeue: waiting, {COUNTED}}}", "{}", EXPIRY, "say requeue"),
        (
            "phase: ACTIVE",
            "phase: ACTIVE\n    progress: {reject: NO}",
            "states.working.progress.reject",
            "UNEXPECTED_STATE",
        ),
        (
            "phase: ACTIVE",
            "phase: ACTIVE\n    checkpoint: ignore",
            "states.working.checkpoint",
            "not one of allow",
        ),
        ("phase: ACTIVE", "phase: ACTIVE\n    on_enter: [dance]", "states.working.on_enter", "clear_lease"),
        (
            "phase: ACTIVE",
            'phase: ACTIVE\n    on_enter: ["label:"]',
            "states.working.on_enter",
            "the label is empty",
        ),
        ("done: success", "done: victory", "terminal.done", "success, failure, cancelled"),
        (
            "[done, broken, dropped, resting]",
            "[done, done]",
            "edges.working",
            "done stands in the list twice",
        ),
        ("[done, broken, dropped, resting]", "done", "edges.working", "expected a list"),
        ("edge: [resting, waiting]", "edge: [resting]", "resume.edge", "an edge is two states"),
        ("to: waiting}", "to: waiting, attempt: 2}", "retry.attempt", "not one of +1"),
        ("to: waiting}", "to: waiting, clears: [everything]}", "retry.clears", "'everything' is not one of"),
        (
            "to: waiting}",
            "to: waiting, clears: [error], keeps: [error]}",
            "retry.keeps",
            "error is also in clears",
        ),
        ("  resting: {", "  Resting: {", "states.Resting", "'Resting' is not a word"),
    ],
)
def test_a_value_out_of_place_is_refused(old: str, new: str, path: str, rule: str) -> None:
    refused = refusal(changed(old, new))

    assert refused.field == path
    assert rule in refused.rule


@pytest.mark.parametrize(
    "section,path,rule",
    [
        ("lease: {default: 1m, renew_every: 1m}", "lease.renew_every", "shorter than default"),
        ("phases: [one, one]", "phases", "twice"),
        ("deadline: {after: 1h}", "deadline", "to is missing"),
        ("capacity: {max_pending: {count: -1, of: non_terminal}}", "capacity.max_pending.count", "from 0 to"),
        (
            "capacity: {max_active: {count: 1, minimum: 2, of: [working]}}",
            "capacity.max_active.minimum",
            "above",
        ),
        (
            "capacity: {max_pending: {count: 1, of: all}}",
            "capacity.max_pending.of",
            "not one of non_terminal",
        ),
        (
            "capacity: {byte_budget: {bytes: 1, reason: LEASE_LOST}}",
            "capacity.byte_budget.reason",
            "QUEUE_FULL",
        ),
        (
            "capacity: {byte_budget: {bytes: 1, within: world}}",
            "capacity.byte_budget.within",
            "scope, service",
        ),
        ("create: {idempotency_key: maybe}", "create.idempotency_key", "none, optional, required"),
        (
            "create: {idempotency_key: {bytes: [9, 1]}}",
            "create.idempotency_key.bytes",
            "the least and the most",
        ),
        ("create: {idempotency_key: {bytes: [1, 513]}}", "create.idempotency_key.bytes", "from 1 to 512"),
        ("create: {fingerprint: {covers: [a], leaves_out: [b]}}", "create.fingerprint", "exclude each other"),
        ("create: {target: {table: perhaps}}", "create.target.table", "required, optional"),
        ("limits: {patience: 3}", "limits.patience", "unknown key"),
        ("limits: {result: 0}", "limits.result", "from 1 to"),
        ("limits: {result: {oversize: replace}}", "limits.result", "bytes is missing"),
        ("transfers: {on_cancel: [created]}", "transfers.on_cancel", "expected keys and values"),
        ("history: {pin: never}", "history.pin", "any_state, terminal, none"),
        ("history: {prune: {by: [mood]}}", "history.prune.by", "age, rows, bytes"),
    ],
)
def test_a_further_section_that_makes_no_sense_is_refused(section: str, path: str, rule: str) -> None:
    refused = refusal(f"{BASE}{section}\n")

    assert refused.field == path
    assert rule in refused.rule
    assert refused.line == BASE.count("\n") + 1
