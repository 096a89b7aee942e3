"""Jobs and what happened to them, as lines for people."""

from collections.abc import Iterator

import tenure
from tenure_server.cli.text import printable, show_labels, show_seconds, show_time

JOB_COLUMNS = ("id", "queue", "kind", "state", "attempt", "holder", "progress", "created")

_SHOWN_BYTES = 2048


def job_row(job: "tenure.Job") -> tuple[str, ...]:
    """Return the cells of a job in a list, in the order of JOB_COLUMNS."""
    holder = job.lease.holder if job.lease else ""
    return (
        job.id, job.queue, job.kind, job.state, str(job.attempt), holder,
        _progress(job.progress), show_time(job.create_time),
    )  # fmt: skip


def job_text(job: "tenure.Job") -> Iterator[str]:
    """Yield all that is known about a job; what is not set is left out."""
    for name, value in _facts(job):
        if value:
            yield f"{name:<12}{printable(value)}"
    for name in ("payload", "checkpoint", "result"):
        document = getattr(job, name)
        if document is not None:
            yield f"{name:<12}{printable(document.content_type)}, {len(document.content):,} bytes"
            yield from _content(document.content)
    if job.error is not None:
        yield f"{'error':<12}{printable(job.error.code)}: {printable(job.error.message)}"
        for key, value in sorted(job.error.details.items()):
            yield f"  {printable(key)}: {printable(value)}"


def event_line(event: "tenure.JobEvent") -> str:
    """Return one line about one change."""
    moved = f"{event.from_state} → {event.to_state}" if event.from_state else event.to_state
    holder = f" by {event.holder}" if event.holder else ""
    fence = f" (attempt {event.attempt}, fence {event.fence})" if event.holder else ""
    line = f"{show_time(event.time)} {event.job_id} {event.reason.value.lower()}: {moved}{holder}{fence}"
    return printable(line)


def _facts(job: "tenure.Job") -> Iterator[tuple[str, str]]:
    yield "id", job.id
    yield "queue", job.queue
    yield "kind", job.kind
    yield "lifecycle", f"{job.lifecycle} {job.lifecycle_version}"
    yield "state", f"{job.state} ({job.phase.value})"
    yield "attempt", f"{job.attempt} of {job.retry.max_attempts}" if job.retry else str(job.attempt)
    yield "priority", str(job.priority) if job.priority else ""
    yield "labels", show_labels(job.labels)
    yield "lease", _lease(job)
    yield "directive", f"{job.directive.value} {job.cancel_reason}" if job.directive else ""
    yield "cancelled", "" if job.directive else job.cancel_reason
    yield "progress", _progress(job.progress)
    yield "pinned", "yes" if job.pinned else ""
    for name in ("schedule", "create", "start", "end", "expire"):
        yield f"{name} time", show_time(getattr(job, f"{name}_time"))
    yield "deleted", show_time(job.deleted_time)
    yield "version", str(job.version)


def _lease(job: "tenure.Job") -> str:
    if job.lease is None:
        return ""
    length = show_seconds(job.lease.duration)
    return f"{job.lease.holder}, fence {job.fence}, {length} until {show_time(job.lease.expire_time)}"


def _progress(progress: "tenure.Progress | None") -> str:
    if progress is None:
        return ""
    done = "" if progress.done is None else f"{progress.done:,}"
    total = f" of {progress.total:,}" if progress.total else ""
    return " ".join(filter(None, (progress.label, done + total, progress.message)))


def _content(content: bytes) -> Iterator[str]:
    shown = content[:_SHOWN_BYTES]
    text = shown.decode(errors="backslashreplace")
    for line in text.splitlines():
        yield "  " + printable(line)
    if len(content) > len(shown):
        yield f"  … {len(content) - len(shown):,} more bytes; --json shows all"
