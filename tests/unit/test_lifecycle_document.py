"""How a document is read: what is taken, what is refused, and at which line."""

import pytest

from tenure_server.domain.errors import InvalidField, LifecycleInvalid
from tenure_server.domain.lifecycle import Cancel, CancelKind, Failure, Lifecycle, OnEnter
from tenure_server.domain.lifecycle_bounds import Capacity, Create, History, Limits, Transfers
from tenure_server.domain.lifecycle_document import parse
from tests.unit.lifecycle_texts import BASE, changed, line_of, refusal


def parents(*texts: str) -> dict[tuple[str, int], Lifecycle]:
    found: dict[tuple[str, int], Lifecycle] = {}
    for text in texts:
        lifecycle = parse(text, resolve=lambda name, version: found.get((name, version)))
        found[lifecycle.name, lifecycle.version] = lifecycle
    return found


def extended(text: str, *texts: str) -> Lifecycle:
    found = parents(*texts)
    return parse(text, resolve=lambda name, version: found.get((name, version)))


CHILD = "name: child\nversion: 1\nextends: {name: base, version: 1}\n"


def test_what_is_not_said_has_a_plain_default() -> None:
    lifecycle = parse(BASE)

    assert lifecycle.deadline is None
    assert lifecycle.lease is None
    assert lifecycle.phases == ()
    assert lifecycle.capacity == Capacity()
    assert lifecycle.create == Create()
    assert lifecycle.limits == Limits()
    assert lifecycle.transfers == Transfers()
    assert lifecycle.history == History()
    assert lifecycle.document == BASE


def test_an_ended_state_refuses_cancel_unless_it_is_the_cancelled_one() -> None:
    lifecycle = parse(BASE)

    assert lifecycle.state("done").cancel == Cancel(CancelKind.REFUSED, reason="JOB_TERMINAL")
    assert lifecycle.state("dropped").cancel == Cancel(CancelKind.NOOP)


def test_a_key_said_as_null_is_left_out() -> None:
    assert (
        parse(
            changed("retry: {from: [broken], to: waiting}\n", "retry: null\n").replace(
                ", broken: [waiting]", ""
            )
        ).retry
        is None
    )


def test_an_error_may_be_a_message_alone_or_have_details() -> None:
    text = changed(
        "cancel: {immediate: [dropped]}\n  working", "cancel: {immediate: [dropped], error: gone}\n  working"
    )
    assert parse(text).state("waiting").cancel.error == Failure("cancelled", "gone")

    text = changed("error: gone", "error: {code: off, retryable: true, hint: look}", text)
    expected = Failure("off", "the job was cancelled", retryable=True, details=(("hint", "look"),))
    assert parse(text).state("waiting").cancel.error == expected


def test_entering_a_state_may_clear_and_label() -> None:
    text = changed(
        "done: {phase: SUCCEEDED}", 'done: {phase: SUCCEEDED, on_enter: [clear_lease, "label: at the end"]}'
    )

    assert parse(text).state("done").on_enter == OnEnter(clear_lease=True, label="at the end")


def test_a_word_that_yaml_takes_for_true_is_a_state_like_any_other() -> None:
    assert "on" in parse(BASE.replace("resting", "on")).states


def test_a_refusal_is_an_invalid_field_with_its_line() -> None:
    refused = refusal(changed("phase: ACTIVE", "phase: BUSY"))

    assert isinstance(refused, InvalidField)
    assert refused.reason == "INVALID_FIELD"
    assert refused.line == line_of("phase: ACTIVE", BASE)
    assert refused.metadata == {"field": refused.field, "rule": refused.rule, "line": str(refused.line)}
    assert refused.message.startswith("line 12: states.working.phase: 'BUSY' is not one of WAITING, ACTIVE,")


@pytest.mark.parametrize(
    "text,line,rule",
    [
        ("", 1, "the document is empty"),
        ("# nothing\n", 1, "the document is empty"),
        ("\n- a\n", 2, "write keys and values"),
        ("name: a\nversion: [1\n", 3, "this is not YAML"),
        ("name: a\n\tversion: 1\n", 2, "this is not YAML"),
        ("name: a\nversion: 1\n---\nname: b\n", 3, "this is not YAML"),
        ("name: &n a\n", 1, "anchors and aliases are not allowed"),
        ("name: a\nversion: *n\n", 2, "anchors and aliases are not allowed"),
        ("name: a\nversion: !!python/name:os.system 1\n", 2, "is not allowed; leave it out"),
        ("name: a\nname: b\n", 2, "this key stands here twice"),
        ("name: a\n? [b]\n: c\n", 2, "expected one word or text"),
        ("name: a\nversion: \x07\n", 2, "a character that YAML does not allow"),
        ('name: "\\UFFFFFFFF"\n', 1, "out of range"),
        ('name: a\nversion: "1\\0"\n', 1, "is missing"),
        ("<<: {name: a}\n", 1, "unknown key"),
        ("a: " + "[" * 5000, 1, "nested deeper than 12 levels"),
        ("a: " + "{b: " * 5000, 1, "nested deeper than 12 levels"),
        ("#" * (64 * 1024 + 1), 1, "larger than 65536 bytes"),
        ("# é" + "é" * 32 * 1024, 1, "larger than 65536 bytes"),
    ],
)
def test_text_that_is_not_one_plain_mapping_is_refused(text: str, line: int, rule: str) -> None:
    refused = refusal(text)

    assert rule in refused.rule
    assert refused.line == line


def test_control_characters_and_long_texts_are_refused() -> None:
    text = "cancel: {{immediate: [dropped], error: {}}}\n  working"

    assert (
        "control character"
        in refusal(changed(text.format("").replace(", error: ", ""), text.format('"a\\0b"'))).rule
    )
    assert (
        "longer than 1024"
        in refusal(changed(text.format("").replace(", error: ", ""), text.format("a" * 1025))).rule
    )


def test_there_are_at_most_64_states() -> None:
    more = "".join(f"  s{number}: {{phase: ACTIVE, cancel: noop}}\n" for number in range(60))

    assert (
        refusal(changed("  done: {phase", f"{more}  done: {{phase")).rule
        == "there are 66 states of at most 64"
    )


def test_the_names_of_all_states_fit_an_error() -> None:
    more = "".join(f"  {'s' * 50}{number}: {{phase: ACTIVE, cancel: noop}}\n" for number in range(20))

    assert "longer than 1024 characters" in refusal(changed("  done: {phase", f"{more}  done: {{phase")).rule


def test_a_long_value_is_quoted_in_part() -> None:
    assert refusal(changed("phase: ACTIVE", f"phase: {'B' * 1000}")).rule.startswith(f"'{'B' * 63}…' is not")


def test_a_key_is_short() -> None:
    assert refusal(f"{BASE}{'k' * 64}: 1\n").rule == "the text is longer than 63 characters"


def test_an_extending_document_takes_every_key_it_does_not_say() -> None:
    child = extended(f"{CHILD}phases: [one, two]\n", BASE)

    assert (child.name, child.version, child.extends) == ("child", 1, ("base", 1))
    assert child.states == parse(BASE).states
    assert child.phases == ("one", "two")


def test_a_key_that_is_said_replaces_the_whole_key() -> None:
    child = extended(f"{CHILD}retry: null\nattempts: null\nsystem_edges: {{working: [waiting]}}\n", BASE)

    assert child.retry is None
    assert child.attempts is None
    assert child.system_edges["broken"] == ()


def test_extending_goes_over_several_documents() -> None:
    grandchild = CHILD.replace("child", "grandchild").replace("base", "child")

    found = extended(grandchild, BASE, f"{CHILD}phases: [one]\n")

    assert found.phases == ("one",)
    assert found.initial == "waiting"


def test_an_unknown_parent_is_refused() -> None:
    refused = refusal(CHILD)

    assert (refused.line, refused.field) == (3, "extends")
    assert refused.rule == "there is no lifecycle base version 1 to extend; store it first"


def test_a_fault_in_an_inherited_key_names_the_document_it_comes_from() -> None:
    with pytest.raises(LifecycleInvalid) as refused:
        extended(f"{CHILD}terminal: {{done: success, dropped: cancelled}}\n", BASE)

    assert str(refused.value).startswith(
        f"line {line_of('  broken: {phase', BASE)} of base version 1: states.broken: cancel is missing"
    )


def test_extending_has_an_end_even_if_the_resolver_has_none() -> None:
    endless = parents(BASE, CHILD)["child", 1]

    with pytest.raises(LifecycleInvalid, match="at most 8 others in a row"):
        parse(
            "name: a\nversion: 1\nextends: {name: child, version: 1}\n", resolve=lambda name, version: endless
        )
