"""The rules in the proto, checked here as any client can check them before it sends."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import protovalidate
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from tenure_server.domain.errors import InvalidField

if TYPE_CHECKING:
    from protovalidate import Violation

WHOLE_REQUEST = "request"
"""Named as the field where a rule is about several fields at once."""
KEY_LENGTH = 64


class Validator:
    """Checks messages against the rules their fields carry. Rules are compiled when it is made."""

    def __init__(self, services: Iterable[ServiceDescriptor] = ()) -> None:
        self._engine = protovalidate.Validator()
        for service in services:
            for method in service.methods:
                self._engine.collect_violations(GetMessageClass(method.input_type)())

    def require_valid(self, message: Message) -> None:
        """Raise InvalidField for the first rule that is broken."""
        violations = self._engine.collect_violations(message, fail_fast=True)
        if violations:
            raise _invalid(violations[0])


def _invalid(violation: "Violation") -> InvalidField:
    told = violation.proto
    path = "".join(_steps(violation)).removeprefix(".")
    return InvalidField(path or WHOLE_REQUEST, told.message or told.rule_id or "breaks a rule")


def _steps(violation: "Violation") -> Iterable[str]:
    """The parts of the path: `.field`, and `[3]` or `["key"]` within lists and maps."""
    field = violation.proto.field
    for element in field.elements if field is not None else ():
        yield f".{element.field_name}"
        if element.subscript is not None:
            value = element.subscript.value
            yield f'["{value[:KEY_LENGTH]}"]' if isinstance(value, str) else f"[{value}]"
