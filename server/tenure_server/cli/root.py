"""The command at the root of all others."""

import click

import tenure
from tenure_server.cli.check import check
from tenure_server.cli.completion import completion
from tenure_server.cli.demo import demo
from tenure_server.cli.health import health
from tenure_server.cli.jobs import jobs
from tenure_server.cli.queues import queues
from tenure_server.cli.serve import migrate, serve
from tenure_server.cli.session import Session, server_options
from tenure_server.cli.work import work


@click.group(
    name="tenure", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(tenure.__version__, prog_name="tenure")
@server_options
@click.pass_context
def tenure_command(context: click.Context) -> None:
    """Says who holds which job, and until when."""
    context.ensure_object(Session)


for command in (serve, migrate, check, health, demo, jobs, queues, work, completion):
    tenure_command.add_command(command)
