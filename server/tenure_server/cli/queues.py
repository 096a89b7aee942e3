"""`tenure queues …`."""

import click

import tenure
from tenure_server.cli.output import print_json, print_table
from tenure_server.cli.session import Session, connected, server_options
from tenure_server.cli.text import show_time

_COLUMNS = ("name", "state", "ready", "leased", "max active", "changed")
_COUNTED = 100_000


@click.group()
def queues() -> None:
    """Look at queues, pause them and bound them."""


@queues.command("list")
@server_options
@click.pass_obj
def list_queues(session: Session) -> None:
    """List the queues that have settings or jobs, by name."""
    with connected(session) as client:
        found = list(client.list_queues())
    if session.json:
        print_json({"queues": found})
    else:
        print_table(_COLUMNS, [_row(queue) for queue in found])


@queues.command()
@click.argument("name")
@server_options
@click.pass_obj
def show(session: Session, name: str) -> None:
    """Show one queue."""
    with connected(session) as client:
        _print(session, client.get_queue(name))


@queues.command()
@click.argument("name")
@server_options
@click.pass_obj
def pause(session: Session, name: str) -> None:
    """Hand out no more jobs of a queue; from the answer on this holds everywhere."""
    with connected(session) as client:
        _print(session, client.update_queue(name, paused=True))


@queues.command()
@click.argument("name")
@server_options
@click.pass_obj
def resume(session: Session, name: str) -> None:
    """Hand out jobs of a queue again."""
    with connected(session) as client:
        _print(session, client.update_queue(name, paused=False))


@queues.command()
@click.argument("name")
@click.argument("max_active", metavar="COUNT|none")
@server_options
@click.pass_obj
def limit(session: Session, name: str, max_active: str) -> None:
    """Bound how many jobs of a queue are leased at once; none takes the bound away."""
    if max_active != "none" and not (max_active.isascii() and max_active.isdigit() and int(max_active)):
        raise click.UsageError("COUNT must be a whole number above 0, or none.")
    bound = 0 if max_active == "none" else int(max_active)
    with connected(session) as client:
        _print(session, client.update_queue(name, max_active=bound))


def _print(session: Session, queue: "tenure.Queue") -> None:
    if session.json:
        print_json({"queue": queue})
    else:
        print_table(_COLUMNS, [_row(queue)])


def _row(queue: "tenure.Queue") -> tuple[str, ...]:
    state = "paused" if queue.paused else "open"
    bound = "" if queue.max_active is None else f"{queue.max_active:,}"
    counts = (_count(queue.ready), _count(queue.leased))
    return (queue.name, state, *counts, bound, show_time(queue.update_time))


def _count(number: int) -> str:
    return f"{number:,}" + ("+" if number >= _COUNTED else "")
