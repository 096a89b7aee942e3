"""The items of a batch: each is judged on its own, and answered in its place."""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from google.protobuf.message import Message
from google.rpc.status_pb2 import Status

from tenure_server.domain.errors import TenureError
from tenure_server.rpc.errors import item_error
from tenure_server.rpc.validation import Validator

Item = TypeVar("Item", bound=Message)
Wanted = TypeVar("Wanted")
Outcome = TypeVar("Outcome")
Result = TypeVar("Result")


class Batch(Generic[Item, Wanted]):
    """`wanted` is what the valid items ask; the others have their error already."""

    def __init__(
        self, items: Iterable[Item], validator: Validator, convert: Callable[[Item], Wanted]
    ) -> None:
        self.wanted: list[Wanted] = []
        self._refused: list[TenureError | None] = []
        for item in items:
            try:
                validator.require_valid(item)
                self.wanted.append(convert(item))
            except TenureError as error:
                self._refused.append(error)
            else:
                self._refused.append(None)

    def answer(
        self,
        outcomes: Sequence[Outcome | Exception],
        result: Callable[[Outcome], Result],
        refused: Callable[[Status], Result],
    ) -> list[Result]:
        """A result for every item, in their order; `outcomes` are those of `wanted`."""
        left = iter(outcomes)
        answers: list[Outcome | Exception] = [
            next(left) if error is None else error for error in self._refused
        ]
        return [
            refused(item_error(answer)) if isinstance(answer, Exception) else result(answer)
            for answer in answers
        ]


def only(outcomes: Sequence[Outcome | Exception]) -> Outcome:
    """The outcome of the one item of a call; raised if it is an error."""
    (outcome,) = outcomes
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
