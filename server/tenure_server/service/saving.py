"""The save step of one scope: everything decided gathers here and is sent together."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from tenure_server.domain.change import Change, Decision, LeaseChange, ReadyChange
from tenure_server.domain.job import Document, JobHead, JobRecord
from tenure_server.service.sequence import Sequence
from tenure_server.store import changes, documents, jobs, keys
from tenure_server.store.changes import Item, Made, Mold
from tenure_server.store.database import Answer, Row, Transaction
from tenure_server.store.jobs import StoredJob
from tenure_server.store.keys import JobKey, RequestOutcome

SET_ASIDE = timedelta(minutes=1)

SHARE_BYTES = 3_500_000
"""How much is read for one reply, which carries little more: the documents of one job always fit."""


class Raced(Exception):
    """Someone else was faster between lock and save: the flush has to be decided again."""


class Saving:
    """What a scope's flush writes, and which rows it reads back afterwards."""

    def __init__(self, scope: str, at: datetime, sequence: Sequence) -> None:
        self.scope = scope
        self.at = at
        self.sequence = sequence
        self.ready_queues: dict[str, int] = defaultdict(int)
        self.touched: set[UUID] = set()
        self.scheduled = False
        self._changes: dict[Change, list[Item]] = defaultdict(list)
        self._latest: Change | None = None
        self._alike: list[Item] = []
        self._queues_left: set[str] = set()
        self._documents: list[tuple[UUID, str, Document]] = []
        self._removed: dict[tuple[str, ...], list[UUID]] = defaultdict(list)
        self._labels: list[tuple[UUID, tuple[tuple[str, str], ...]]] = []
        self._keys: list[JobKey] = []
        self._made: dict[Mold, list[Made]] = defaultdict(list)
        self._outcomes: list[RequestOutcome] = []
        self._set_aside: list[UUID] = []
        self._rows: set[UUID] = set()
        self._full: dict[UUID, int] = {}
        self._shares = 0
        self._expected: list[tuple[Answer[Row], int]] = []
        self._read_back: list[tuple[Answer[StoredJob], int]] = []
        self._rows_answer: Answer[StoredJob] | None = None
        self._content_answer: Answer[Row] | None = None

    @property
    def writes(self) -> bool:
        """Whether there is anything to make durable."""
        return bool(self._changes or self._made or self._outcomes or self._set_aside)

    @property
    def queues_left(self) -> set[str]:
        """Queues in which a lease ended: room for another where they are bounded."""
        return self._queues_left

    def add(self, head: JobHead, decision: Decision) -> None:
        """Save what was decided about an existing job."""
        change = decision.change
        if change is None:
            return
        drawn = self.sequence.draw(self.at) if change.ready is ReadyChange.DRAW else None
        item = Item(head.id, head.version, decision.token, decision.holder, drawn, decision.progress)
        if change is not self._latest:
            # Rules give jobs that fare alike the same object: it is looked up once for many in a row.
            self._latest, self._alike = change, self._changes[change]
        self._alike.append(item)
        self.touched.add(head.id)
        if decision.documents:
            self._documents.extend((head.id, kind, document) for kind, document in decision.documents)
        if change.removed_documents:
            self._removed[change.removed_documents].append(head.id)
        if decision.labels is not None:
            self._labels.append((head.id, decision.labels))
        if drawn is not None:
            self.ready_queues[head.queue] += 1
        if change.lease is LeaseChange.DROP or change.lease is LeaseChange.FORGET:
            self._queues_left.add(head.queue)
        self.scheduled = self.scheduled or isinstance(change.schedule_time, datetime)

    def make(self, mold: Mold, made: Made) -> None:
        """Create a job."""
        self._made[mold].append(made)
        self.touched.add(made.id)
        if made.ready_seq is not None:
            self.ready_queues[mold.queue] += 1
        else:
            self.scheduled = True

    def attach(
        self, job_id: UUID, kind: str | None, document: Document | None, labels: tuple[tuple[str, str], ...]
    ) -> None:
        """Store a new job's document and labels, where it has any."""
        if kind is not None and document is not None:
            self._documents.append((job_id, kind, document))
        if labels:
            self._labels.append((job_id, labels))

    def bind(self, key: JobKey) -> None:
        """Bind an idempotency key."""
        self._keys.append(key)

    def remember(self, outcome: RequestOutcome) -> None:
        """Remember what a request id led to."""
        self._outcomes.append(outcome)

    def set_aside(self, job_id: UUID) -> None:
        """Take a damaged job out of the line for a while, so that it hurts no other."""
        self._set_aside.append(job_id)

    def want(self, job_ids: Iterable[UUID], *, full: bool = False) -> None:
        """Read these rows back, with `full` their documents as well, as much as one reply can carry."""
        ids = list(job_ids)
        self._rows.update(ids)
        if full:
            self._shares += 1
            self._full.update((job_id, self._shares) for job_id in ids)

    async def send(self, tx: Transaction) -> None:
        """Send every statement."""
        await self._send_bindings(tx)
        if self._labels:
            # Before the changes, which may read them back.
            await documents.save_labels(tx, self.scope, self._labels)
        for change, items in self._changes.items():
            await self._send_change(tx, change, items)
        for mold, made in self._made.items():
            await changes.insert_jobs(tx, self.scope, mold, made, self.at)
        if self._set_aside:
            await changes.set_aside(tx, self.scope, self._set_aside, self.at + SET_ASIDE)
        for kinds, ids in self._removed.items():
            await documents.remove_documents(tx, self.scope, ids, kinds)
        if self._documents:
            await documents.save_documents(tx, self.scope, self._documents)
        await self._send_reads(tx)

    async def _send_change(self, tx: Transaction, change: Change, items: list[Item]) -> None:
        if any(item.id in self._rows for item in items):
            read = await changes.save_and_read(tx, self.scope, change, items, self.at)
            self._read_back.append((read, len(items)))
            self._rows.difference_update(item.id for item in items)
        else:
            saved = await changes.save_changes(tx, self.scope, change, items, self.at)
            self._expected.append((saved, len(items)))

    async def _send_bindings(self, tx: Transaction) -> None:
        if self._keys:
            cursor = await keys.insert_keys(tx, self.scope, sorted(self._keys))
            self._expected.append((cursor, len(self._keys)))
        for outcome in sorted(self._outcomes):
            self._expected.append((await keys.insert_outcome(tx, self.scope, outcome, self.at), 1))

    async def _send_reads(self, tx: Transaction) -> None:
        if self._rows:
            self._rows_answer = await jobs.read_jobs(tx, self.scope, list(self._rows))
        if self._full:
            self._content_answer = await documents.read_shares(tx, self.scope, self._full, SHARE_BYTES)

    async def check(self) -> None:
        """Raise Raced unless every row saved was still as it had been locked."""
        for answer, expected in self._expected:
            row = await answer.fetchone()
            if row is None or row[0] != expected:
                raise Raced
        if any(answer.rowcount != expected for answer, expected in self._read_back):
            raise Raced

    async def records(self) -> dict[UUID, JobRecord]:
        """The rows wanted, as they are after the save."""
        contents, incomplete = await self._contents()
        answers = [answer for answer, _ in self._read_back]
        if self._rows_answer is not None:
            answers.append(self._rows_answer)
        return {
            stored.job.id: JobRecord(
                stored.job, stored.labels, contents.get(stored.job.id, {}), stored.job.id not in incomplete
            )
            for answer in answers
            for stored in await answer.fetchall()
        }

    async def _contents(self) -> tuple[dict[UUID, dict[str, Document]], set[UUID]]:
        """Documents by job, and the jobs of which not all had room."""
        contents: dict[UUID, dict[str, Document]] = defaultdict(dict)
        incomplete: set[UUID] = set()
        if self._content_answer is not None:
            for job_id, kind, stored, content_type in await self._content_answer.fetchall():
                if stored is None:
                    incomplete.add(job_id)
                else:
                    contents[job_id][kind] = Document(stored, content_type)
        return contents, incomplete
