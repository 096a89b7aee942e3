"""What is seen while the demonstration runs: a live bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections import deque
from types import TracebackType
from typing import NamedTuple, Self

import click

_WINDOW_SECONDS = 2.0
_LINE_EVERY = 1.0


class Standing(NamedTuple):
    """How far the run is: of `total` jobs so many wait and so many are being worked on."""

    total: int
    waiting: int
    active: int

    @property
    def done(self) -> int:
        return max(0, self.total - self.waiting - self.active)

    @property
    def share(self) -> float:
        return self.done / self.total if self.total else 1.0


class Pace:
    """Jobs per second over the last two seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def after(self, done: int) -> float:
        now = time.monotonic()
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > _WINDOW_SECONDS:
            self._seen.popleft()
        begun, before = self._seen[0]
        return max(0, done - before) / (now - begun) if now > begun else 0.0


class View:
    """Shows nothing: for those who only want the report."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def tell(self, sentence: str) -> None:
        """Say what just happened."""

    def show(self, standing: Standing) -> None:
        """Show how far the run is."""


class PlainView(View):
    """A line for what happens, and one about every second for how far it is."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._next_line = 0.0
        self._pace = Pace()

    def tell(self, sentence: str) -> None:
        click.echo(f"{time.monotonic() - self._begun:6.1f}s  {sentence}")

    def show(self, standing: Standing) -> None:
        pace = self._pace.after(standing.done)
        if time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _LINE_EVERY
            self.tell(f"{standing_text(standing)}, {pace:,.0f} jobs/s")


class LiveView(View):
    """A bar with the jobs by phase and their pace, below what has happened."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._pace = Pace()
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.percentage:3.0f} %"),
            BarColumn(bar_width=30),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
        )
        self._task = self._progress.add_task("starting", total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.update(self._task, visible=False)
        self._progress.stop()

    def tell(self, sentence: str) -> None:
        from rich.text import Text

        self._progress.console.print(Text("• " + sentence))

    def show(self, standing: Standing) -> None:
        pace = self._pace.after(standing.done)
        text = (
            f"[yellow]{standing.waiting:,} waiting[/] [cyan]{standing.active:,} active[/] "
            f"[green]{standing.done:,} done[/] {pace:,.0f} jobs/s"
        )
        self._progress.update(self._task, total=standing.total, completed=standing.done, description=text)


def standing_text(standing: Standing) -> str:
    return f"{standing.waiting:,} waiting, {standing.active:,} active, {standing.done:,} done"


def usual_view() -> View:
    return LiveView() if sys.stdout.isatty() else PlainView()
