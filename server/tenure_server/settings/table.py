"""Every setting: its name, default, rule and meaning, from which flags, variables and docs are made."""

from dataclasses import dataclass
from datetime import timedelta

from tenure_server.settings.masking import masked_dsn
from tenure_server.settings.rules import (
    ACCOUNT,
    ADDRESSES,
    DSN,
    PATH,
    SWITCH,
    Rule,
    choice,
    duration,
    show_duration,
    whole_number,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One row; `default` is written as an operator would, empty for none, which `unset` explains."""

    name: str
    default: str
    rule: Rule
    meaning: str
    metavar: str = ""
    unset: str = "none"
    secret: bool = False

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "TENURE_" + self.name.upper()

    @property
    def is_switch(self) -> bool:
        return self.rule is SWITCH

    @property
    def is_repeatable(self) -> bool:
        return self.rule is ADDRESSES

    def show(self, value: object) -> str:
        """Return the value as text that may be shown to anyone."""
        if value is None:
            return self.unset
        if self.secret:
            return masked_dsn(str(value))
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, timedelta):
            return show_duration(value)
        return ", ".join(value) if isinstance(value, tuple) else str(value)


_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)
_LOOP = duration(_SECOND / 10, timedelta(minutes=1))

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "dsn", "", DSN, "The PostgreSQL to use, as a URL or as keyword=value pairs.",
        metavar="DSN", unset="the embedded PostgreSQL", secret=True,
    ),
    Setting(
        "dsn_file", "", PATH, "A file that holds the connection string and nothing else.", metavar="FILE"
    ),
    Setting(
        "listen", "127.0.0.1:50051", ADDRESSES,
        "Where to serve: `host:port`, `[address]:port` or `unix:/path`, several if wanted. "
        "Port 0 takes a free one.",
        metavar="ADDRESS",
    ),
    Setting("insecure", "off", SWITCH, "Serve TCP beyond this machine without TLS."),
    Setting("tls_cert", "", PATH, "The certificate chain of the server, PEM.", metavar="FILE"),
    Setting("tls_key", "", PATH, "The private key of the certificate, PEM.", metavar="FILE"),
    Setting(
        "tls_client_ca", "", PATH, "Only serve clients with a certificate from this authority, PEM.",
        metavar="FILE",
    ),
    Setting(
        "reflection", "auto", choice("auto", "on", "off"),
        "Describe the API to tools that ask. `auto` is on where nothing but this machine is served.",
    ),
    Setting(
        "data_dir", "", PATH, "Where the embedded PostgreSQL keeps its data.",
        metavar="DIRECTORY", unset="the user's data directory",
    ),
    Setting(
        "pg_bin_dir", "", PATH, "Where the programs of the embedded PostgreSQL are.",
        metavar="DIRECTORY", unset="found by itself",
    ),
    Setting(
        "pg_run_as", "", ACCOUNT,
        "The account the embedded PostgreSQL steps down to when the server runs as root.",
        metavar="ACCOUNT", unset="postgres, else nobody",
    ),
    Setting("pool_size", "4", whole_number(1, 100), "Database connections for reads and sweeps, at most."),
    Setting(
        "pooler", "off", SWITCH,
        "A transaction pooler sits between server and database: keep no state on connections.",
    ),
    Setting(
        "notify", "on", SWITCH,
        "Wake the waiters of other servers by LISTEN and NOTIFY; without it they poll. "
        "Off behind a pooler.",
    ),
    Setting(
        "max_waiters", "10000", whole_number(1, 1_000_000),
        "Calls that may wait for a job at once; one more is refused with TOO_MANY_WAITERS.",
    ),
    Setting(
        "max_streams", "256", whole_number(1, 100_000),
        "Calls that may run at once on one connection; more are queued by the client.",
    ),
    Setting(
        "sweep_interval", "1s", _LOOP,
        "How often to look for leases that ran out, due schedules and deadlines.",
    ),
    Setting("poll_interval", "1s", _LOOP, "How often waiting calls look for themselves."),
    Setting(
        "retention", "7d", duration(timedelta(minutes=1), 3650 * _DAY, zero=True),
        "How long ended jobs are kept; 0 keeps them for ever. Pinned jobs are kept in any case.",
    ),
    Setting(
        "request_id_retention", "1h", duration(timedelta(minutes=1), 30 * _DAY),
        "How long a repeated call is recognised by its request id.",
    ),
    Setting(
        "grace", "25s", duration(_SECOND, timedelta(hours=1), zero=True),
        "How long calls may take to end after SIGTERM; a second signal ends them at once.",
    ),
    Setting(
        "log_level", "info", choice("debug", "info", "warning", "error"), "The least urgent lines to log."
    ),
    Setting("log_format", "text", choice("text", "json"), "Log lines for people or for machines."),
)  # fmt: skip


def default_of(setting: Setting) -> object:
    """Return the value a setting has when nobody gives one."""
    return setting.rule.read(setting.default) if setting.default else None
