"""How a command talks to a server: where it is, who asks, and in which form to answer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

import tenure
from tenure.errors import Unavailable
from tenure_server.cli.failures import Unreachable

DEFAULT_SERVER = "localhost:50051"

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(slots=True)
class Session:
    """What the common options say; given to a command they go before those given to `tenure` itself."""

    server: str = DEFAULT_SERVER
    token_file: Path | None = None
    ca_file: Path | None = None
    json: bool = False

    def access(self) -> dict[str, Any]:
        """Return the credentials as arguments of Client and Worker."""
        token = None if self.token_file is None else _read(self.token_file, "--token-file").decode().strip()
        certificates = None if self.ca_file is None else _read(self.ca_file, "--ca-file")
        return {"token": token, "root_certificates": certificates}


def server_options(command: Command) -> Command:
    """Add the options of a command that talks to a server."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@contextmanager
def connected(session: Session) -> Iterator["tenure.Client"]:
    """Open a client; raises Unreachable when no server answers."""
    try:
        client = tenure.Client(session.server, **session.access())
    except ValueError as error:
        raise click.UsageError(f"--server: {error}.") from error
    try:
        with client:
            yield client
    except Unavailable as error:
        if error.reason:
            raise
        raise Unreachable(session.server) from error


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> None:
    if value is None or parameter.name is None:
        return
    source = context.get_parameter_source(parameter.name)
    # The environment was read at the root; here it would undo a flag given there.
    if context.parent is None or source is not ParameterSource.ENVIRONMENT:
        setattr(context.ensure_object(Session), parameter.name, value)


def _read(path: Path, flag: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{flag}: {path} cannot be read ({error.strerror}).") from error


_FILE = click.Path(path_type=Path)
_OPTIONS = (
    click.option(
        "--server", metavar="TARGET", envvar="TENURE_SERVER", callback=_remember, expose_value=False,
        help=f"The server: host:port, unix:/path or https://host:port. [{DEFAULT_SERVER}]",
    ),
    click.option(
        "--token-file", metavar="FILE", type=_FILE, envvar="TENURE_TOKEN_FILE", callback=_remember,
        expose_value=False, help="A file that holds the bearer token to send.",
    ),
    click.option(
        "--ca-file", metavar="FILE", type=_FILE, envvar="TENURE_CA_FILE", callback=_remember,
        expose_value=False, help="Authorities to trust for TLS, PEM.",
    ),
    click.option(
        "--json", "json", is_flag=True, default=None, callback=_remember, expose_value=False,
        help="Print JSON: one document, or one per line for streams.",
    ),
)  # fmt: skip
