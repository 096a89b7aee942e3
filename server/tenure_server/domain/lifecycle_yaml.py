"""YAML text to a tree of nodes that know their lines: one document, bounded, without aliases or tags."""

from typing import Any

import yaml

from tenure_server.domain.errors import LifecycleInvalid

MAX_DOCUMENT_BYTES = 64 * 1024
MAX_DEPTH = 12


def compose(text: str, origin: str = "") -> yaml.MappingNode:
    """The root of the one document in `text`; LifecycleInvalid with the line if it is anything else."""
    if len(text.encode(errors="surrogatepass")) > MAX_DOCUMENT_BYTES:
        raise _invalid(1, f"the text is larger than {MAX_DOCUMENT_BYTES} bytes", origin)
    root = _root(text, origin)
    if root is None:
        raise _invalid(1, "the document is empty", origin)
    if not isinstance(root, yaml.MappingNode):
        line = root.start_mark.line + 1
        raise _invalid(line, "write keys and values, such as name: my-lifecycle", origin)
    return root


def _root(text: str, origin: str) -> yaml.Node | None:
    try:
        return _Loader(text, origin).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _invalid(mark.line + 1 if mark else 1, f"this is not YAML: {_problem(error)}", origin) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _invalid(line, "the text has a character that YAML does not allow", origin) from None
    except (ValueError, OverflowError):
        # PyYAML lets `"\UFFFFFFFF"` and absurd numbers in directives through to Python.
        raise _invalid(1, "the text has an escape or a number that is out of range", origin) from None


def _problem(error: yaml.MarkedYAMLError) -> str:
    return " ".join(part for part in (error.context, error.problem) if part)


def _invalid(line: int, rule: str, origin: str) -> LifecycleInvalid:
    return LifecycleInvalid("document", line, rule, origin)


class _Loader(yaml.SafeLoader):
    """Refuses what a lifecycle has no use for before a node of it is built."""

    def __init__(self, text: str, origin: str) -> None:
        super().__init__(text)
        self.name = origin
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        self._refuse_unwanted(event)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def _refuse_unwanted(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise _invalid(line, "anchors and aliases are not allowed; write the text out", self.name)
        if event.tag is not None:
            raise _invalid(line, "a tag (!) is not allowed; leave it out", self.name)
        if self._depth >= MAX_DEPTH:
            raise _invalid(line, f"the text is nested deeper than {MAX_DEPTH} levels", self.name)
