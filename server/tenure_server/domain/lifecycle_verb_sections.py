"""The sections of a document about lease terms, attempts, Retry, Pause, Resume and the deadline, read."""

from typing import Final

from tenure_server.domain.lifecycle_part import Part
from tenure_server.domain.lifecycle_state import Failure
from tenure_server.domain.lifecycle_state_section import read_failure
from tenure_server.domain.lifecycle_verbs import Attempts, Deadline, LeaseTerms, Pause, Resume, Retry

CLEARABLE: Final = (
    "lease",
    "heartbeat_time",
    "result",
    "error",
    "end_time",
    "cancel_reason",
    "progress",
    "checkpoint",
)
KEEPABLE: Final = (*CLEARABLE, "payload", "metadata", "transfers", "receipts")

_NO_WORDS: Final[frozenset[str]] = frozenset()
_DEADLINE_EXCEEDED = Failure("deadline_exceeded", "the job did not end before its deadline")


def read_lease(part: Part) -> LeaseTerms:
    """`{default: 5m, renew_every: 60s}`; renewing has to be more frequent than expiring."""
    section = part.section("default", "renew_every")
    terms = LeaseTerms(
        default=section.need("default").duration(),
        renew_every=section.read("renew_every", Part.duration, None),
    )
    if terms.renew_every is not None and terms.renew_every >= terms.default:
        raise section.need("renew_every").refuse("renew_every must be shorter than default")
    return terms


def read_attempts(part: Part) -> Attempts:
    """`{on_failure: {requeue: …, exhausted: …, backoff: exponential, jitter: true}}`."""
    on_failure = part.section("on_failure").need("on_failure")
    section = on_failure.section("requeue", "exhausted", "backoff", "jitter")
    backoff = section.read("backoff", lambda below: below.one_of("none", "exponential"), "none")
    return Attempts(
        on_failure_to=section.need("requeue").word(),
        exhausted=section.need("exhausted").word(),
        exponential=backoff == "exponential",
        jitter=section.read("jitter", Part.flag, False),
    )


def read_retry(part: Part) -> Retry:
    """`{from: […], to: …, attempt: +1, renews: deadline, clears: […], keeps: […]}`."""
    section = part.section("from", "to", "attempt", "renews", "clears", "keeps")
    section.read("attempt", lambda below: below.one_of("+1"), "+1")
    clears = section.read("clears", lambda below: _parts(below, CLEARABLE), _NO_WORDS)
    keeps = section.read("keeps", lambda below: _parts(below, KEEPABLE), _NO_WORDS)
    for word in sorted(clears & keeps):
        raise section.need("keeps").refuse(f"{word} is also in clears; keep one of the two")
    return Retry(
        sources=section.need("from").word_set(),
        to=section.need("to").word(),
        clears=clears,
        keeps=keeps,
        renews_deadline=section.read("renews", lambda below: below.one_of("deadline"), "") == "deadline",
    )


def read_pause(part: Part) -> Pause:
    """`{edges: [[from, to], …], cooperative: […], keeps_lease: true}`."""
    section = part.section("edges", "cooperative", "keeps_lease")
    return Pause(
        edges=section.read("edges", lambda below: tuple(_edge(item) for item in below.items()), ()),
        cooperative=section.read("cooperative", Part.word_set, frozenset()),
        keeps_lease=section.read("keeps_lease", Part.flag, False),
    )


def read_resume(part: Part) -> Resume:
    """`{edge: [from, to], refuse_while_leased: STILL_DRAINING}`."""
    section = part.section("edge", "refuse_while_leased")
    source, target = _edge(section.need("edge"))
    refused = section.read("refuse_while_leased", lambda below: below.one_of("STILL_DRAINING"), "")
    return Resume(source, target, refuse_while_leased=bool(refused))


def read_deadline(part: Part) -> Deadline:
    """`{after: 24h, to: …, exempt: […], not_while_leased: true, error: …}`."""
    section = part.section("after", "to", "exempt", "not_while_leased", "error")
    return Deadline(
        after=section.read("after", Part.duration, None),
        to=section.need("to").word(),
        exempt=section.read("exempt", Part.word_set, frozenset()),
        not_while_leased=section.read("not_while_leased", Part.flag, False),
        error=section.read("error", lambda below: read_failure(below, _DEADLINE_EXCEEDED), None),
    )


def _parts(part: Part, known: tuple[str, ...]) -> frozenset[str]:
    for item in part.items():
        item.one_of(*known)
    return part.word_set()


def _edge(part: Part) -> tuple[str, str]:
    words = tuple(item.word() for item in part.items())
    if len(words) != 2:
        raise part.refuse("an edge is two states, such as [running, paused]")
    return words[0], words[1]
