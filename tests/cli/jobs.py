"""Values as a client returns them; each test names only what matters to it."""

from datetime import UTC, datetime
from typing import Any

from tenure import Job, JobEvent, JobEventReason, Phase

T0 = datetime(2026, 10, 4, 12, 0, 0, 250_000, tzinfo=UTC)
JOB_ID = "01890a5d-ac96-774b-bcce-b302099a8057"

_FACTS: dict[str, Any] = {
    "id": JOB_ID,
    "queue": "mail",
    "kind": "",
    "lifecycle": "standard",
    "lifecycle_version": 1,
    "state": "pending",
    "phase": Phase.WAITING,
    "allowed_targets": ("running",),
    "priority": 0,
    "labels": {},
    "attempt": 0,
    "version": 1,
    "fence": 0,
    "cancel_reason": "",
    "phase_index": 0,
    "pinned": False,
    "create_time": T0,
    "update_time": T0,
}


def job(**facts: Any) -> Job:
    """A waiting job in the queue mail, unless said otherwise."""
    names = Job.__dataclass_fields__
    values: dict[str, Any] = {name: facts.get(name, _FACTS.get(name)) for name in names}
    return Job(**values)


def event(**facts: Any) -> JobEvent:
    """The creation of the job, unless said otherwise."""
    usual: dict[str, Any] = {
        "job_id": JOB_ID,
        "version": 1,
        "step": 0,
        "from_state": "",
        "to_state": "pending",
        "reason": JobEventReason.CREATED,
        "holder": "",
        "fence": 0,
        "attempt": 0,
        "time": T0,
    }
    return JobEvent(**{**usual, **facts})
