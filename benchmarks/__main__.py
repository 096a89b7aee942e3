"""`python -m benchmarks`: run the rounds, print the tables, keep both for later."""

import argparse
import json
from pathlib import Path

from benchmarks.place import prepared_place
from benchmarks.report import as_markdown, results_of
from benchmarks.rounds import WORKLOADS, Workload, run_rounds

BEGIN, END = "<!-- results -->\n", "<!-- /results -->"
QUICK = (Workload(1, 1), Workload(8, 1), Workload(2, 100))


def main() -> None:
    """Measure, print, and write `results.json` and `results.md`."""
    options = _options()
    if options.quick:
        options.rounds, options.seconds, options.warm_up = 1, 0.3, 0.1
    workloads = QUICK if options.quick else tuple(options.only or WORKLOADS)
    terms = {"rounds": options.rounds, "seconds each": options.seconds, "warm-up seconds": options.warm_up}
    with prepared_place(options.directory) as place:
        measured = run_rounds(
            place, workloads, rounds=options.rounds, seconds=options.seconds, warm_up=options.warm_up
        )
        results = results_of(measured, place.facts, terms)
    page = as_markdown(results)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    (options.output / "results.md").write_text(page, encoding="utf-8")
    if options.page is not None:
        _put_into(options.page, page)
    print(page)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run of seconds; its numbers mean nothing"
    )
    parser.add_argument("--rounds", type=int, default=5, help="how often each workload is measured")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each measurement lasts")
    parser.add_argument("--warm-up", type=float, default=0.5, help="seconds before each that do not count")
    parser.add_argument(
        "--only",
        type=_workload,
        action="append",
        metavar="CALLERSxBATCH",
        help="just these workloads, as 4x500",
    )
    parser.add_argument(
        "--directory", type=Path, help="where the database lies: a disk, not a memory file system"
    )
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks"), help="where the results go")
    parser.add_argument("--page", type=Path, help="a page whose results are replaced by those of this run")
    return parser.parse_args()


def _workload(text: str) -> Workload:
    callers, _, batch = text.partition("x")
    return Workload(int(callers), int(batch))


def _put_into(path: Path, tables: str) -> None:
    before, _, rest = path.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n{tables}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
