"""`tenure work`: a command does the jobs of a queue."""

import logging
import shutil
import sys
from collections.abc import Sequence
from datetime import timedelta

import click

import tenure
from tenure_server.cli.arguments import LABEL, LENGTH, labels_of
from tenure_server.cli.failures import FAILED
from tenure_server.cli.session import Session, server_options


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--queue", "queues", multiple=True, metavar="NAME", help="May be repeated. [default]")
@click.option("--kind", "kinds", multiple=True, metavar="NAME", help="Only these kinds of jobs. [all]")
@click.option(
    "--label", "labels", type=LABEL, multiple=True, metavar="KEY=VALUE", help="Only with these labels."
)
@click.option(
    "--concurrency", type=click.IntRange(1, 1000), default=1, show_default=True, help="Jobs at once."
)
@click.option(
    "--lease", type=LENGTH, default="30s", show_default=True, help="How long a lease lasts unrenewed."
)
@click.option(
    "--grace", type=LENGTH, default="30s", show_default=True, help="For running jobs after SIGTERM."
)
@click.option(
    "--kill-after", type=LENGTH, default="10s", show_default=True,
    help="SIGKILL for a command that SIGTERM did not end.",
)  # fmt: skip
@click.option("--holder", metavar="NAME", help="The worker's id. [host, process and a random part]")
@click.option("--verbose", "-v", is_flag=True, help="Tell of each job on standard error.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@server_options
@click.pass_obj
def work(
    session: Session,
    queues: Sequence[str],
    kinds: Sequence[str],
    labels: Sequence[tuple[str, str]],
    concurrency: int,
    lease: timedelta,
    grace: timedelta,
    kill_after: timedelta,
    holder: str | None,
    verbose: bool,
    command: Sequence[str],
) -> int:
    """Run a COMMAND for every job of a queue.

    As in: tenure work --queue mail -- ./send-mail --fast

    The payload is on its standard input, what it prints is the result (at most 1 MiB), standard error
    passes through. Its exit code decides: 0 success, 100 a failure that trying again cannot mend, any
    other a failed attempt. The environment has TENURE_JOB_ID, _QUEUE, _KIND, _ATTEMPT, _FENCE, _LABELS
    (JSON) and _CONTENT_TYPE.

    The lease is renewed while it runs. SIGTERM goes to it and its children when the job is cancelled or
    the lease is lost. SIGTERM to this worker lets running commands end within --grace.
    """
    _require_program(command[0])
    _log_to_stderr(verbose)
    from tenure_server.cli.command_job import CommandJobs

    jobs = CommandJobs(tuple(command), kill_after.total_seconds())
    try:
        worker = tenure.Worker(
            session.server, queues=queues or ("default",), concurrency=concurrency, prefetch=0,
            lease_duration=lease, grace=grace, holder=holder, labels=labels_of(labels), **session.access(),
        )  # fmt: skip
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
    for kind in kinds or (None,):
        worker.handler(kind=kind)(jobs.run)
    try:
        worker.run()
    finally:
        left = jobs.kill_all()
    return FAILED if left else 0


def _require_program(program: str) -> None:
    if shutil.which(program) is None:
        raise click.UsageError(f"{program} is no program that can be run.")


def _log_to_stderr(verbose: bool) -> None:
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s", level=logging.WARNING)
    logging.getLogger("tenure").setLevel(logging.INFO if verbose else logging.WARNING)
