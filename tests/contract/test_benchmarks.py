"""The benchmarks run, so that they can be repeated when somebody needs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_quick_run_measures_every_way_and_writes_its_tables(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "--quick", "--output", str(tmp_path)]

    run = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=90)

    assert run.returncode == 0, run.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert [(row["callers"], row["batch"]) for row in results["workloads"]] == [(1, 1), (8, 1), (2, 100)]
    assert all(row["ratio_to_sql"]["median"] > 0 for row in results["workloads"])
    assert set(results["one_caller"]) == {"create", "acquire", "finish"}
    assert (tmp_path / "results.md").read_text() in run.stdout
