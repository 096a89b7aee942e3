"""What a command says on stderr when it fails, and its exit code."""

import click

from tenure.errors import TenureError
from tenure_server.cli.text import printable
from tenure_server.settings import SettingsError

FAILED = 1
MISUSED = 2
INTERRUPTED = 130


class Failed(click.ClickException):
    """The command could not do what it was asked; the text may have several lines."""

    exit_code = FAILED

    def show(self, file: object = None) -> None:
        click.echo("error: " + "\n".join(map(printable, self.message.splitlines())), err=True)


class Unreachable(Failed):
    """No server answers."""

    def __init__(self, server: str) -> None:
        super().__init__(
            f"no server answers at {server}: start one with `tenure serve`, or name another with --server"
        )


def exit_code(error: Exception) -> int:
    """Tell people about the error in one line and return the exit code; raises what nobody foresaw."""
    if isinstance(error, click.Abort):
        return INTERRUPTED
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, SettingsError):
        _say(str(error))
        return MISUSED
    if isinstance(error, TenureError):
        _say(f"{error.reason or error.code}: {error.message}")
        return FAILED
    raise error


def _say(sentence: str) -> None:
    click.echo(f"error: {printable(sentence)}", err=True)
