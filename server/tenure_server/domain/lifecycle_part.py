"""A place in a lifecycle document: read as one kind of value, or refused with its line and path."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar

import yaml

from tenure_server.domain.errors import LifecycleInvalid

T = TypeVar("T")
Word = TypeVar("Word", bound=StrEnum)

MAX_TEXT = 1024
MAX_KEY = 63
MAX_INT32 = 2**31 - 1
MAX_INT64 = 2**63 - 1
MAX_DURATION = timedelta(days=3650)

_WORD = re.compile(r"[a-z][a-z0-9_]{0,62}")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_INTEGER = re.compile(r"0|[1-9][0-9]{0,18}")
_DURATION = re.compile(r"([1-9][0-9]{0,11})(ms|s|m|h|d)")
_UNSTORABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_NOT_A_WORD = "not a word; use a-z, 0-9 and _, a letter first, at most 63 characters"
_NOT_A_NAME = "not a name; use a-z, 0-9, _ and -, a letter first, at most 63 characters"
_UNITS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One value of the document and the keys that lead to it, joined by dots."""

    node: yaml.Node
    path: str

    def refuse(self, rule: str) -> LifecycleInvalid:
        """The error that says what is wrong here."""
        mark = self.node.start_mark
        return LifecycleInvalid(self.path or "document", mark.line + 1, rule, mark.name)

    @property
    def is_scalar(self) -> bool:
        """Whether this is one word, number or text."""
        return isinstance(self.node, yaml.ScalarNode)

    @property
    def is_mapping(self) -> bool:
        """Whether this has keys."""
        return isinstance(self.node, yaml.MappingNode)

    @property
    def is_null(self) -> bool:
        """Whether the value is left out or written as null."""
        return self.node.tag == "tag:yaml.org,2002:null"

    def entries(self) -> dict[str, "Part"]:
        """Keys and values in order; a key that stands twice is refused."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.refuse("expected keys and values")
        found: dict[str, Part] = {}
        for key_node, value in self.node.value:
            key = Part(key_node, self.path).text(MAX_KEY)
            if key in found:
                raise Part(key_node, self._below(key)).refuse("this key stands here twice; keep one")
            found[key] = Part(value, self._below(key))
        return found

    def word_entries(self) -> "dict[str, Part]":
        """The entries, whose keys must be words."""
        entries = self.entries()
        for key, below in entries.items():
            if not _WORD.fullmatch(key):
                raise below.refuse(f"{_quoted(key)} is {_NOT_A_WORD}")
        return entries

    def section(self, *known: str) -> "Section":
        """The entries, which must all be among `known`."""
        entries = self.entries()
        for key, part in entries.items():
            if key not in known:
                raise part.refuse(f"unknown key; known here: {', '.join(known)}")
        return Section(self, entries)

    def items(self) -> "tuple[Part, ...]":
        """The members of a list."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.refuse("expected a list, such as [a, b]")
        return tuple(Part(node, self.path) for node in self.node.value)

    def text(self, most: int = MAX_TEXT) -> str:
        """One line of text, at most `most` characters."""
        if not isinstance(self.node, yaml.ScalarNode):
            raise self.refuse("expected one word or text")
        value = str(self.node.value)
        if len(value) > most:
            raise self.refuse(f"the text is longer than {most} characters")
        if _UNSTORABLE.search(value):
            raise self.refuse("the text has a line break or a control character; write one plain line")
        return value

    def word(self) -> str:
        """A state or another word of the document."""
        value = self.text()
        if not _WORD.fullmatch(value):
            raise self.refuse(f"{_quoted(value)} is {_NOT_A_WORD}")
        return value

    def name(self) -> str:
        """The name of a lifecycle or an error code."""
        value = self.text()
        if not _NAME.fullmatch(value):
            raise self.refuse(f"{_quoted(value)} is {_NOT_A_NAME}")
        return value

    def words(self) -> tuple[str, ...]:
        """A list of words, each once."""
        found = tuple(item.word() for item in self.items())
        for index, word in enumerate(found):
            if word in found[:index]:
                raise self.refuse(f"{word} stands in the list twice")
        return found

    def word_set(self) -> frozenset[str]:
        """A list of words, each once, whose order means nothing."""
        return frozenset(self.words())

    def one_of(self, *choices: str) -> str:
        """One of the given texts."""
        value = self.text()
        if value not in choices:
            raise self.refuse(f"{_quoted(value)} is not one of {', '.join(choices)}")
        return value

    def choice(self, words: type[Word]) -> Word:
        """A member of a fixed set of words."""
        return words(self.one_of(*words))

    def flag(self) -> bool:
        """`true` or `false`."""
        return self.one_of("true", "false") == "true"

    def integer(self, low: int = 0, high: int = MAX_INT64) -> int:
        """A whole number from `low` to `high`, both included."""
        value = self.text()
        number = int(value) if _INTEGER.fullmatch(value) else None
        if number is None or not low <= number <= high:
            raise self.refuse(f"{_quoted(value)} is not a whole number from {low} to {high}")
        return number

    def count(self) -> int:
        """A whole number that fits 32 bits."""
        return self.integer(high=MAX_INT32)

    def duration(self) -> timedelta:
        """A length of time such as 500ms, 60s, 5m, 24h or 7d, at most ten years."""
        match = _DURATION.fullmatch(self.text())
        if not match:
            raise self.refuse(f"{_quoted(self.text())} is not a duration; write 500ms, 60s, 5m, 24h or 7d")
        try:
            length = int(match[1]) * _UNITS[match[2]]
        except OverflowError:
            length = timedelta.max
        if length > MAX_DURATION:
            raise self.refuse(f"{match[0]} is longer than {MAX_DURATION.days}d")
        return length

    def nearest(self, path: str) -> "Part":
        """The innermost place along `path` that the document has."""
        here = self
        for key in path.split("."):
            below = here.entries().get(key) if here.is_mapping else None
            if below is None:
                return here
            here = below
        return here

    def _below(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


@dataclass(frozen=True, slots=True)
class Section:
    """The known keys of one place in the document."""

    part: Part
    entries: dict[str, Part]

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def need(self, key: str) -> Part:
        """The value of a key that must be there."""
        found = self.entries.get(key)
        if found is None:
            raise self.part.refuse(f"{key} is missing; add it")
        return found

    def read(self, key: str, reader: Callable[[Part], T], default: T) -> T:
        """The value of a key as `reader` understands it, `default` if it is not there."""
        found = self.entries.get(key)
        return default if found is None else reader(found)

    def only_one(self, *keys: str) -> str | None:
        """Which of these keys is there, None for none; two of them are refused."""
        found = [key for key in keys if key in self.entries]
        if len(found) > 1:
            raise self.part.refuse(f"{' and '.join(found)} exclude each other; keep one")
        return found[0] if found else None


def _quoted(value: str) -> str:
    # An error has to fit the 8 KiB of metadata that gRPC carries.
    return repr(value if len(value) <= MAX_KEY else f"{value[:MAX_KEY]}…")
