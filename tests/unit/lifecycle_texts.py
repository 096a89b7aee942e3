"""A small lifecycle to break in one place at a time."""

import pytest

from tenure_server.domain.errors import LifecycleInvalid
from tenure_server.domain.lifecycle_document import parse

BASE = """\
name: base
version: 1
initial: waiting
terminal: {done: success, broken: failure, dropped: cancelled}
states:
  waiting:
    phase: WAITING
    leasable: true
    acquire_to: working
    cancel: {immediate: [dropped]}
  working:
    phase: ACTIVE
    lease: required
    cancel: {cooperative: flag}
    on_lease_expiry: {requeue: waiting, counts_attempt: true, exhausted: broken}
  resting: {phase: PARKED, cancel: {immediate: [dropped]}}
  done: {phase: SUCCEEDED}
  broken: {phase: FAILED}
  dropped: {phase: CANCELLED}
edges:
  waiting: [working, dropped]
  working: [done, broken, dropped, resting]
  resting: [waiting, dropped]
system_edges: {working: [waiting], broken: [waiting]}
attempts: {on_failure: {requeue: waiting, exhausted: broken}}
pause: {cooperative: [working]}
resume: {edge: [resting, waiting]}
retry: {from: [broken], to: waiting}
"""


def changed(old: str, new: str, text: str = BASE) -> str:
    """The text with its one occurrence of `old` replaced."""
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the text"
    return text.replace(old, new)


def line_of(part: str, text: str) -> int:
    """The line, counted from 1, on which `part` first stands."""
    return text[: text.index(part)].count("\n") + 1


def refusal(text: str) -> LifecycleInvalid:
    """The error with which the text is refused."""
    with pytest.raises(LifecycleInvalid) as refused:
        parse(text)
    return refused.value
