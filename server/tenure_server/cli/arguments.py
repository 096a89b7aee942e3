"""The kinds of values that several commands take."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import click

import tenure
from tenure_server.settings.rules import read_duration

_PHASES = ("WAITING", "ACTIVE", "PARKED", "STOPPING", "SUCCEEDED", "FAILED", "CANCELLED")


class Length(click.ParamType[timedelta]):
    """A length of time."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        try:
            return read_duration(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


class When(click.ParamType["datetime | timedelta"]):
    """A moment: a time with its zone, or a length of time from now on, by the server's clock."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime | timedelta:
        if isinstance(value, datetime | timedelta):
            return value
        text = str(value)
        if re.fullmatch(r"[0-9]+[a-z]*", text):
            return LENGTH.convert(text, param, ctx)
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self.fail(
                f"{text!r} is not a time; write 2030-01-31T12:00:00Z, or 5m for in 5 minutes.", param, ctx
            )
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


class Label(click.ParamType[tuple[str, str]]):
    """KEY=VALUE."""

    name = "label"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        key, separator, content = str(value).partition("=")
        if not key or not separator:
            self.fail(f"{value!r} is not a label; write KEY=VALUE.", param, ctx)
        return key, content


LENGTH = Length()
WHEN = When()
LABEL = Label()
PHASE = click.Choice(_PHASES, case_sensitive=False)


def labels_of(pairs: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return labels as a mapping; raises UsageError for a key given twice."""
    labels = dict(pairs)
    if len(labels) < len(pairs):
        raise click.UsageError("--label: a key is given twice.")
    return labels


def moment_of(client: "tenure.Client", when: "datetime | timedelta | None") -> datetime | None:
    """Return the moment meant: a length of time counts from the database's clock, not this machine's."""
    if isinstance(when, timedelta):
        return client.server_info().database_time + when
    return when
