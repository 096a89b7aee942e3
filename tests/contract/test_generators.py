"""The generators of the manual, where their sources cannot show it."""

from pathlib import Path

import pytest

from buf.validate import validate_pb2
from tests.contract.pages import ROOT
from tools.proto_rules import rules_in_words
from tools.proto_source import read_protos
from tools.seeds_page import GROUPS, PAGE, BadMarker, collect, generate

MARKED = """
import pytest

@pytest.mark.seed("N-001", "B-107")
def test_two_rows() -> None: ...

@pytest.mark.parametrize("value", [pytest.param(1, marks=pytest.mark.seed_n("N-002"))])
async def test_one_case() -> None: ...

@pytest.mark.seed("M-105")
class TestAll:
    @pytest.mark.seed("N-001")
    def test_within(self) -> None: ...

@pytest.mark.xfail(reason="not yet")
@pytest.mark.seed("N-003")
def test_not_yet() -> None: ...
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_some.py").write_text(MARKED)
    return tmp_path


def test_rows_are_collected_with_their_tests(tree: Path) -> None:
    file = "tests/test_some.py"

    assert collect(tree) == {
        "N-001": [f"{file}::test_two_rows", f"{file}::TestAll::test_within"],
        "B-107": [f"{file}::test_two_rows"],
        "N-002": [f"{file}::test_one_case"],
        "M-105": [f"{file}::TestAll"],
    }


def test_the_page_counts_rows_with_a_test_and_lists_the_open_ones(tree: Path) -> None:
    page = generate(tree)[PAGE].decode()

    assert "| 79 | 2 | 77 |" in page
    assert "    N-003 N-004 " in page


def test_a_row_that_there_is_not_is_refused(tree: Path) -> None:
    (tree / "tests" / "test_other.py").write_text(MARKED.replace("N-001", "N-080"))

    with pytest.raises(BadMarker, match="N-080"):
        collect(tree)


def test_there_are_291_rows() -> None:
    assert len({row for group in GROUPS for row in group.rows()}) == 291


def test_every_rule_of_the_protos_has_words() -> None:
    words = [
        rules_in_words(field.rules)
        for message in read_protos(ROOT).messages.values()
        for field in message.fields
    ]

    assert [text for text in words if "matches" in text] == []
    assert "a UUID" in words


def test_a_rule_without_words_is_not_passed_over() -> None:
    rules = validate_pb2.FieldRules()
    rules.string.email = True

    with pytest.raises(KeyError):
        rules_in_words(rules)


def test_every_call_has_a_sentence_and_every_field_a_comment() -> None:
    source = read_protos(ROOT)
    calls = [method.name for service in source.services for method in service.methods if not method.comment]
    fields = [
        f"{message.name}.{field.name}"
        for message in source.messages.values()
        for field in message.fields
        if not field.comment
    ]

    assert (calls, fields) == ([], [])
