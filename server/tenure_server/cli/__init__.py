"""The command `tenure`. What talks to a server loads no part of one."""

from collections.abc import Sequence

from tenure_server.cli.failures import exit_code
from tenure_server.cli.root import tenure_command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 refused or failed, 2 wrong usage or settings."""
    try:
        code = tenure_command.main(args=arguments, prog_name="tenure", standalone_mode=False)
    except Exception as error:
        return exit_code(error)
    return code if isinstance(code, int) else 0
