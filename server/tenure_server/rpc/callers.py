"""Who calls, and until when: the one place that makes a Caller."""

import asyncio
import math
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

import grpc.aio

from tenure_server.rpc.limits import LEAST_TIME, MAX_WAIT, WAIT_SHARE
from tenure_server.service.caller import Caller

Context = grpc.aio.ServicerContext[Any, Any]

SCOPE = "default"

_current: ContextVar[Caller] = ContextVar("caller")


class OutOfTime(Exception):
    """The call's deadline is too near, or has passed."""


def admit(context: Context, without_deadline: float = math.inf) -> Caller:
    """Make known who calls; OutOfTime when hardly any time is left.

    `without_deadline` is how many seconds a call may take whose client set no deadline.
    """
    left: float | None = context.time_remaining()
    if left is None:
        left = without_deadline
    elif left < LEAST_TIME:
        raise OutOfTime
    caller = Caller(SCOPE, asyncio.get_running_loop().time() + left)
    _current.set(caller)
    return caller


def current() -> Caller:
    """The caller of the call that is being answered."""
    return _current.get()


def wait_within(caller: Caller, asked: timedelta | None) -> timedelta:
    """How long this call may wait: what was asked for, or without that as long as any call may."""
    left = caller.deadline - asyncio.get_running_loop().time()
    longest = MAX_WAIT if asked is None else min(asked, MAX_WAIT)
    if left * WAIT_SHARE >= longest.total_seconds():
        return longest
    return timedelta(seconds=max(0.0, left * WAIT_SHARE))
