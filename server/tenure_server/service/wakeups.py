"""Who sleeps until something happens, and how they are woken: here at once, elsewhere by NOTIFY."""

import asyncio
import random
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from tenure_server.domain.errors import TooManyWaiters

Topic = tuple[str, str, str]


def queue_topic(scope: str, queue: str) -> Topic:
    """Something in this queue may be had."""
    return ("queue", scope, queue)


def history_topic(scope: str) -> Topic:
    """Something happened to a job of this scope."""
    return ("history", scope, "")


def job_topic(scope: str, job_id: object) -> Topic:
    """Something happened to this job."""
    return ("job", scope, str(job_id))


class Waiter:
    """One call that sleeps; it is woken for one of its topics at a time.

    `by_poll` says that nobody told it of anything: what it finds, others may not know of either.
    """

    __slots__ = ("_event", "by_poll", "topics")

    def __init__(self, topics: Sequence[Topic]) -> None:
        self.topics = topics
        self.by_poll = False
        self._event = asyncio.Event()

    def wake(self, *, by_poll: bool = False) -> None:
        """End its sleep."""
        self.by_poll = by_poll
        self._event.set()

    async def sleep(self, seconds: float) -> bool:
        """Sleep until woken or for that long; True when woken."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True


class Wakeups:
    """The sleeping calls of this process, by topic, longest asleep first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._count = 0
        self._waiting: dict[Topic, OrderedDict[Waiter, None]] = {}
        self.draining = False

    def __len__(self) -> int:
        return self._count

    @contextmanager
    def waiter(self, topics: Sequence[Topic]) -> Iterator[Waiter]:
        """Register a waiter; look at the table only afterwards, or what came between is lost."""
        if self._count >= self._limit:
            raise TooManyWaiters("of this server", self._limit)
        waiter = Waiter(topics)
        self._count += 1
        for topic in topics:
            self._waiting.setdefault(topic, OrderedDict())[waiter] = None
        try:
            yield waiter
        finally:
            self._count -= 1
            self._forget(waiter)

    def _forget(self, waiter: Waiter) -> None:
        for topic in waiter.topics:
            sleepers = self._waiting.get(topic)
            if sleepers is None:
                continue
            sleepers.pop(waiter, None)
            if not sleepers:
                del self._waiting[topic]

    def wake(self, topic: Topic, count: int | None = None, *, by_poll: bool = False) -> None:
        """Wake as many as there is something for, or all."""
        sleepers = self._waiting.get(topic)
        if not sleepers:
            return
        for _ in range(len(sleepers) if count is None else min(count, len(sleepers))):
            waiter, _nothing = sleepers.popitem(last=False)
            sleepers[waiter] = None
            waiter.wake(by_poll=by_poll)

    def wake_jobs(self, scope: str, job_ids: Iterable[object]) -> None:
        """Wake those who wait for one of these jobs."""
        if self._count:
            for job_id in job_ids:
                self.wake(job_topic(scope, job_id))

    def heard(self, topic: Topic) -> None:
        """Another server tells of a topic; of a scope's history it does not say which jobs."""
        self.wake(topic)
        if topic[0] == "history":
            for waiting in list(self._waiting):
                if waiting[:2] == ("job", topic[1]):
                    self.wake(waiting)

    def wake_one_of_each(self) -> None:
        """One look at every topic somebody sleeps on: the poll that makes up for lost notifications."""
        for topic in list(self._waiting):
            self.wake(topic, 1 if topic[0] == "queue" else None, by_poll=True)

    def found(self, waiter: Waiter) -> None:
        """A waiter got something. If only a poll led to it there may be more: let the next one look."""
        if waiter.by_poll:
            for topic in waiter.topics:
                self.wake(topic, 1, by_poll=True)

    def wake_all(self) -> None:
        """End every sleep: the connection that listens is new, or the server is shutting down."""
        for topic in list(self._waiting):
            self.wake(topic)

    def drain(self) -> None:
        """End every sleep for good."""
        self.draining = True
        self.wake_all()

    async def poll(self, interval: float) -> None:
        """Let one sleeper of each topic look again about once per interval, for ever."""
        while True:
            await asyncio.sleep(interval * random.uniform(0.5, 1.5))
            self.wake_one_of_each()
