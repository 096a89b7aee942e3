"""The flags of commands that run a server or look at its settings, made from the table of settings."""

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from tenure_server.settings import SETTINGS, Setting, Settings, read_settings
from tenure_server.settings.rules import joined

Command = TypeVar("Command", bound=Callable[..., Any])


def settings_options(command: Command) -> Command:
    """Add a flag for every setting; the command gets them all as keywords, for `flags_of`."""
    for setting in reversed(SETTINGS):
        command = _option(setting)(command)
    return command


def flags_of(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of each flag that was given."""
    return {name: _text(value) for name, value in options.items() if value not in (None, ())}


def settings_of(options: Mapping[str, Any]) -> Settings:
    """Read the settings from the flags and the environment; raises SettingsError."""
    return read_settings(flags_of(options), os.environ)


def _option(setting: Setting) -> Callable[[Command], Command]:
    flag = f"{setting.flag}/--no-{setting.flag[2:]}" if setting.is_switch else setting.flag
    known = setting.default or setting.unset
    return click.option(
        flag,
        setting.name,
        metavar=None if setting.is_switch else setting.metavar or "VALUE",
        default=None,
        multiple=setting.is_repeatable,
        # Not click's own environment: the settings read it, and a bad value is told in their words.
        help=f"{setting.meaning.replace('`', '')} [{known}; {setting.variable}]",
    )


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return joined(value) if isinstance(value, tuple) else str(value)
