"""The surface that other programs use: options before and after, one JSON document, exit codes, one line for errors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.operation import Place, acme, place, program
from watcher.cli import COMMANDS, cli
from watcher.demo.published import summary
from watcher.store import Store


@pytest.fixture
def site(tmp_path: Path):
    with place(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose state holds the archived rounds."""
    folder = tmp_path_factory.mktemp("archived")
    assert program("ingest", "--archive", cwd=folder).returncode == 0
    return folder


def asked(folder: Path, *words: str) -> dict:
    done = program(*words, "--json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def every_command(group: click.Group, before: tuple[str, ...] = ()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*before, name), command
        if isinstance(command, click.Group):
            yield from every_command(command, (*before, name))


@pytest.mark.parametrize("words", [words for words, _ in every_command(cli)], ids=" ".join)
def test_every_command_has_a_sentence_and_an_example_of_itself(words):
    command = dict(every_command(cli))[words]
    help_text = command.help or ""

    assert "." in help_text.split("\n\n")[0]
    if not isinstance(command, click.Group):
        line = f"mlperf-watcher(?: --config [^ ]+)? {' '.join(words)}"
        assert re.search(line, help_text)


@pytest.mark.parametrize("group", ["", "alerts", "claims", "rules", "sources"])
def test_no_sentence_in_a_list_of_commands_is_cut_short(tmp_path, group):
    listed = program(*group.split(), "--help", cwd=tmp_path).stdout.partition("Commands:\n")[2].splitlines()

    assert len(listed) > 1
    assert [line for line in listed if line.endswith("...")] == []


def test_starting_the_command_imports_no_part_of_the_program_but_the_command_line():
    code = (
        "import sys\nfrom watcher.cli import main\n"
        "try: main(['--version'])\nexcept SystemExit: pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('watcher')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "['watcher', 'watcher.cli', 'watcher.errors']"


def test_a_reading_command_brings_neither_slack_nor_html_nor_pictures(archived):
    code = (
        "import sys\nfrom watcher.cli import main\n"
        "try: main(['status'])\nexcept SystemExit: pass\n"
        "heavy = {'slack_sdk', 'bs4', 'lxml', 'feedparser', 'matplotlib', 'numpy', 'apscheduler', 'jinja2', 'requests'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=archived
    )

    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("where", ["before", "after"])
def test_the_programs_options_may_stand_before_and_after_the_commands_name(tmp_path, archived, where):
    options = ("--state", str(archived / "state" / "watcher.db"), "--json")
    words = (*options, "results") if where == "before" else ("results", *options)

    done = program(*words, "--round", "v6.1", cwd=tmp_path)

    assert json.loads(done.stdout)["count"] == 492


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("resluts",), 2, "there is no command 'resluts'; did you mean 'results'?"),
        (("results", "--round", "v9.9"), 2, "--round: no round 'v9.9' is held"),
        (("results", "--accelerator", "b3000"), 2, "there is no accelerator 'b3000'; did you mean 'b300'?"),
        (("compare", "vera-rubn", "gb300"), 2, "vera-rubn"),
        (("ingest",), 2, "name a file to ingest, or --archive"),
        (("ingest", "nowhere.json"), 2, "nowhere.json: cannot be read"),
        (("alerts", "show", "A-0142"), 2, "there is no alert 'A-0142'; none has fired yet"),
        (("alerts", "list", "--since", "2026-13-01"), 2, "--since must be a date such as 2026-09-16, not '2026-13-01'"),
        (("alerts", "list", "--rule", "new-rond"), 2, "there is no rule 'new-rond'; did you mean 'new-round'?"),
        (("run", "nowhere"), 2, "there is no source 'nowhere'"),
        (("alerts", "silence", "--match", "rule=new-rond"), 2, "there is no rule 'new-rond'; did you mean 'new-round'?"),
        (("alerts", "silence", "--match", "watch=reslt"), 2, "there is no watch 'reslt'; did you mean 'result'?"),
        (("alerts", "silence", "--match", "severity=hgih"), 2, "there is no severity 'hgih'; did you mean 'high'?"),
        (("compare", "gb300@v9.9", "gb200"), 2, "gb300@v9.9: no results of inference v9.9 are held; known are v5.1, v6.0, v6.1"),
        (("gains", "--from", "v6.1", "--to", "v6.1"), 2, "--from v6.1 is not earlier than --to v6.1"),
        (("gains", "--from", "v6.1", "--to", "v6.0"), 2, "--from v6.1 is not earlier than --to v6.0"),
        (("cost", "--prices", "nowhere.toml"), 2, "mlperf-watcher: nowhere.toml: cannot be read"),
        (("backup", "state/watcher.db"), 2, "state/watcher.db: is there already; name a new file"),
        (("backup", "nowhere/copy.db"), 2, "nowhere: there is no such folder; make it first"),
        (("demo", "--out", "state/watcher.db/out"), 2, "--out: state/watcher.db/out cannot be made"),
        (("run", "--deadline", "soon"), 2, "--deadline must be a duration"),
        (("--config", "nowhere.toml", "status"), 2, "nowhere.toml: there is no such file; `mlperf-watcher init` writes one"),
        (("claims", "check", "7"), 2, "the ledger has no claim 7"),
        (("compare", "b300", "b200", "--plot", "x.gif"), 2, "x.gif must end in .png or .svg"),
    ],
)  # fmt: skip
def test_wrong_use_is_exit_2_and_one_line_that_says_what_was_meant(archived, words, code, message):
    done = program(*words, cwd=archived)

    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--json", "resluts"), 2, "there is no command 'resluts'; did you mean 'results'?"),
        (("results", "--round", "v9.9", "--json"), 2, "--round: no round 'v9.9' is held"),
        (("results", "--json", "--what"), 2, "No such option"),
        (("compare", "--json"), 2, "Missing argument 'SUBJECT'."),
    ],
)
def test_with_json_an_error_is_the_one_document_and_the_line_stays(archived, words, code, message):
    done = program(*words, cwd=archived)
    document = json.loads(done.stdout)

    assert (done.returncode, set(document), document["error"]["exit_code"]) == (code, {"error"}, code)
    assert document["error"]["message"].startswith(message)
    assert message in done.stderr


def test_an_answer_that_asks_for_an_exit_code_is_no_error_document(site, tmp_path):
    (tmp_path / "9.json").write_bytes(summary(acme(9, round="v6.1")))
    (tmp_path / "3.json").write_bytes(summary(acme(3, round="v6.1")))
    site.run("ingest", "9.json", "--baseline")

    done = site.run("ingest", "3.json", "--json")

    assert done.returncode == 3
    assert "error" not in json.loads(done.stdout)


def test_a_second_run_while_one_is_at_work_is_exit_75_and_one_line(site, now):
    site.run("run")
    with Store(site.state, now=now) as store, store.lock():
        done = site.run("run", env={})

    assert (done.returncode, done.stdout) == (75, "")
    assert done.stderr.count("\n") == 1
    assert "another run holds" in done.stderr


def test_a_pass_prints_the_fields_that_other_programs_read(site):
    document = site.json("run")

    assert set(document) == {"sources", "events", "alerts", "deliveries"}
    assert document["sources"] == {"checked": 1, "unchanged": 0, "failed": 0}
    assert set(document["deliveries"]) == {"sent", "pending", "failed"}


def test_a_first_failure_is_silent_for_cron_and_the_third_in_a_row_is_exit_3(site):
    site.run("run")
    site.github.fail(500)

    first, second, third = (site.run("run", "inference") for _ in range(3))

    assert [(done.returncode, done.stderr) for done in (first, second)] == [(0, ""), (0, "")]
    assert third.returncode == 3
    assert "is in trouble (HTTP 500)" in third.stderr


def test_a_table_that_lost_too_much_is_exit_3_and_accepted_only_when_asked_to(site, tmp_path):
    for count in (9, 3):
        (tmp_path / f"{count}.json").write_bytes(summary(acme(count, round="v6.1")))
    site.run("ingest", "9.json", "--baseline")

    held = site.run("ingest", "3.json")
    accepted = site.run("ingest", "3.json", "--accept")

    assert (held.returncode, "lost 6 of 9 results" in held.stderr) == (3, True)
    assert (accepted.returncode, accepted.stderr) == (0, "")
    assert site.json("status")["healthy"] is True


def test_results_are_unrounded_canonical_fields(archived):
    document = asked(archived, "results", "--accelerator", "vera-rubin", "--scenario", "Server")

    values = {row["value"]: row["accelerator_count"] for row in document["results"]}
    assert document["count"] == len(document["results"]) == 3
    assert {round(value, 2): count for value, count in values.items()} == {
        1175890.22: 72,
        2323.27: 72,
        591368.31: 36,
    }
    assert 1175890.220816824 in values
    assert set(document["results"][0]) >= {
        "suite", "round", "division", "availability", "submitter", "organisations", "platform", "system_name", "system",
        "accelerator", "accelerators", "accelerator_published", "accelerator_count", "nodes", "processor", "benchmark",
        "accuracy_target", "benchmark_published", "scenario", "value", "unit", "unit_published", "better", "software",
        "software_published", "precision", "power", "accelerator_power_limit_watts", "notes", "url", "first_seen_at",
        "extra", "system_type",
    }  # fmt: skip


def test_a_limited_list_says_how_many_results_there_are(archived):
    done = program("results", "--round", "v6.1", "--limit", "2", cwd=archived)

    assert done.stdout.splitlines()[-1] == "2 of 492 results"


def test_a_comparison_has_the_fields_and_figures_of_the_published_rows(archived):
    document = asked(archived, "compare", "NVIDIA/vera-rubin-nvl72@v6.1", "NVIDIA/gb300-nvl72@v6.1")

    found = {(c["benchmark"], c["scenario"]): round(c["ratio"], 2) for c in document["comparisons"]}
    assert found == {
        ("qwen3-vl-235b-a22b", "Interactive"): 3.74,
        ("qwen3-vl-235b-a22b", "Server"): 1.92,
        ("qwen3-vl-235b-a22b", "Offline"): 1.83,
        ("deepseek-r1", "Interactive"): 2.57,
        ("deepseek-r1", "Server"): 1.97,
        ("deepseek-r1", "Offline"): 1.74,
    }
    assert {"software", "availability"} <= set(document["comparisons"][0]["differs"])
    assert set(document["not_comparable"][0]) >= {"benchmark", "scenario", "reason"}


def test_scaling_and_gains_have_their_fields(archived):
    scaling = asked(archived, "scaling", "NVIDIA/gb300@v6.1", "--scenario", "Offline")["scaling"]
    gains = asked(archived, "gains", "--from", "v6.0", "--to", "v6.1", "--submitter", "NVIDIA")["gains"]

    assert {
        "submitter",
        "accelerator",
        "benchmark",
        "scenario",
        "round",
        "small",
        "large",
        "efficiency",
    } <= set(scaling[0])
    assert {gain["match"] for gain in gains} == {"same_system", "per_accelerator"}
    assert {"before", "after", "ratio", "submitter", "benchmark", "scenario"} <= set(gains[0])


@pytest.mark.parametrize(
    ("words", "noun"),
    [
        (("alerts", "list"), "alerts"),
        (("sources", "list"), "sources"),
        (("rules", "list"), "rules"),
        (("rules", "fields"), "fields"),
        (("claims", "list"), "claims"),
        (("records",), "records"),
    ],
)
def test_list_commands_print_one_document_under_their_plural_noun(archived, words, noun):
    assert isinstance(asked(archived, *words)[noun], list)


def test_status_is_healthy_on_a_fresh_state(archived):
    document = asked(archived, "status")

    assert document["healthy"] is True
    assert {table["round"]: table["results"] for table in document["tables"]} == {
        "v5.1": 1448,
        "v6.0": 520,
        "v6.1": 492,
    }


def test_checked_rules_are_counted_and_none_at_all_is_said_to_tell_nothing(site):
    rules = site.folder / "rules" / "all.yaml"
    assert site.run("rules", "check").stdout == "3 rules in 1 file are fine\n"

    rules.write_text("rules:\n  - {id: one, watch: round}\n")
    assert site.run("rules", "check").stdout == "1 rule in 1 file is fine\n"

    rules.unlink()
    assert site.run("rules", "check").stdout == "no rule is there: nothing will ever alert\n"


def test_the_modules_of_all_commands_are_there():
    assert [name for name in COMMANDS if cli.get_command(click.Context(cli), name) is None] == []


def test_the_program_runs_as_a_module_too(tmp_path):
    done = program("--version", cwd=tmp_path, env={})

    assert done.stdout.startswith("mlperf-watcher, version ")


HOOK = '[receivers.hook]\nkind = "webhook"\nurl_env = "HOOK"\n'
LACK = "receivers.hook.url_env: the environment has no HOOK; set it, or remove this key"


def test_a_state_that_is_named_and_not_there_is_said_beside_the_empty_answer(tmp_path):
    done = program("alerts", "list", "--state", "nowhere.db", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (0, "No alert yet.\n")
    assert done.stderr == "nowhere.db: there is no state here; nothing is held\n"


def test_an_empty_state_is_answered_with_the_command_that_fills_it(tmp_path):
    held = [program(*words, cwd=tmp_path) for words in (("results",), ("brief", "v6.1"))]

    told = "o results are held yet; `mlperf-watcher ingest --archive` brings three rounds"
    assert [told in done.stdout + done.stderr for done in held] == [True, True]


ASKING = "status;results;alerts list;rules list;claims list;sources list;digest;run --dry-run;config;sources check inference"


@pytest.mark.parametrize("words", ASKING.split(";"))
def test_who_only_asks_needs_no_secret(site: Place, words: str):
    site.configure(receivers=HOOK)

    done = site.run(*words.split())

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words", ["run", "daemon", "ingest --archive", "send-test hook", "digest --send --receiver hook"]
)
def test_who_sends_says_which_variable_lacks(site: Place, words: str):
    site.configure(receivers=HOOK)

    done = site.run(*words.split())

    assert done.returncode == 2
    assert done.stderr.startswith("mlperf-watcher: ")
    assert done.stderr.endswith(f"{LACK}\n")


def test_doctor_and_config_say_which_variable_lacks(site: Place):
    site.configure(receivers=HOOK)

    doctor = site.run("doctor", "--offline")
    config = site.run("config")

    assert doctor.returncode == 2
    assert [line.endswith(LACK) for line in doctor.stdout.splitlines() if line.startswith("fail")] == [True]
    assert "options            url = from HOOK, not set" in config.stdout


def test_secrets_are_shown_as_such_by_config(site: Place):
    site.configure(receivers='[receivers.hook]\nkind = "webhook"\nurl_env = "HOOK"\n')

    done = site.run("config", "--json", env={"HOOK": "https://hooks.example/planted-secret"})

    assert "planted-secret" not in done.stdout + done.stderr
    assert "<secret>" in done.stdout


def test_config_shows_measures_with_their_units_and_where_the_file_was_named(site: Place):
    site.configure('timeout = "2m"\nkeep_documents = "1 GB"')

    here = {line.split()[0]: line.split()[1:] for line in site.run("config").stdout.splitlines()}
    named = site.run("config", "--config", "watcher.toml").stdout

    assert (here["timeout"][:2], here["gap"][:2], here["keep_documents"][:2]) == (
        ["120", "s"],
        ["0.001", "s"],
        ["1,024", "MB"],
    )
    assert here["file"][-2:] == ["(found", "here)"]
    assert "(--config)" in named.splitlines()[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            'rules = ["new-rond"]',
            "receivers.you.rules: there is no rule 'new-rond'; did you mean 'new-round'?",
        ),
        ('watches = ["reslt"]', "receivers.you.watches: there is no watch 'reslt'; did you mean 'result'?"),
    ],
)
def test_a_receiver_that_asks_for_what_there_is_not_stops_the_start(site: Place, line, message):
    site.configure(receivers=f'[receivers.you]\nkind = "console"\n{line}\n')

    for words in (("run",), ("rules", "check"), ("doctor", "--offline")):
        done = site.run(*words)
        assert (done.returncode, message in done.stdout + done.stderr) == (2, True)


def test_a_receiver_may_ask_for_rules_by_a_pattern_that_fits_none_yet(site: Place):
    site.configure(receivers='[receivers.you]\nkind = "console"\nrules = ["new-*", "rack-*"]\n')

    assert site.run("rules", "check").returncode == 0


def test_what_a_person_or_a_file_says_never_steers_the_terminal(tmp_path: Path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "odd.yaml").write_text('rules:\n  - id: "x\\e[2J\\u202e"\n    watch: result\n')
    steering = "\x1b]0;owned\x07\u202e\x9b2J"

    for words in (
        ("rules", "check"), ("rules", "check", "--json"), ("sources", "check", steering), (steering,), ("results", f"--{steering}"),
        ("compare", steering, "b300"), ("alerts", "show", steering, "--json"),
    ):  # fmt: skip
        done = program(*words, cwd=tmp_path)
        assert done.returncode == 2
        assert [c for c in done.stdout + done.stderr if not c.isprintable() and c != "\n"] == []
