"""TLS: the server's key and certificate, read again when they change on disk."""

import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from tenure_server.rpc.listen import ListenError

log = logging.getLogger(__name__)

Stamp = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files; with `client_ca` only clients that show a certificate signed by it are served."""

    certificate: Path
    key: Path
    client_ca: Path | None = None

    def credentials(self) -> grpc.ServerCredentials:
        """What a secure port needs; raises ListenError when the files cannot be used."""
        reader = _Reader(self)
        first = reader.read()
        return grpc.dynamic_ssl_server_credentials(
            first,
            reader.changed,  # type: ignore[arg-type]  # None is documented: nothing changed
            require_client_authentication=self.client_ca is not None,
        )


class _Reader:
    def __init__(self, tls: Tls) -> None:
        self._tls = tls
        self._stamp: Stamp | None = None

    def read(self) -> grpc.ServerCertificateConfiguration:
        """Read and check the files."""
        tls = self._tls
        self._stamp = self._look()
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls.certificate, tls.key, password=_no_password)
            if tls.client_ca is not None:
                context.load_verify_locations(tls.client_ca)
            pair = tls.key.read_bytes(), tls.certificate.read_bytes()
            roots = tls.client_ca.read_bytes() if tls.client_ca is not None else None
        except ssl.SSLError as error:
            raise ListenError(f"the TLS files cannot be used: {error.reason or 'not PEM files'}.") from None
        except OSError as error:
            raise ListenError(f"the TLS file {error.filename} cannot be read: {error.strerror}.") from None
        return grpc.ssl_server_certificate_configuration([pair], root_certificates=roots)

    def changed(self) -> grpc.ServerCertificateConfiguration | None:
        """The files anew if they changed, None to go on with the old ones; asked before each handshake."""
        if self._look() == self._stamp:
            return None
        try:
            return self.read()
        except ListenError as error:
            log.warning("the changed TLS files are not taken over: %s", error)
            return None

    def _look(self) -> Stamp | None:
        files = [self._tls.certificate, self._tls.key, self._tls.client_ca]
        try:
            found = [file.stat() for file in files if file is not None]
        except OSError:
            return self._stamp
        return tuple((status.st_mtime_ns, status.st_ino, status.st_size) for status in found)


def _no_password() -> str:
    raise ListenError("the TLS key is protected by a password; give one that is not.")
