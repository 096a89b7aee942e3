"""`tenure health`: what health checks of containers run."""

import time
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from tenure_server.cli.arguments import LENGTH
from tenure_server.cli.failures import FAILED, Failed, Unreachable
from tenure_server.cli.output import print_json
from tenure_server.cli.session import Session, server_options

if TYPE_CHECKING:
    from tenure.health import Health

_LOOK_AGAIN_SECONDS = 0.2


@click.command()
@click.option("--wait", type=LENGTH, default="0", help="Ask again for at most this long.  [0]")
@server_options
@click.pass_obj
def health(session: Session, wait: timedelta) -> int:
    """Ask the server whether it serves.

    Exits with 0 if it does, and with 1 when it starts, drains, lacks its database or does not answer.
    """
    from tenure.health import Health

    found = _asked(session, time.monotonic() + wait.total_seconds())
    if session.json:
        print_json({"server": session.server, "health": found})
        return 0 if found is Health.SERVING else FAILED
    if found is Health.UNREACHABLE:
        raise Unreachable(session.server)
    if found is Health.NOT_SERVING:
        raise Failed(f"the server at {session.server} is not serving")
    click.echo(found)
    return 0


def _asked(session: Session, until: float) -> "Health":
    from tenure.health import Health, health_of

    access = session.access()
    while True:
        try:
            found = health_of(session.server, **access)
        except ValueError as error:
            raise click.UsageError(f"--server: {error}.") from error
        if found is Health.SERVING or time.monotonic() >= until:
            return found
        time.sleep(_LOOK_AGAIN_SECONDS)
