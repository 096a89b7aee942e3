"""After a commit: wake those who wait here, and tell the other servers."""

from collections.abc import Callable

from tenure_server.service.flush import Flush
from tenure_server.service.notifications import Notifications
from tenure_server.service.wakeups import Topic, Wakeups, history_topic, queue_topic


class Announcer:
    """Knows what a flush means to those who wait."""

    def __init__(self, wakeups: Wakeups, notifications: Notifications, scheduled: Callable[[], None]) -> None:
        self._wakeups = wakeups
        self._notifications = notifications
        self._scheduled = scheduled
        self._bounded: set[tuple[str, str]] = set()

    def committed(self, flush: Flush) -> None:
        """Wake as many as there is something for."""
        topics: set[Topic] = set()
        for scope in flush.scopes:
            saving = scope.saving
            self._bounded.update((saving.scope, name) for name in scope.bounded_queues)
            for name, count in saving.ready_queues.items():
                topics.add(self._wake(queue_topic(saving.scope, name), count))
            for name in saving.queues_left:
                if (saving.scope, name) in self._bounded:
                    topics.add(self._wake(queue_topic(saving.scope, name), 1))
            self._wakeups.wake_jobs(saving.scope, saving.touched)
            if saving.touched:
                topics.add(self._wake(history_topic(saving.scope), None))
            if saving.scheduled:
                self._scheduled()
        self._notifications.tell(topics)

    def _wake(self, topic: Topic, count: int | None) -> Topic:
        self._wakeups.wake(topic, count)
        return topic
