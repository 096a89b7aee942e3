import json
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure import Document, Phase, Progress
from tenure.errors import LeaseLost
from tenure_server.cli.job_text import event_line, job_text
from tenure_server.cli.json_form import json_form
from tenure_server.cli.output import print_json, print_table
from tenure_server.cli.text import printable, show_seconds, show_time
from tests.cli.jobs import JOB_ID, event, job


@given(st.text())
def test_printable_text_holds_nothing_that_steers_a_terminal(text: str) -> None:
    assert printable(text).isprintable()


@pytest.mark.parametrize(
    "text,shown",
    [
        ("plain ünïcode 漢字", "plain ünïcode 漢字"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202eright to left", "\\u202eright to left"),
        ("\x9bC1", "\\x9bC1"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_cannot_be_seen_is_written_as_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_times_are_shown_in_utc() -> None:
    assert (
        show_time(datetime(2026, 1, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))) == "2025-12-31 23:00:00Z"
    )
    assert show_time(None) == ""


@pytest.mark.parametrize("length,shown", [(0.25, "250ms"), (4.25, "4.2s"), (3723, "1:02:03")])
def test_lengths_of_time_are_shown_for_people(length: float, shown: str) -> None:
    assert show_seconds(length) == shown


def test_a_job_in_json_has_all_its_fields_by_their_names() -> None:
    form = json_form(job(version=2**62, progress=Progress("reading", 1, 2)))

    assert set(form) == set(type(job()).__dataclass_fields__)
    assert form["version"] == 2**62
    assert form["phase"] == "WAITING"
    assert form["create_time"] == "2026-10-04T12:00:00.250000Z"
    assert form["progress"] == {"label": "reading", "done": 1, "total": 2, "message": ""}
    assert form["lease"] is None


def test_a_document_in_json_is_text_or_base64() -> None:
    assert json_form(Document(b'{"a":1}', "application/json")) == {
        "content_type": "application/json",
        "size": 7,
        "text": '{"a":1}',
        "base64": None,
    }
    assert json_form(Document(b"\xff\0", "x/y")) == {
        "content_type": "x/y",
        "size": 2,
        "text": None,
        "base64": "/wA=",
    }


def test_an_error_in_json_has_reason_message_and_metadata() -> None:
    assert json_form(LeaseLost("gone", metadata={"job_id": "1"})) == {
        "reason": "LEASE_LOST",
        "message": "gone",
        "metadata": {"job_id": "1"},
    }


def test_json_output_is_ascii_only(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"reason": "\x9b\u202e\x1b"})

    out = capsys.readouterr().out
    assert out.isascii()
    assert "\x1b" not in out
    assert json.loads(out) == {"reason": "\x9b\u202e\x1b"}


def test_a_table_without_a_terminal_is_plain_and_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("id", "name"), [("1", "first"), ("22", "[bold]\x1bsecond")])

    assert capsys.readouterr().out == "id  name\n1   first\n22  [bold]\\x1bsecond\n"


def test_a_table_on_a_terminal_takes_no_orders_from_its_cells(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)

    print_table(("name",), [("[red]x[/red]\x1b[31m",)])

    assert "[red]x[/red]\\x1b[31m" in capsys.readouterr().out


def test_hostile_words_in_a_job_are_shown_escaped() -> None:
    evil = "\x1b]52;c;evil\x07"
    lines = list(job_text(job(queue=evil, labels={"a": evil}, payload=Document(evil.encode(), evil))))

    assert all(line.isprintable() for line in lines)
    assert any("\\x1b]52" in line for line in lines)


def test_a_long_payload_is_shown_in_part() -> None:
    lines = list(job_text(job(payload=Document(b"x" * 5000, "text/plain"))))

    assert lines[-1] == "  … 2,952 more bytes; --json shows all"


def test_an_event_is_one_line() -> None:
    line = event_line(event(from_state="pending", to_state="running", holder="w\x1b", attempt=2, fence=7))

    assert line == (
        f"2026-10-04 12:00:00Z {JOB_ID} created: pending → running by w\\x1b (attempt 2, fence 7)"
    )


def test_the_state_is_shown_with_its_phase() -> None:
    assert "state       failed (FAILED)" in list(job_text(job(state="failed", phase=Phase.FAILED)))
