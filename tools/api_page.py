"""docs/api.md, made from the protos and their comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from tools.generated import mark
from tools.markdown import cell, table
from tools.proto_rules import rules_in_words
from tools.proto_source import Enum, Field, Message, Method, Service, Source, read_protos

PAGE = PurePosixPath("docs/api.md")
SOURCE = "proto/tenure/v1"

_INTRODUCTION = """\
# API reference

Package `tenure.v1`, in [proto/tenure/v1](../proto/tenure/v1). Every call takes one request and answers
with one response; a call marked *stream* answers with many. What a rule forbids is refused with
INVALID_FIELD before anything is looked up, and the error names the field. [errors.md](errors.md) explains
each reason. Any call may also end with DATABASE_UNAVAILABLE, and one that changes something with
JOB_BUSY or OUTCOME_UNKNOWN; those are not repeated below.

Lengths of strings count characters unless bytes are named. A field without `optional` that is left out
has its zero value.
"""

_WHOLE = "Beside these services the server answers `grpc.health.v1.Health`, and reflection where it is on."


def generate(root: Path) -> dict[PurePosixPath, bytes]:
    """Return the page."""
    source = read_protos(root)
    blocks = [mark(SOURCE, "<!--", " -->") + "\n" + _INTRODUCTION, _contents(source), _WHOLE + "\n"]
    for service in source.services:
        blocks += _service(service, source)
    named = {name for service in source.services for method in service.methods for name in _pair(method)}
    blocks.append("## Messages\n")
    shared = [message for message in source.messages.values() if message.name not in named]
    blocks += [_message(message, source) for message in sorted(shared, key=lambda one: one.name)]
    blocks.append("## Enums\n")
    enums = [enum for enum in source.enums.values() if enum.name != "ErrorReason"]
    blocks += [_enum(enum) for enum in sorted(enums, key=lambda one: one.name)]
    return {PAGE: "\n".join(blocks).encode()}


def _pair(method: Method) -> tuple[str, str]:
    return method.request, method.response


def _contents(source: Source) -> str:
    lines = [
        f"* [{service.name}](#{service.name.lower()}): "
        + ", ".join(f"[{method.name}](#{method.name.lower()})" for method in service.methods)
        for service in source.services
    ]
    return "\n".join(lines) + "\n"


def _service(service: Service, source: Source) -> Iterator[str]:
    yield f"## {service.name}\n\n{_prose(service.comment)}\n"
    for method in service.methods:
        yield "\n".join(_method(method, source))


def _method(method: Method, source: Source) -> Iterator[str]:
    yield f"### {method.name}\n\n{_prose(method.comment)}\n"
    request, response = source.messages[method.request], source.messages[method.response]
    yield _fields(request, source)
    if method.streams:
        yield "Answered with a *stream*:\n"
    yield _fields(response, source)
    if method.refusals:
        rows = [
            (f"[{refusal.reason}](errors.md#{refusal.reason.lower()})", refusal.code, _sentence(refusal.when))
            for refusal in method.refusals
        ]
        yield table(("error", "code", "when"), rows)


def _fields(message: Message, source: Source) -> str:
    lines = [_named(message.comment, message.name) + "\n"]
    lines += [f"* {rule[:1].upper()}{rule[1:]}." for rule in message.rules]
    if message.rules:
        lines.append("")
    if message.fields:
        rows = [_row(field, source) for field in message.fields]
        lines.append(table(("field", "type", "meaning", "rule"), rows))
    return "\n".join(lines)


def _message(message: Message, source: Source) -> str:
    return f"### {message.name}\n\n" + _fields(message, source)


def _row(field: Field, source: Source) -> Sequence[str]:
    shown = f"`{field.type}`"
    if field.message and not field.message.endswith(("Request", "Response")):
        shown = f"[{shown}](#{field.message.lower()})"
    return f"`{field.name}`", shown, cell(field.comment), cell(rules_in_words(field.rules), code=True)


def _enum(enum: Enum) -> str:
    rows = [(f"`{value.name}`", str(value.number), cell(value.comment)) for value in enum.values]
    return f"### {enum.name}\n\n{_prose(enum.comment)}\n\n" + table(("value", "number", "meaning"), rows)


def _prose(comment: str) -> str:
    """Return the comment's paragraphs, each on one line."""
    return "\n\n".join(_joined(part.splitlines()) for part in re.split(r"\n\s*\n", comment))


def _named(comment: str, name: str) -> str:
    """Return the comment with the name it begins with marked."""
    return _joined(comment.splitlines()).replace(name, f"`{name}`", 1)


def _sentence(text: str) -> str:
    return cell(text[:1].upper() + text[1:])


def _joined(lines: Iterable[str]) -> str:
    return " ".join(line.strip() for line in lines)
