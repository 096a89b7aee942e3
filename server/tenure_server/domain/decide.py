"""The one way from a command and a locked job to what is saved."""

from datetime import datetime
from typing import assert_never

from tenure_server.domain import command, lease_rules, move_rules, steer_rules, time_rules
from tenure_server.domain.change import Decision
from tenure_server.domain.job import JobHead
from tenure_server.domain.lifecycle import Lifecycle


def decide(asked: command.Command, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Judge one command against one locked job; raises the TenureError that refuses it."""
    match asked:
        case command.Move():
            return move_rules.move(asked, head, lifecycle, at)
        case command.Renew():
            return lease_rules.renew(asked, head, lifecycle, at)
        case command.Report():
            return lease_rules.report(asked, head, lifecycle, at)
        case command.SaveCheckpoint():
            return lease_rules.save_checkpoint(asked, head, lifecycle, at)
        case command.Release():
            return lease_rules.release(asked, head, lifecycle, at)
        case command.Reap():
            return lease_rules.reap(head, lifecycle, at)
        case command.Promote():
            return time_rules.promote(head, lifecycle, at)
        case command.ExpireJob():
            return time_rules.expire(head, lifecycle, at)
        case command.Cancel():
            return steer_rules.cancel(asked, head, lifecycle, at)
        case command.Pause():
            return steer_rules.pause(asked, head, lifecycle)
        case command.Resume():
            return steer_rules.resume(asked, head, lifecycle, at)
        case command.Retry():
            return steer_rules.retry(asked, head, lifecycle, at)
        case command.Update():
            return steer_rules.update(asked, head, lifecycle, at)
        case command.Delete():
            return steer_rules.delete(asked, head, lifecycle)
        case _:
            assert_never(asked)
