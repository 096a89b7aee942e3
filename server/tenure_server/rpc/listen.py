"""Where a server listens: addresses as they are written, and whether they may be used."""

import asyncio
import errno
import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Self

FORMS = "give host:port, [v6]:port or unix:/path"
_TCP = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.%a-z]+)\]|(?P<host>[A-Za-z0-9._-]+)):(?P<port>[0-9]{1,5})")
_UNIX = "unix:"
_ELSEWHERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


class ListenError(Exception):
    """The server cannot listen where it was told to; the text is one sentence for whoever started it."""


@dataclass(frozen=True, slots=True)
class Listen:
    """A host and port, port 0 meaning any free one; or the path of a Unix socket."""

    host: str = ""
    port: int = 0
    path: Path | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `host:port`, `[v6]:port` or `unix:/path`; raises ListenError."""
        if text.startswith(_UNIX):
            path = text.removeprefix(_UNIX)
            path = path[2:] if path.startswith("///") else path
            if not path.startswith("/") or path.startswith("//") or "\0" in path:
                raise ListenError(f"{text!r} is no address to listen on: a socket's path begins with /.")
            return cls(path=Path(path))
        found = _TCP.fullmatch(text)
        if found is None or int(found["port"]) > 65535:
            raise ListenError(f"{text!r} is no address to listen on: {FORMS}.")
        return cls(found["v6"] or found["host"], int(found["port"]))

    def __str__(self) -> str:
        if self.path is not None:
            return f"{_UNIX}{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it: a Unix socket or a loopback address."""
        if self.path is not None or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def require_safe(self, *, tls: bool, insecure_ok: bool) -> None:
        """Raise ListenError where strangers could listen in and nobody said that this is fine."""
        if not (self.is_local or tls or insecure_ok):
            raise ListenError(
                f"{self} can be reached from other machines: give a TLS key and certificate, "
                "or --insecure if plain text is meant."
            )


async def require_free(listen: Listen) -> None:
    """Raise ListenError unless this host and port can be bound.

    gRPC tells neither why it could not bind, nor that it bound only some of a name's addresses.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            listen.host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise cannot_listen(listen, error) from None
    refusals = [refusal for family, _, _, _, address in found if (refusal := _refusal(family, address))]
    for refusal in refusals:
        if refusal.errno not in _ELSEWHERE or len(refusals) == len(found):
            raise cannot_listen(listen, refusal) from None


def cannot_listen(listen: Listen, error: OSError) -> ListenError:
    """The sentence for what the operating system says."""
    reason = error.strerror or (os.strerror(error.errno) if error.errno else str(error))
    return ListenError(f"cannot listen on {listen}: {reason[:1].lower()}{reason[1:]}.")


def _refusal(family: int, address: object) -> OSError | None:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            probe.bind(address)  # type: ignore[arg-type]  # as getaddrinfo gave it
    except OSError as error:
        return error
    return None
