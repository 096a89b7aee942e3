"""What is reported when a handler has ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from tenure.model.document import Content, document
from tenure.model.job import Failure
from tenure.model.lease import Release, Transition
from tenure.worker.running_job import Paused, Reject, RunningJob
from tenure.worker.settings import WorkerSettings

logger = logging.getLogger("tenure")

_CODE_LENGTH = 96
_MESSAGE_LENGTH = 16_000  # characters; 65,536 bytes are allowed
_DETAIL_LENGTH = 1024


async def outcome(
    job: RunningJob,
    work: Awaitable[Content],
    settings: WorkerSettings,
    is_abandoned: Callable[[], bool],
) -> Transition | Release | None:
    """Wait for the handler and return what to say of it; None when the lease is lost."""
    try:
        result = document(await work)
    except asyncio.CancelledError as error:
        if is_abandoned() and not job.lost.is_set() and not job.cancelled.is_set():
            return Release(lease=job.lease)
        return _failed(job, RuntimeError(f"the handler raised {error!r}"), settings)
    except Paused:
        return None if job.lost.is_set() else Transition(lease=job.lease, to=settings.paused)
    except Exception as error:
        return _failed(job, error, settings)
    return None if job.lost.is_set() else Transition(lease=job.lease, to=settings.success, result=result)


def _failed(job: RunningJob, error: Exception, settings: WorkerSettings) -> Transition | None:
    if job.lost.is_set():
        _log_end("stopped working on", job, error)
        return None
    if job.cancelled.is_set():
        # Whatever a handler that was told to stop raises, the job must not be tried again.
        _log_end("cancelled", job, error)
        return Transition(lease=job.lease, to=settings.cancelled)
    logger.warning("job %s, attempt %d, failed with %s", job.id, job.attempt, type(error).__name__)
    return Transition(lease=job.lease, to=settings.failure, error=failure(error))


def failure(error: Exception) -> Failure:
    """Return the failure that an exception stands for."""
    if isinstance(error, Reject):
        details = {key: _clean(value)[:_DETAIL_LENGTH] for key, value in error.details.items()}
        return Failure(_clean(error.code)[:_CODE_LENGTH], _message(error), retryable=False, details=details)
    return Failure(type(error).__name__[:_CODE_LENGTH], _message(error), retryable=True)


def _message(error: Exception) -> str:
    return _clean(str(error))[:_MESSAGE_LENGTH]


def _clean(text: str) -> str:
    """Return text that the API takes: no NUL, no half of a surrogate pair."""
    return text.replace("\0", "").encode(errors="replace").decode()


def _log_end(what: str, job: RunningJob, error: Exception) -> None:
    logger.info("%s job %s, fence %d, with %s", what, job.id, job.fence, type(error).__name__)
