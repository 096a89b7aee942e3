"""The part of a flush that carries out commands on named jobs."""

from collections.abc import Sequence
from uuid import UUID

from tenure_server.domain import errors
from tenure_server.domain.change import REPLAYED
from tenure_server.domain.decide import decide
from tenure_server.domain.job import JobRecord
from tenure_server.service.calls import Call, JobCall, JobOutcome
from tenure_server.service.lifecycles import Catalogue
from tenure_server.service.parts import NamedJobs, RequestIds
from tenure_server.service.saving import Saving
from tenure_server.store.keys import RequestOutcome


class JobPart:
    """Commands for jobs, each judged on its own: an error is that item's outcome."""

    def __init__(
        self, calls: Sequence[JobCall], named: NamedJobs, requests: RequestIds, catalogue: Catalogue
    ) -> None:
        self._calls = calls
        self._named = named
        self._requests = requests
        self._catalogue = catalogue
        self._outcomes: list[tuple[JobCall, JobOutcome | Exception]] = []
        self.put_off: list[Call] = []

    def decide(self, saving: Saving) -> None:
        """Judge every command."""
        for call in self._calls:
            try:
                outcome = self._judge(call, saving)
            except errors.TenureError as refusal:
                self._outcomes.append((call, refusal))
            except LookupError as damage:
                self._outcomes.append((call, damage))
            else:
                if outcome is None:
                    self.put_off.append(call)
                else:
                    self._outcomes.append((call, outcome))

    def _judge(self, call: JobCall, saving: Saving) -> JobOutcome | None:
        head = self._named.head(call.job_id)
        if head is None:
            return None
        seen = self._requests.seen(call.request_id)
        if seen is not None:
            seen.require_call(type(call.command).__name__, call.job_id)
            decision = REPLAYED
        else:
            lifecycle = self._catalogue.require(head.lifecycle, head.lifecycle_version)
            decision = decide(call.command, head, lifecycle, saving.at)
            saving.add(head, decision)
            if call.request_id and decision.change is not None:
                name = type(call.command).__name__
                saving.remember(RequestOutcome(call.request_id, name, [head.id], [head.fence]))
        if call.wants_job:
            saving.want([head.id])
        return JobOutcome(head, decision, saving.at)

    def outcomes(self, records: dict[UUID, JobRecord]) -> list[tuple[Call, object]]:
        """What became of every command that was not put off."""
        answers: list[tuple[Call, object]] = []
        for call, outcome in self._outcomes:
            if isinstance(outcome, JobOutcome) and call.wants_job:
                answers.append((call, outcome._replace(record=records.get(call.job_id))))
            else:
                answers.append((call, outcome))
        return answers
