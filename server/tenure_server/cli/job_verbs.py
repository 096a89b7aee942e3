"""`tenure jobs cancel | retry | pause | resume | update | delete | undelete`."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

import click

import tenure
from tenure.errors import TenureError
from tenure_server.cli.arguments import LABEL, LENGTH, WHEN, labels_of, moment_of
from tenure_server.cli.failures import FAILED
from tenure_server.cli.output import print_json
from tenure_server.cli.session import Session, connected, server_options
from tenure_server.cli.text import printable

Command = TypeVar("Command", bound=Callable[..., Any])
Steer = Callable[["tenure.Client", str], "tenure.Job"]


def _steering(command: Command) -> Command:
    command = click.pass_obj(command)  # type: ignore[assignment]
    command = server_options(command)
    return click.argument("job_ids", metavar="JOB_ID…", nargs=-1, required=True)(command)


@click.command()
@_steering
@click.option("--reason", default="", help="One sentence for people; the first one given is kept.")
def cancel(session: Session, job_ids: Sequence[str], reason: str) -> int:
    """Cancel jobs, at once or through their holders."""
    return _steer(session, job_ids, lambda client, job_id: client.cancel(job_id, reason))


@click.command()
@_steering
@click.option("--delay", type=LENGTH, help="Do not hand them out before this much time has passed.")
def retry(session: Session, job_ids: Sequence[str], delay: timedelta | None) -> int:
    """Open ended jobs again, for one more attempt."""
    return _steer(session, job_ids, lambda client, job_id: client.retry(job_id, delay))


@click.command()
@_steering
def pause(session: Session, job_ids: Sequence[str]) -> int:
    """Set jobs aside, at once or through their holders."""
    return _steer(session, job_ids, lambda client, job_id: client.pause(job_id))


@click.command()
@_steering
def resume(session: Session, job_ids: Sequence[str]) -> int:
    """Put paused jobs back to work."""
    return _steer(session, job_ids, lambda client, job_id: client.resume(job_id))


@click.command()
@_steering
def delete(session: Session, job_ids: Sequence[str]) -> int:
    """Hide ended jobs from lists."""
    return _steer(session, job_ids, lambda client, job_id: client.delete_job(job_id))


@click.command()
@_steering
def undelete(session: Session, job_ids: Sequence[str]) -> int:
    """Bring deleted jobs back into lists."""
    return _steer(session, job_ids, lambda client, job_id: client.undelete_job(job_id))


@click.command()
@_steering
@click.option("--pin/--unpin", "pinned", default=None, help="Keep them for ever, or no longer.")
@click.option("--priority", type=int, help="Smaller is more urgent.")
@click.option("--schedule", type=WHEN, help="Not before this time, or this long from now.")
@click.option(
    "--label", "labels", type=LABEL, multiple=True, metavar="KEY=VALUE", help="Replaces all labels."
)
@click.option("--no-labels", is_flag=True, help="Remove all labels.")
def update(
    session: Session,
    job_ids: Sequence[str],
    pinned: bool | None,
    priority: int | None,
    schedule: "datetime | timedelta | None",
    labels: Sequence[tuple[str, str]],
    no_labels: bool,
) -> int:
    """Change what is given and leave the rest."""
    if labels and no_labels:
        raise click.UsageError("give either --label or --no-labels.")
    wanted = labels_of(labels) if labels or no_labels else None
    if wanted is None and pinned is None and priority is None and schedule is None:
        raise click.UsageError("say what to change.")

    def change(client: "tenure.Client", job_id: str) -> "tenure.Job":
        moment = moment_of(client, schedule)
        return client.update_job(
            job_id, pinned=pinned, priority=priority, schedule_time=moment, labels=wanted
        )

    return _steer(session, job_ids, change)


VERBS = (cancel, retry, pause, resume, update, delete, undelete)


def _steer(session: Session, job_ids: Sequence[str], steer: Steer) -> int:
    """Do the same to each job and tell what became of it; one that is refused does not stop the others."""
    results: list[dict[str, object]] = []
    with connected(session) as client:
        for job_id in job_ids:
            result = _steer_one(client, job_id, steer)
            results.append(result)
            if not session.json:
                _print(result)
    if session.json:
        print_json({"results": results})
    return FAILED if any(result["error"] is not None for result in results) else 0


def _steer_one(client: "tenure.Client", job_id: str, steer: Steer) -> dict[str, object]:
    try:
        return {"job_id": job_id, "job": steer(client, job_id), "error": None}
    except TenureError as error:
        if not error.reason:
            raise
        return {"job_id": job_id, "job": None, "error": error}


def _print(result: dict[str, object]) -> None:
    job, error = result["job"], result["error"]
    if isinstance(error, TenureError):
        click.echo(f"error: {error.reason}: {printable(error.message)}", err=True)
    elif isinstance(job, tenure.Job):
        asked = f", {job.directive.value.lower()} requested" if job.directive else ""
        click.echo(f"{job.id}  {job.state}{asked}")
