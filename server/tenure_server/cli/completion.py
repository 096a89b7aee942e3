"""`tenure completion SHELL`."""

import click
from click.shell_completion import get_completion_class

_VARIABLE = "_TENURE_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands in a shell.

    For bash: eval "$(tenure completion bash)"
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"{shell} is not known.")
    click.echo(kind(context.find_root().command, {}, "tenure", _VARIABLE).source())
