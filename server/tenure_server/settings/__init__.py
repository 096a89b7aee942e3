"""What an operator may choose: read once from flags and environment, checked, then never changed."""

from tenure_server.settings.rules import SettingsError, show_duration
from tenure_server.settings.settings import Settings, given, read_settings
from tenure_server.settings.table import SETTINGS, Setting

__all__ = [
    "SETTINGS",
    "Setting",
    "Settings",
    "SettingsError",
    "given",
    "read_settings",
    "show_duration",
]
