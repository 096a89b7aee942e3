"""`tenure demo`: the main job on real files, with accidents."""

import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from tenure_server.cli.failures import FAILED, Failed
from tenure_server.cli.output import print_json, print_table
from tenure_server.cli.session import Session
from tenure_server.cli.text import printable
from tenure_server.settings import SettingsError

if TYPE_CHECKING:
    from tenure_server.demo.report import Report
    from tenure_server.demo.story import Plan

_LONGEST_FOLDER = 70
_DIRECTORY = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command()
@click.argument("directory", type=_DIRECTORY, required=False)
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=2500, show_default=True, help="Files at most."
)
@click.option("--workers", type=click.IntRange(2, 32), default=3, show_default=True, help="Worker processes.")
@click.option("--data-dir", type=click.Path(path_type=Path), help="Where the jobs are kept between runs.")
@click.option("--fresh", is_flag=True, help="Forget the jobs of earlier runs first.")
@click.option("--json", "as_json", is_flag=True, help="Print nothing but the report, as JSON.")
@click.pass_obj
def demo(
    session: Session,
    directory: Path | None,
    limit: int,
    workers: int,
    data_dir: Path | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """Do the main job on real files, with accidents.

    Every file of the DIRECTORY, by default Python's standard library, is a job: its checksum and its size
    after gzip. A worker is killed with -9 while it holds leases, and the server as well; in the end all
    results are compared with a direct computation. Exits with 1 when any is missing, doubled or wrong.
    A second run finds all jobs done.
    """
    # Loaded here: other commands need neither the processes nor the files of the demonstration.
    from tenure_server.demo.files import default_directories, find_files, queue_of
    from tenure_server.demo.story import Plan

    quiet = as_json or session.json
    directories = [directory.resolve()] if directory is not None else default_directories()
    files = find_files(directories, limit)
    if not files:
        raise click.UsageError(f"there is no file to work on below {directories[0]}.")
    if not quiet:
        click.echo(f"{len(files):,} files below {', '.join(map(str, directories))}")
    report = _run(Plan(files, queue_of(directories), _place(data_dir, fresh), workers), quiet)
    _tell(report, quiet)
    return 0 if report.perfect else FAILED


def _place(data_dir: Path | None, fresh: bool) -> Path:
    from tenure_server.demo.data_place import default_place, start_anew
    from tenure_server.postgres import PostgresError

    try:
        place = data_dir or default_place()
        if fresh:
            start_anew(place)
    except PostgresError as error:
        raise SettingsError(f"{error}.") from error
    return place


def _run(plan: "Plan", quiet: bool) -> "Report":
    from tenure_server.demo.story import Demo, DemoFailed
    from tenure_server.demo.view import View, usual_view

    _end_on_sigterm()
    view = View() if quiet else usual_view()
    with tempfile.TemporaryDirectory(prefix="tenure-", dir=_short_folder()) as scratch:
        try:
            with view:
                return Demo(plan, view, Path(scratch)).run()
        except DemoFailed as error:
            raise Failed(str(error)) from error


def _tell(report: "Report", quiet: bool) -> None:
    if quiet:
        print_json(report)
    else:
        print_table(("what", "how many"), list(report.rows()))
    for problem in report.problems():
        click.echo(printable(problem), err=True)


def _short_folder() -> str | None:
    """Return where a socket's path stays below the hundred bytes it may have; None for the usual place."""
    return "/tmp" if len(tempfile.gettempdir()) > _LONGEST_FOLDER else None


def _end_on_sigterm() -> None:
    def end(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, end)
