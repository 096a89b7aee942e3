"""`tenure jobs …`: reading jobs; what changes them is in job_create and job_verbs."""

from datetime import timedelta
from itertools import islice
from typing import Any

import click

import tenure
from tenure_server.cli import job_create, job_verbs
from tenure_server.cli.arguments import LABEL, PHASE, WHEN, labels_of, moment_of
from tenure_server.cli.job_text import JOB_COLUMNS, event_line, job_row, job_text
from tenure_server.cli.output import print_json, print_json_line, print_table
from tenure_server.cli.session import Session, connected, server_options

_PAGE = 500
_LOOK_EVERY = 1.0


@click.group()
def jobs() -> None:
    """Create, look at and steer jobs."""


jobs.add_command(job_create.create)
for verb in job_verbs.VERBS:
    jobs.add_command(verb)


@jobs.command("list")
@click.option("--queue", metavar="NAME", help="Only this queue.")
@click.option("--kind", metavar="NAME", help="Only this kind.")
@click.option("--lifecycle", metavar="NAME", help="Only this lifecycle.")
@click.option("--state", "states", metavar="NAME", multiple=True, help="Only these states.")
@click.option("--phase", "phases", type=PHASE, multiple=True, help="Only these phases.")
@click.option(
    "--label", "labels", type=LABEL, metavar="KEY=VALUE", multiple=True, help="Only with these labels."
)
@click.option("--holder", metavar="NAME", help="Only jobs this worker holds.")
@click.option("--created-from", type=WHEN, help="At or after this time, or not longer ago than this.")
@click.option("--created-before", type=WHEN, help="Before this time, or longer ago than this.")
@click.option("--pinned/--not-pinned", default=None, help="Only pinned jobs, or only others.")
@click.option("--deleted", is_flag=True, help="Deleted jobs instead.")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="At most so many."
)
@click.option("--page-token", default="", metavar="TOKEN", help="Go on after an earlier list.")
@click.option("--full", is_flag=True, help="With payloads, results, errors and checkpoints (JSON only).")
@server_options
@click.pass_obj
def list_jobs(session: Session, /, limit: int, page_token: str, full: bool, **options: Any) -> None:
    """List jobs, newest first."""
    with connected(session) as client:
        wanted = _filter(client, options)
        found, page_token = _collect(client, wanted, limit, page_token, full=full and session.json)
    if session.json:
        print_json({"jobs": found, "next_page_token": page_token})
        return
    print_table(JOB_COLUMNS, [job_row(job) for job in found])
    if page_token:
        click.echo(f"there are more: --limit, or --page-token {page_token}", err=True)


def _filter(client: "tenure.Client", options: dict[str, Any]) -> dict[str, Any]:
    for name in ("created_from", "created_before"):
        when = options[name]
        # "1h" means an hour ago here, where only the past can be meant.
        options[name] = moment_of(client, -when if isinstance(when, timedelta) else when)
    options["labels"] = labels_of(options["labels"])
    options["phases"] = [tenure.Phase(phase.upper()) for phase in options["phases"]]
    options["visibility"] = tenure.Visibility.HIDDEN if options.pop("deleted") else tenure.Visibility.ACTIVE
    return {name: value for name, value in options.items() if value is not None}


def _collect(
    client: "tenure.Client", wanted: dict[str, Any], limit: int, page_token: str, *, full: bool
) -> "tuple[list[tenure.Job], str]":
    found: list[tenure.Job] = []
    while True:
        size = min(_PAGE, limit - len(found))
        page = client.list_jobs_page(full=full, page_size=size, page_token=page_token, **wanted)
        found.extend(page.jobs)
        page_token = page.next_page_token
        if not page_token or len(found) >= limit:
            return found, page_token


@jobs.command()
@click.argument("job_id")
@server_options
@click.pass_obj
def show(session: Session, job_id: str) -> None:
    """Show one job with its documents and its history."""
    with connected(session) as client:
        job = client.get_job(job_id)
        events = list(client.list_job_events(job_id))
    if session.json:
        print_json({"job": job, "events": events})
        return
    for line in job_text(job):
        click.echo(line)
    click.echo("history")
    for event in events:
        click.echo("  " + event_line(event))


@jobs.command()
@click.argument("job_id", required=False)
@click.option("--queue", metavar="NAME", help="Only this queue.")
@click.option("--cursor", metavar="CURSOR", help="Go on right after this point of an earlier watch.")
@server_options
@click.pass_obj
def watch(session: Session, job_id: str | None, queue: str | None, cursor: str | None) -> int:
    """Print what happens to jobs, for ever; with a JOB_ID its whole history, until it ends.

    With --json each line has the cursor to go on from. For one job the exit code is 0 when it succeeded
    and 1 when it ended otherwise.
    """
    if job_id is not None and (queue or cursor):
        raise click.UsageError("a JOB_ID goes with neither --queue nor --cursor.")
    with connected(session) as client:
        if job_id is not None:
            return _watch_job(session, client, job_id)
        for watched in client.watch_jobs(cursor, queue=queue):
            _print_event(session, watched.event, watched.cursor)
    return 0


def _watch_job(session: Session, client: "tenure.Client", job_id: str) -> int:
    """Print the history as it grows; read again and again, nothing of it can be missed."""
    printed = 0
    while True:
        job = _wait_a_little(client, job_id) if printed else client.get_job(job_id, full=False)
        events = client.list_job_events(job_id)
        for event in islice(events, printed, None):
            _print_event(session, event, None)
            printed += 1
        if job is not None and job.ended:
            return 0 if job.phase is tenure.Phase.SUCCEEDED else 1


def _wait_a_little(client: "tenure.Client", job_id: str) -> "tenure.Job | None":
    try:
        return client.wait_job(job_id, _LOOK_EVERY)
    except TimeoutError:
        return None


def _print_event(session: Session, event: "tenure.JobEvent", cursor: str | None) -> None:
    if not session.json:
        click.echo(event_line(event))
    elif cursor is None:
        print_json_line({"event": event})
    else:
        print_json_line({"event": event, "cursor": cursor})
