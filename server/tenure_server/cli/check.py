"""`tenure check`: the settings in effect, and whether the database answers."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tenure_server.cli.failures import FAILED
from tenure_server.cli.output import print_json, print_table
from tenure_server.cli.server_options import flags_of, settings_options
from tenure_server.cli.session import Session
from tenure_server.settings import SETTINGS, Setting, Settings, SettingsError, given, read_settings

# Variables of ours that are no settings of a server.
_OTHER_VARIABLES = {"TENURE_SERVER", "TENURE_TOKEN_FILE", "TENURE_CA_FILE"}


@click.command()
@settings_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_obj
def check(session: Session, /, as_json: bool, **options: Any) -> int:
    """Print the settings in effect and try the database.

    Secrets are not shown; without a DSN there is no database to try. Exits with 1 when the database
    cannot be used and with 2 when a setting breaks its rule.
    """
    flags = flags_of(options)
    settings = read_settings(flags, os.environ)
    sources = {name: text.source for name, text in given(flags, os.environ).items()}
    database = None if settings.dsn is None else _try_database(settings)
    if as_json or session.json:
        print_json({"settings": _document(settings, sources), "database": database})
    else:
        _print(settings, sources, database)
    return FAILED if database is not None and not database["usable"] else 0


def _try_database(settings: Settings) -> dict[str, object]:
    # Heavy, and not needed without a DSN.
    from tenure_server.domain.errors import TenureError
    from tenure_server.store.database import Database, DatabaseSettings
    from tenure_server.store.migrate import known_version, schema_version

    async def version() -> int:
        return await schema_version(Database(DatabaseSettings(settings.dsn or "", pooled=settings.pooler)))

    known = known_version()
    try:
        found = asyncio.run(version())
    except TenureError as error:
        return {"usable": False, "schema_version": None, "known_version": known, "problem": str(error)}
    problem = "" if found <= known else "the schema was made by a newer Tenure"
    return {"usable": not problem, "schema_version": found, "known_version": known, "problem": problem}


def _document(settings: Settings, sources: Mapping[str, str]) -> dict[str, object]:
    return {
        setting.name: {
            "value": _shown(setting, settings),
            "source": sources.get(setting.name, "default"),
        }
        for setting in SETTINGS
    }


def _shown(setting: Setting, settings: Settings) -> str:
    value = getattr(settings, setting.name)
    if setting.name == "data_dir" and value is None and settings.dsn is None:
        value = _default_data_dir()
    return setting.show(value)


def _default_data_dir() -> Path | None:
    from tenure_server.postgres import PostgresError, default_data_dir

    try:
        return default_data_dir()
    except PostgresError as error:
        raise SettingsError(f"{error}.") from error


def _print(settings: Settings, sources: Mapping[str, str], database: Mapping[str, object] | None) -> None:
    rows = [
        (setting.flag, _shown(setting, settings), sources.get(setting.name, "default"))
        for setting in SETTINGS
    ]
    print_table(("setting", "value", "from"), rows)
    for name in sorted(_unknown_variables()):
        click.echo(f"note: {name} is set and is no setting of a server", err=True)
    if database is not None:
        click.echo(_database_line(database))


def _unknown_variables() -> set[str]:
    known = {setting.variable for setting in SETTINGS} | _OTHER_VARIABLES
    return {name for name in os.environ if name.startswith("TENURE_") and name not in known}


def _database_line(database: Mapping[str, object]) -> str:
    if not database["usable"]:
        return f"database: cannot be used: {database['problem']}"
    found, known = database["schema_version"], database["known_version"]
    state = "up to date" if found == known else "`tenure migrate` or `tenure serve` brings it up to date"
    return f"database: answers; schema version {found} of {known}, {state}"
