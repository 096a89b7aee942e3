"""One job done by one process: what it is given, how it is stopped, and what its end means."""

import asyncio
import contextlib
import json
import logging
import os
import signal
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import tenure

logger = logging.getLogger("tenure")

Done = TypeVar("Done")

MAX_RESULT_BYTES = 1024 * 1024
NOT_TO_BE_RETRIED = 100

_READ_BYTES = 64 * 1024
_KILLED_SECONDS = 5.0


class CommandFailed(Exception):
    """The attempt failed; another one may succeed."""


class CommandJobs:
    """Runs a command for each job, in a session of its own so that signals reach all its children."""

    def __init__(self, command: Sequence[str], kill_after: float) -> None:
        self._command = command
        self._kill_after = kill_after
        self._running: set[asyncio.subprocess.Process] = set()

    async def run(self, job: "tenure.RunningJob") -> "tenure.Document | None":
        """Run the command for a job; raises CommandFailed or Reject when it does not succeed.

        When the task is cancelled the command is stopped first.
        """
        process, cancelled = await _undisturbed(self._start(job))
        self._running.add(process)
        try:
            if cancelled:
                raise asyncio.CancelledError
            result, code = await self._finish(process, job.payload)
        except BaseException:
            await _undisturbed(self._stop(process))
            raise
        finally:
            self._running.discard(process)
        logger.info("job %s: the command ended with %s", job.id, _ending(code))
        return _outcome(code, result)

    def kill_all(self) -> int:
        """Kill the commands that still run when the worker has ended; returns how many there were."""
        for process in self._running:
            _signal(process, signal.SIGKILL)
        return len(self._running)

    async def _start(self, job: "tenure.RunningJob") -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env={**os.environ, **facts(job)},
                start_new_session=True,
            )
        except OSError as error:
            raise CommandFailed(f"the command cannot be run: {error.strerror}") from error

    async def _finish(self, process: asyncio.subprocess.Process, payload: bytes) -> tuple[bytes, int]:
        feeding = asyncio.create_task(_feed(process, payload))
        try:
            result = await _read_bounded(process)
            return result, await process.wait()
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)

    async def _stop(self, process: asyncio.subprocess.Process) -> None:
        _signal(process, signal.SIGTERM)
        try:
            await asyncio.wait_for(_all_gone(process), self._kill_after)
        except TimeoutError:
            logger.warning("process %d or a child of it outlived SIGTERM and is killed", process.pid)
            _signal(process, signal.SIGKILL)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _KILLED_SECONDS)


def facts(job: "tenure.RunningJob") -> Mapping[str, str]:
    """Return what the command finds in its environment."""
    return {
        "TENURE_JOB_ID": job.id,
        "TENURE_JOB_QUEUE": job.queue,
        "TENURE_JOB_KIND": job.kind,
        "TENURE_JOB_ATTEMPT": str(job.attempt),
        "TENURE_JOB_FENCE": str(job.fence),
        "TENURE_JOB_LABELS": json.dumps(dict(job.labels), sort_keys=True),
        "TENURE_JOB_CONTENT_TYPE": job.content_type,
    }


async def _undisturbed(work: Coroutine[Any, Any, Done]) -> tuple[Done, bool]:
    """Do the work to its end, and say whether this task was cancelled meanwhile.

    Every word about a lost or cancelled lease cancels the task once more, not only the first.
    """
    task, cancelled = asyncio.create_task(work), False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
        except Exception:  # raised again by the result
            break
    return task.result(), cancelled


async def _feed(process: asyncio.subprocess.Process, payload: bytes) -> None:
    assert process.stdin is not None
    # A command need not read its input.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(payload)
        await process.stdin.drain()
    process.stdin.close()


async def _read_bounded(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    result = bytearray()
    while chunk := await process.stdout.read(_READ_BYTES):
        result += chunk
        if len(result) > MAX_RESULT_BYTES:
            raise tenure.Reject("the command printed more than 1 MiB", code="result_too_large")
    return bytes(result)


async def _all_gone(process: asyncio.subprocess.Process) -> None:
    """Wait for the process and for all children that share its output."""
    assert process.stdout is not None
    while await process.stdout.read(_READ_BYTES):
        pass
    await process.wait()


def _outcome(code: int, result: bytes) -> "tenure.Document | None":
    if code == NOT_TO_BE_RETRIED:
        raise tenure.Reject(f"the command ended with {_ending(code)}", code="command_rejected")
    if code != 0:
        raise CommandFailed(f"the command ended with {_ending(code)}")
    return tenure.Document(result, _content_type(result)) if result else None


def _content_type(result: bytes) -> str:
    try:
        text = result.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    try:
        json.loads(text)
    except ValueError:
        return "text/plain; charset=utf-8"
    return "application/json"


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
