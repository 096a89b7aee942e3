"""The first page shows what really happens."""

import subprocess
import sys

from tenure.testing.server import serve
from tests.contract.pages import README, ROOT, blocks

EXAMPLE = ROOT / "examples" / "lease.py"


def test_the_readme_shows_the_example_as_it_is() -> None:
    assert blocks(README, "python")[0].text == EXAMPLE.read_text("utf-8")


def test_the_example_prints_what_the_readme_says(dsn: str) -> None:
    told = blocks(README, "text")[0].text

    with serve(dsn) as server:
        command = [sys.executable, str(EXAMPLE), server.target]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert (run.stdout, run.stderr, run.returncode) == (told, "", 0)
