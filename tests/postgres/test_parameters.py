import pytest

from tenure_server.postgres.parameters import as_arguments, server_parameters
from tenure_server.postgres.programs import clean_environment, last_lines


@pytest.mark.parametrize("major, known", [(15, False), (17, False), (18, True), (19, True)])
def test_a_setting_is_given_only_to_majors_that_know_it(major: int, known: bool) -> None:
    parameters = server_parameters(major, shared_buffers_mb=128, max_connections=100, durable=True)

    assert ("io_method" in parameters) is known


def test_durable_means_that_nothing_about_crash_safety_is_touched() -> None:
    parameters = server_parameters(18, shared_buffers_mb=128, max_connections=100, durable=True)

    assert not {"fsync", "synchronous_commit", "full_page_writes"} & set(parameters)


def test_not_durable_turns_all_of_crash_safety_off() -> None:
    parameters = server_parameters(18, shared_buffers_mb=128, max_connections=100, durable=False)

    assert [parameters[name] for name in ("fsync", "synchronous_commit", "full_page_writes")] == ["off"] * 3


def test_settings_become_arguments() -> None:
    assert as_arguments({"port": "5432", "jit": "off"}) == ["-c", "port=5432", "-c", "jit=off"]


def test_only_a_few_variables_pass_to_postgresql() -> None:
    given = {
        "PATH": "/bin",
        "PGPORT": "1",
        "LC_ALL": "tr_TR",
        "LANG": "de_DE",
        "TENURE_KEY": "secret",
        "TZ": "Asia",
    }

    assert clean_environment(given) == {"PATH": "/bin", "LC_ALL": "C", "TZ": "UTC"}


def test_the_end_of_an_output_is_one_bounded_line() -> None:
    assert last_lines("a\n\nb\n c \n", count=2) == "b | c"
    assert last_lines("") == "(nothing)"
    assert len(last_lines("x" * 5000)) == 1000
