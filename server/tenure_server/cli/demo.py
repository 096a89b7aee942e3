"""`tenure demo`: the main job on real files, with accidents."""

import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType

import click

from tenure_server.cli.failures import FAILED
from tenure_server.cli.output import print_json, print_table
from tenure_server.cli.session import Session
from tenure_server.cli.text import printable

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

    Every file of the DIRECTORY, by default Python's standard library, is a job: its checksum and its size after gzip. A worker is killed with -9 while it holds
    leases, and the server as well; in the end all results are compared with a direct computation. Exits
    with 1 when any is missing, doubled or wrong. A second run finds all jobs done.
    """
    from tenure_server.demo.data_place import default_place, start_anew
    from tenure_server.demo.files import default_directories, find_files, queue_of
    from tenure_server.demo.story import Demo, DemoFailed, Plan
    from tenure_server.demo.view import View, usual_view

    as_json = as_json or session.json
    directories = [directory.resolve()] if directory is not None else default_directories()
    files = find_files(directories, limit)
    if not files:
        raise click.UsageError(f"there is no file to work on below {directories[0]}.")
    place = data_dir or default_place()
    if fresh:
        start_anew(place)
    plan = Plan(files, queue_of(directories), place, workers)
    _end_on_sigterm()
    with tempfile.TemporaryDirectory(prefix="tenure-") as scratch:
        try:
            with View() if as_json else usual_view() as view:
                view.tell(f"{len(files):,} files below {', '.join(map(str, directories))}")
                report = Demo(plan, view, Path(scratch)).run()
        except DemoFailed as error:
            click.echo(f"error: {error}", err=True)
            return FAILED
    if as_json:
        print_json(report)
    else:
        print_table(("what", "how many"), list(report.rows()))
    for problem in report.problems():
        click.echo(printable(problem), err=True)
    return 0 if report.perfect else FAILED


def _end_on_sigterm() -> None:
    def end(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, end)
