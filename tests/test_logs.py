"""Log lines: one event a line, no secret in any form, no line break from outside; and what each level says."""

from __future__ import annotations

import io
import json
import logging
import re
from urllib.parse import quote

import pytest

from tests.operation import Hook, acme, place
from watcher.logs import Redactor, harmless, harmless_json, pairs, set_up, spelled_out

SECRET = 'p/l"a&n t=ed'
AT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} ")


@pytest.fixture(autouse=True)
def logging_as_it_was():
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("watcher").setLevel(logging.NOTSET)


def logged(
    *messages: str, verbosity: int = 0, as_json: bool = False, name: str = "watcher.test"
) -> list[str]:
    stream = io.StringIO()
    set_up(stream, secrets=[SECRET, "abc"], verbosity=verbosity, as_json=as_json)
    for message in messages:
        logging.getLogger(name).warning("%s", message)
    return stream.getvalue().split("\n")[:-1]


# ------------------------------------------------------------------------------------------------ secrets


@pytest.mark.parametrize(
    "form", [SECRET, quote(SECRET, safe=""), json.dumps(SECRET), json.dumps(SECRET)[1:-1]]
)
def test_a_known_secret_leaves_in_no_form(form):
    (line,) = logged(f"sent to https://example.org/{form}/in")

    assert "<secret>" in line
    for part in ('l\\"a', 'l"a', "l%22a", "n t", "n%20t"):
        assert part not in line


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("https://ann:hunter2@example.org/x", "https://<secret>@example.org/x"),
        ("smtp://ann:hunter2@mail/x", "smtp://<secret>@mail/x"),
        ("https://hooks.slack.com/services/T0/B0/abcdef", "https://hooks.slack.com/services/<secret>"),
        ("GET /x?api_key=hunter2&page=2", "GET /x?api_key=<secret>&page=2"),
        ("Authorization: Bearer hunter2hunter2", "Authorization: Bearer <secret>"),
        ("sent with bearer 0123456789abcdef", "sent with bearer <secret>"),
        ("got xoxb-123456-abcdef from Slack", "got <secret> from Slack"),
        ("ghp_0123456789abcdefghij", "<secret>"),
        ("github_pat_0123456789abcdefghij_x", "<secret>"),
    ],
)
def test_what_looks_like_a_secret_leaves_neither(text, told):
    assert Redactor([])(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/a?page=2",
        "the basic rules",
        "author=Ann",
        "keys: 3",
        "https://example.org:8080/x@y",
    ],
)
def test_plain_words_stay(text):
    assert Redactor([])(text) == text


def test_a_secret_that_holds_another_is_hidden_whole():
    assert Redactor(["hunter", "hunter2hunter3"])("hunter2hunter3 hunter") == "<secret> <secret>"


def test_a_secret_of_three_letters_is_not_hunted_for():
    assert Redactor(["abc"])("an abc of rules") == "an abc of rules"


def test_an_exceptions_text_and_trace_are_redacted_on_one_line():
    stream = io.StringIO()
    set_up(stream, secrets=[SECRET], verbosity=0)
    try:
        int(SECRET)
    except ValueError:
        logging.getLogger("watcher.test").exception("it failed")

    (line,) = stream.getvalue().splitlines()
    assert SECRET not in line
    assert line.endswith("ValueError: invalid literal for int() with base 10: '<secret>'")


def test_a_librarys_words_are_redacted_too():
    (line,) = logged(f"connecting with {SECRET}", name="some.library")

    assert line.endswith("warning connecting with <secret>")


# ------------------------------------------------------------------------------------------------ lines


@pytest.mark.parametrize("mark", ["\n", "\r\n", "\x0b", "\x85", "\u2028", "\x1b[31m", "\u202e"])
def test_text_from_outside_makes_no_second_line_and_no_colour(mark):
    lines = logged(f"a post named 'x{mark}2026-01-01T00:00:00+0000 error forged'")

    assert len(lines) == 1
    assert AT.match(lines[0])
    assert mark not in lines[0]


def test_json_lines_hold_the_same_and_nothing_else():
    (line,) = logged(f"first\nsecond {SECRET}", as_json=True)
    read = json.loads(line)

    assert {key: value for key, value in read.items() if key != "at"} == {
        "level": "warning",
        "part": "watcher.test",
        "message": "first\nsecond <secret>",
    }


def test_pairs_quote_what_would_be_read_as_more_pairs():
    assert pairs("pass", checked=3, why='it said "no" x=1', none=None, empty="", message="m") == (
        'pass checked=3 why="it said \\"no\\" x=1" empty="" message=m'
    )


@pytest.mark.parametrize(
    ("verbosity", "told"), [(-1, ["error"]), (0, ["warning", "error"]), (1, ["info", "warning", "error"])]
)
def test_quiet_usual_and_verbose(verbosity, told):
    stream = io.StringIO()
    set_up(stream, secrets=[], verbosity=verbosity)
    log = logging.getLogger("watcher.levels")
    for level in (log.debug, log.info, log.warning, log.error):
        level("x")
    logging.getLogger("urllib3").info("not ours")

    assert [line.split(" ")[1] for line in stream.getvalue().splitlines()] == told


def test_set_up_twice_still_says_everything_once():
    stream = io.StringIO()
    for _ in range(2):
        set_up(stream, secrets=[], verbosity=0)
    logging.getLogger("watcher.twice").warning("once")

    assert len(stream.getvalue().splitlines()) == 1


# ------------------------------------------------------------------------------------------------ the whole program


def test_no_planted_secret_is_in_any_output_state_or_message_of_the_program(tmp_path):
    secrets = {
        "HOOK_TOKEN": "planted-hook-token",
        "HOOK_KEY": "planted-signing-key",
        "GITHUB": "planted-github-token",
    }
    with place(tmp_path) as site, Hook() as hook:
        site.github.fail(500)
        hook.status = 401
        site.configure(
            receivers=f'{hook.receiver}token_env = "HOOK_TOKEN"\nsecret_env = "HOOK_KEY"\n[github]\ntoken_env = "GITHUB"\n'
        )
        said = ""
        for words in (
            ("run",),
            ("config",),
            ("status", "--json"),
            ("doctor",),
            ("send-test", "hook"),
            ("sources", "list"),
        ):
            done = site.run("--verbose", *words, env=secrets)
            said += done.stdout + done.stderr
        site.github.recover()
        site.publish(*acme(1, round="v6.1"))
        for _ in range(2):
            done = site.run("--verbose", "run", "inference", env=secrets)
            said += done.stdout + done.stderr
        received = [request.headers.get("authorization") for request in hook.requests]

        assert "Bearer planted-hook-token" in received
        written = b"".join(path.read_bytes() for path in site.state.parent.iterdir())
        for secret in secrets.values():
            assert secret not in said
            assert secret.encode() not in written
            assert all(secret.encode() not in request.body for request in hook.requests)
        assert "<secret>" in said


def test_a_line_for_a_terminal_spells_out_what_would_steer_it_and_keeps_its_line_ends():
    assert spelled_out("a\x1b[2J b\nc\u202ed\x9b \u200b é") == "a\\x1b[2J b\nc\\u202ed\\x9b \\u200b é"


def test_an_answer_keeps_its_own_colours_and_nothing_else_that_steers():
    said = "\x1b[1;31mred\x1b[0m\tx\n\x1b]0;title\x07\x1b[2J\x9b5n\u202e."
    assert harmless(said) == "\x1b[1;31mred\x1b[0m\tx\n ]0;title  [2J 5n ."


def test_a_document_means_the_same_and_steers_nothing():
    document = {"name": "a\x9b2J\u202eb\x1b[2J\x7f\u2066"}
    printed = harmless_json(json.dumps(document, ensure_ascii=False))
    assert (printed.isprintable(), json.loads(printed)) == (True, document)
