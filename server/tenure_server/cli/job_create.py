"""`tenure jobs create`."""

import json
import mimetypes
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

import tenure
from tenure_server.cli.arguments import LABEL, LENGTH, WHEN, labels_of, moment_of
from tenure_server.cli.job_text import job_text
from tenure_server.cli.output import print_json
from tenure_server.cli.session import Session, connected, server_options

# One byte more than is allowed, so that the server refuses what is too large in its own words.
_READ_AT_MOST = 1024 * 1024 + 1


@click.command()
@click.option("--queue", default="default", show_default=True, metavar="NAME", help="Where workers look.")
@click.option("--kind", default="", metavar="NAME", help="What sort of work it is.")
@click.option("--payload", metavar="TEXT", help="What the worker gets.")
@click.option(
    "--payload-file", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE",
    help="A file with the payload, - for standard input; at most 1 MiB.",
)  # fmt: skip
@click.option("--content-type", metavar="TYPE", help="The payload's media type. [guessed]")
@click.option("--label", "labels", type=LABEL, multiple=True, metavar="KEY=VALUE", help="May be repeated.")
@click.option("--priority", type=int, default=0, show_default=True, help="Smaller is more urgent.")
@click.option("--schedule", type=WHEN, help="Not before this time, or this long from now.")
@click.option("--expire", type=WHEN, help="Ends unfinished at this time, or this long from now.")
@click.option("--max-attempts", type=click.IntRange(1), help="How often to try. [1]")
@click.option("--retry-delay", type=LENGTH, help="How long to rest after the first failure. [1s]")
@click.option(
    "--lifecycle", default="standard", show_default=True, metavar="NAME", help="The job's lifecycle."
)
@click.option("--idempotency-key", default="", metavar="KEY", help="At most one job is created for a key.")
@click.option("--wait", type=LENGTH, metavar="DURATION", help="Wait so long for the job to end.")
@server_options
@click.pass_obj
def create(session: Session, /, wait: timedelta | None, **options: Any) -> int:
    """Create a job and print it.

    With --wait the exit code is 0 only when the job succeeded in time.
    """
    content, content_type = _payload(options.pop("payload"), options.pop("payload_file"))
    content_type = options.pop("content_type") or content_type
    labels = labels_of(options.pop("labels"))
    schedule, expire = options.pop("schedule"), options.pop("expire")
    retry = _retry(options.pop("max_attempts"), options.pop("retry_delay"))
    with connected(session) as client:
        created = client.create_job(
            payload=content, content_type=content_type, labels=labels, retry=retry,
            schedule_time=moment_of(client, schedule), expire_time=moment_of(client, expire), **options,
        )  # fmt: skip
        job = created.job if wait is None else _ended(client, created.job, wait)
    _print(session, job, created.created)
    return 0 if wait is None or job.phase is tenure.Phase.SUCCEEDED else 1


def _payload(text: str | None, path: Path | None) -> tuple[bytes, str | None]:
    if text is not None and path is not None:
        raise click.UsageError("give either --payload or --payload-file.")
    if text is not None:
        return text.encode(errors="surrogateescape"), _text_type(text)
    if path is None:
        return b"", None
    try:
        with click.open_file(str(path), "rb") as file:
            content: bytes = file.read(_READ_AT_MOST)
    except OSError as error:
        raise click.UsageError(f"--payload-file: {path} cannot be read ({error.strerror}).") from error
    return content, mimetypes.guess_type(path.name)[0] or "application/octet-stream"


def _text_type(text: str) -> str:
    try:
        json.loads(text)
    except ValueError:
        return "text/plain; charset=utf-8"
    return "application/json"


def _retry(max_attempts: int | None, delay: timedelta | None) -> "tenure.RetryPolicy | None":
    if max_attempts is None and delay is None:
        return None
    return tenure.RetryPolicy(max_attempts=max_attempts or 0, initial_delay=delay)


def _ended(client: "tenure.Client", job: "tenure.Job", wait: timedelta) -> "tenure.Job":
    try:
        client.wait_job(job.id, wait.total_seconds())
    except TimeoutError as error:
        click.echo(f"error: {error}", err=True)
    return client.get_job(job.id)


def _print(session: Session, job: "tenure.Job", created: bool) -> None:
    if session.json:
        print_json({"job": job, "created": created})
        return
    click.echo("created" if created else "there was one already for this key")
    for line in job_text(job):
        click.echo(line)
