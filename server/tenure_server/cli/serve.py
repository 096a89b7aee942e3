"""`tenure serve` and `tenure migrate`."""

import signal
import sys
from typing import Any

import click

from tenure_server.cli.output import print_json
from tenure_server.cli.server_options import settings_of, settings_options
from tenure_server.cli.session import Session


@click.command()
@settings_options
def serve(**options: Any) -> int:
    """Serve until SIGTERM or SIGINT.

    Without a DSN a private PostgreSQL is started, and stopped at the end. The first signal lets running
    calls end, a second one does not.
    """
    # Until the server has a handler of its own: process 1 of a container is sent no signal without one,
    # and any other would leave a PostgreSQL behind that was just starting.
    signal.signal(signal.SIGTERM, _stop_starting)
    settings = settings_of(options)
    from tenure_server.application import serve as serve_until_told

    return serve_until_told(settings)


def _stop_starting(*_: object) -> None:
    sys.exit(0)


@click.command()
@click.option("--status", is_flag=True, help="Say which version the schema has and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@settings_options
@click.pass_obj
def migrate(session: Session, /, status: bool, as_json: bool, **options: Any) -> int:
    """Bring the database's schema up to date.

    `serve` does so itself; this is for those who give it an account that may not change the schema.
    """
    settings = settings_of(options)
    from tenure_server.application import migrate as bring_up_to_date

    def tell(version: int, known: int) -> None:
        if as_json or session.json:
            print_json({"schema_version": version, "known_version": known})
        else:
            click.echo(f"schema version {version} (this Tenure knows {known})")

    return bring_up_to_date(settings, status=status, tell=tell)
