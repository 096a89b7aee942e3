"""docs/errors.md, made from the reasons of the API, the table of codes and the errors of the domain."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from google.rpc.code_pb2 import Code

from tenure.errors import BY_REASON, BoundReached, Unavailable
from tenure_server.domain import errors
from tenure_server.domain.errors import TenureError
from tenure_server.rpc.errors import CODES
from tools.generated import mark
from tools.markdown import table
from tools.proto_source import Source, Value, read_protos

PAGE = PurePosixPath("docs/errors.md")
SOURCES = "proto/tenure/v1, rpc/errors.py and domain/errors.py"

_INTRODUCTION = """\
# Errors

Every refusal is a `google.rpc.Status` in the trailer `grpc-status-details-bin`. It carries one
`google.rpc.ErrorInfo` with the domain `tenure` and a reason from the list below, and one more detail:

| code | detail |
|---|---|
| INVALID_ARGUMENT | `BadRequest`: the field, as a path in the request, and the rule it breaks |
| FAILED_PRECONDITION | `PreconditionFailure`: the reason, the job id, one sentence |
| RESOURCE_EXHAUSTED, UNAVAILABLE | `RetryInfo`: when to ask again |

Every value the message tells is in the metadata of `ErrorInfo`, as text. **Reasons and metadata keys
stay; messages may change.** Values are cut at 256 characters, messages at 1,024, and both are printable
ASCII: whatever is not is written as an escape.

In a batch each item carries its own status in the same form. The call as a whole then answers OK.

What is not in the list below has no reason: `DEADLINE_EXCEEDED` (the call may have had its effect; ask
again with the same request id or token) and `INTERNAL` with the text "internal error" (a fault of ours;
the server's log has the trace). A server newer than your client may send reasons your client does not
know: decide by the code then.

## What to do

| code | try again? |
|---|---|
| INVALID_ARGUMENT, ALREADY_EXISTS, NOT_FOUND, OUT_OF_RANGE | No. The same call will be refused again. |
| FAILED_PRECONDITION | No. Something else has to happen first. LEASE_LOST is final: stop the work. |
| ABORTED | Read the job, decide anew, then write with the new version. |
| RESOURCE_EXHAUSTED | Yes, not before `RetryInfo` says so. |
| UNAVAILABLE | Yes, the very same call: same request id, same token and target. |
| UNAUTHENTICATED, PERMISSION_DENIED, DATA_LOSS | No. Someone has to look at it. |

A gRPC client with `service_config.json` sends a call again by itself while the code is UNAVAILABLE, up to
five times in all within the call's deadline.

## Reasons

"""

_NOT_YET = "This version never sends it; the name is kept for later."


def generate(root: Path) -> dict[PurePosixPath, bytes]:
    """Return the page."""
    source = read_protos(root)
    raised = {kind.reason: kind for kind in _kinds(TenureError) if _is_raised(kind, _code(root))}
    values = [value for value in source.enums["ErrorReason"].values if value.number]
    blocks = [mark(SOURCES, "<!--", " -->") + "\n" + _INTRODUCTION + _overview(values, raised)]
    calls = _calls(source)
    blocks += ["\n".join(_reason(value, raised.get(value.name), calls)) for value in values]
    return {PAGE: "\n".join(blocks).encode()}


def _kinds(parent: type[TenureError]) -> Iterator[type[TenureError]]:
    for kind in parent.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield kind
            yield from _kinds(kind)


def _code(root: Path) -> str:
    """Return the server's code apart from the module that declares the errors."""
    paths = sorted((root / "server/tenure_server").rglob("*.py"))
    return "\n".join(path.read_text("utf-8") for path in paths if path.name != "errors.py")


def _is_raised(kind: type[TenureError], code: str) -> bool:
    return "reason" in vars(kind) and re.search(rf"\b{kind.__name__}\b", code) is not None


def _overview(values: Sequence[Value], raised: Mapping[str, type[TenureError]]) -> str:
    rows = [
        (
            f"[{value.name}](#{value.name.lower()})",
            CODES[value.name].name,
            _meaning(value) if value.name in raised else _NOT_YET,
        )
        for value in values
    ]
    return table(("reason", "code", "when"), rows)


def _reason(
    value: Value, kind: type[TenureError] | None, calls: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    yield f"### {value.name}\n\n`{CODES[value.name].name}`. {_meaning(value)}\n"
    if kind is None:
        yield _NOT_YET + "\n"
        return
    error = _example(kind)
    facts = [f"* Message: “{error.message}”"]
    if error.metadata:
        facts.append("* Metadata: " + ", ".join(f"`{key}`" for key in sorted(error.metadata)))
    if isinstance(error, errors.BoundReached | errors.TryAgain):
        facts.append(f"* Try again after {error.retry_after.total_seconds():g} s")
    facts.append(f"* In Python: `tenure.errors.{_client_name(value.name)}`")
    if value.name in calls:
        listed = ", ".join(f"[{name}](api.md#{name.lower()})" for name in calls[value.name])
        facts.append(f"* From: {listed}")
    yield "\n".join(facts) + "\n"


def _meaning(value: Value) -> str:
    """Return the comment without the code it begins with, as a sentence."""
    code, separator, text = " ".join(value.comment.split()).partition(": ")
    if not separator or code not in Code.keys():  # noqa: SIM118  # a wrapper, not a mapping
        raise ValueError(f"the comment of {value.name} has to begin with its code")
    if code != CODES[value.name].name:
        raise ValueError(f"{value.name} is {CODES[value.name].name}, its comment says {code}")
    first = text.partition(" ")[0]
    return f"`{first}`{text[len(first) :]}" if "_" in first else text[:1].upper() + text[1:]


def _example(kind: type[TenureError]) -> TenureError:
    """Return an error of this kind whose message has names in place of values."""
    parameters = inspect.signature(kind).parameters.values()
    build: Any = kind
    return build(*(_placeholder(parameter) for parameter in parameters))  # type: ignore[no-any-return]


def _placeholder(parameter: inspect.Parameter) -> object:
    shown = f"‹{parameter.name}›"
    return (shown,) if parameter.annotation == Sequence[str] else shown


def _calls(source: Source) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for service in source.services:
        for method in service.methods:
            for refusal in method.refusals:
                if CODES[refusal.reason].name != refusal.code:
                    raise ValueError(f"{method.name} says {refusal.code} of {refusal.reason}")
                found.setdefault(refusal.reason, [])
                if method.name not in found[refusal.reason]:
                    found[refusal.reason].append(method.name)
    return found


def _client_name(reason: str) -> str:
    kind = BY_REASON[reason]
    should_pass = CODES[reason].name in ("UNAVAILABLE", "RESOURCE_EXHAUSTED")
    if should_pass is not issubclass(kind, Unavailable | BoundReached):
        raise ValueError(f"the client's {kind.__name__} does not fit the code of {reason}")
    return kind.__name__
