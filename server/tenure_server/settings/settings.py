"""The settings as the program sees them, and how they come to be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from tenure_server.settings.files import read_dsn, require_file, require_key
from tenure_server.settings.rules import SettingsError
from tenure_server.settings.table import SETTINGS, Setting, default_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The table's rows, each with its value; what they mean stands there."""

    dsn: str | None = field(default=None, repr=False)
    dsn_file: Path | None = None
    listen: tuple[str, ...] = ("127.0.0.1:50051",)
    insecure: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    reflection: str = "auto"
    data_dir: Path | None = None
    pg_bin_dir: Path | None = None
    pg_run_as: str | None = None
    pool_size: int = 4
    pooler: bool = False
    notify: bool = True
    max_waiters: int = 10_000
    max_streams: int = 256
    sweep_interval: timedelta = timedelta(seconds=1)
    poll_interval: timedelta = timedelta(seconds=1)
    retention: timedelta = timedelta(days=7)
    request_id_retention: timedelta = timedelta(hours=1)
    grace: timedelta = timedelta(seconds=25)
    log_level: str = "info"
    log_format: str = "text"

    @property
    def listens_for_notifications(self) -> bool:
        """Whether waiters of other servers are told by LISTEN and NOTIFY."""
        return self.notify and not self.pooler


class Given(NamedTuple):
    """The text of a setting, and the flag or variable it came from."""

    text: str
    source: str


def given(flags: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, Given]:
    """Return what was given, by name: a flag goes before a variable, an empty variable is none."""
    found: dict[str, Given] = {}
    for setting in SETTINGS:
        if setting.name in flags:
            found[setting.name] = Given(flags[setting.name], setting.flag)
        elif environment.get(setting.variable):
            found[setting.name] = Given(environment[setting.variable], setting.variable)
    return found


def read_settings(flags: Mapping[str, str], environment: Mapping[str, str]) -> Settings:
    """Read and check the settings; raises SettingsError for the first one that breaks its rule."""
    texts = given(flags, environment)
    values: dict[str, Any] = {setting.name: _read(setting, texts.get(setting.name)) for setting in SETTINGS}
    sources = {name: text.source for name, text in texts.items()}
    _check_tls(values, sources)
    if values["dsn_file"] is not None:
        values["dsn"] = _dsn_from_file(values, sources)
    return Settings(**values)


def _read(setting: Setting, text: Given | None) -> object:
    if text is None:
        return default_of(setting)
    try:
        return setting.rule.read(text.text)
    except (ValueError, RuntimeError):  # RuntimeError: ~ where there is no home directory
        but = "" if setting.secret else f", not {text.text!r}"
        raise SettingsError(f"{text.source} must be {setting.rule.words}{but}.") from None


def _dsn_from_file(values: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    if values["dsn"] is not None:
        raise SettingsError(f"Give either {sources['dsn']} or {sources['dsn_file']}, not both.")
    return read_dsn(sources["dsn_file"], values["dsn_file"])


def _check_tls(values: Mapping[str, Any], sources: Mapping[str, str]) -> None:
    for name, other in (("tls_cert", "tls_key"), ("tls_key", "tls_cert"), ("tls_client_ca", "tls_cert")):
        if name in sources and other not in sources:
            raise SettingsError(f"{sources[name]} needs --{other.replace('_', '-')} as well.")
    for name in ("tls_cert", "tls_client_ca"):
        if name in sources:
            require_file(sources[name], values[name])
    if "tls_key" in sources:
        require_key(sources["tls_key"], values["tls_key"])
