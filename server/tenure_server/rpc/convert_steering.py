"""Between proto and domain: what those without a lease ask of a job."""

from tenure.v1 import job_service_pb2
from tenure_server.domain.change import KEEP
from tenure_server.domain.command import Cancel, Delete, Pause, Resume, Retry, Update
from tenure_server.domain.errors import InvalidField
from tenure_server.rpc.convert_values import duration_from_proto, labels_from_proto, time_from_proto

SteerRequest = (
    job_service_pb2.CancelRequest
    | job_service_pb2.PauseRequest
    | job_service_pb2.ResumeRequest
    | job_service_pb2.RetryRequest
    | job_service_pb2.UpdateJobRequest
    | job_service_pb2.DeleteJobRequest
    | job_service_pb2.UndeleteJobRequest
)
SteerCommand = Cancel | Pause | Resume | Retry | Update | Delete


def cancel_from_proto(sent: job_service_pb2.CancelRequest) -> Cancel:
    """What Cancel asks."""
    return Cancel(sent.reason or None, _expected(sent))


def pause_from_proto(sent: job_service_pb2.PauseRequest) -> Pause:
    """What Pause asks."""
    return Pause(_expected(sent))


def resume_from_proto(sent: job_service_pb2.ResumeRequest) -> Resume:
    """What Resume asks."""
    return Resume(_expected(sent))


def retry_from_proto(sent: job_service_pb2.RetryRequest) -> Retry:
    """What Retry asks."""
    delay = duration_from_proto("delay", sent.delay) if sent.HasField("delay") else None
    return Retry(delay, _expected(sent))


def update_from_proto(sent: job_service_pb2.UpdateJobRequest) -> Update:
    """What UpdateJob changes; raises InvalidField when that is nothing."""
    changes = [name for name in ("pinned", "priority", "schedule_time", "labels") if sent.HasField(name)]
    if not changes:
        raise InvalidField("pinned", "name something to change: pinned, priority, schedule_time or labels")
    return Update(
        pinned=sent.pinned if "pinned" in changes else KEEP,
        priority=sent.priority if "priority" in changes else KEEP,
        schedule_time=(
            time_from_proto("schedule_time", sent.schedule_time) if "schedule_time" in changes else KEEP
        ),
        labels=labels_from_proto(sent.labels.labels) if "labels" in changes else None,
        expected_version=_expected(sent),
    )


def delete_from_proto(
    sent: job_service_pb2.DeleteJobRequest | job_service_pb2.UndeleteJobRequest, *, deleted: bool
) -> Delete:
    """What DeleteJob or UndeleteJob asks."""
    return Delete(deleted, _expected(sent))


def _expected(sent: SteerRequest) -> int | None:
    return sent.expected_version if sent.HasField("expected_version") else None
