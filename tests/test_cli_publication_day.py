"""The commands of publication day, as a person types them: brief, rank, cost, promises, calendar, cite."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from icalendar import Calendar
from msgspec.structs import replace

from tests.operation import program
from tests.pipeline_stage import AT, HOUR, MINUTE, Hook, Stage, acme, hook_options
from watcher.demo.github import GitHubServer

VR = "v6.1/NVIDIA/VR-NVL72_VR-288GB_aarch64x72_TRT/deepseek-r1/Server"
PRICES = """
currency = "USD"
utilisation = [0.4, 0.7]
lifetime_years = 4
pue = 1.2
tariff = 0.1

[[systems]]
system = "NVIDIA/gb300-nvl72@v6.1"
price = 3_000_000
power_kind = "own estimate"
power_watts = 130_000
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose state holds the archive."""
    made = tmp_path_factory.mktemp("day")
    (made / "watcher.toml").write_text("[watcher]\ngroups = []\n")
    (made / "prices.toml").write_text(PRICES)
    assert program("ingest", "--archive", cwd=made).returncode == 0
    return made


def ask(folder: Path, *words: str) -> str:
    """Run a command that must be fine, and return what it printed."""
    done = program(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def read(folder: Path, *words: str) -> Any:
    return json.loads(ask(folder, *words, "--json"))


def refused(folder: Path, *words: str) -> str:
    """Run a command that is wrong, and return its complaint."""
    done = program(*words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


# ------------------------------------------------------------------------------------------------ brief


def test_brief_shows_a_round_at_a_glance(folder):
    said = ask(folder, "brief", "v6.1")

    assert said.startswith(
        "MLPerf Inference v6.1 at a glance\n492 results (v6.0: 520) by 33 submitter entries (25)\n"
    )
    for heading in (
        "VERA RUBIN OVER GB300",
        "WORTH KNOWING",
        "RECORDS",
        "POWER",
        "HANDLE WITH CARE",
        "PROMISES",
    ):
        assert f"\n{heading}\n" in said


def test_brief_as_json_has_every_fact_unrounded(folder):
    made = read(folder, "brief", "v6.1")["brief"]

    assert (made["results"], made["embargo"], made["history"]) == (
        {"name": "results", "now": 492, "before": 520}, False, ["v5.1", "v6.0"],
    )  # fmt: skip
    over = {
        one["scenario"]: one["ratio"]
        for one in made["generations"][0]["comparisons"]
        if one["benchmark"] == "deepseek-r1"
    }
    assert over["Server"] == 1175890.220816824 / 596944.0
    assert [len(made[name]) for name in ("preview", "claims", "measured_power", "due", "promised")] == [
        8,
        0,
        0,
        9,
        8,
    ]


@pytest.mark.parametrize(
    ("name", "start"),
    [("b.html", "<!doctype html>"), ("b.md", "# MLPerf Inference v6.1"), ("b.txt", "MLPerf Inference v6.1")],
)
def test_brief_is_written_in_the_form_that_the_ending_says(folder, name, start):
    ask(folder, "brief", "v6.1", "--out", name)

    assert (folder / name).read_text().strip().startswith(start)


def test_brief_is_narrowed_by_only_and_by_the_filters_of_other_commands(folder):
    one = read(
        folder, "brief", "v6.1", "--only", "accelerator=vera-rubin,GB300", "--only", "submitter=NVIDIA"
    )["brief"]
    other = read(
        folder,
        "brief",
        "v6.1",
        "--accelerator",
        "gb300",
        "--accelerator",
        "vera-rubin",
        "--submitter",
        "nvidia",
    )["brief"]

    assert one == other
    assert one["only"] == "submitter=NVIDIA accelerator=gb300,vera-rubin"
    assert one["results"]["now"] == 25


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("brief", "v6.2"), "no results of 'v6.2' are held; did you mean 'v6.1'?"),
        (
            ("brief", "v6.1", "--only", "akzelerator=b300"),
            "there is no field 'akzelerator'; did you mean 'accelerator'?",
        ),
        (("brief", "v6.1", "--only", "accelerator"), "write FIELD=NAME, such as accelerator=vera-rubin"),
        (
            ("brief", "v6.1", "--only", "accelerator=b3000"),
            "there is no accelerator 'b3000'; did you mean 'b300'?",
        ),
        (("brief", "v6.1", "--out", "no/such/folder/b.md"), "cannot be written"),
    ],
)
def test_a_wrong_brief_is_answered_with_the_nearest(folder, words, says):
    assert says in refused(folder, *words)


def test_brief_of_an_empty_state_says_how_to_fill_it(tmp_path):
    assert "`mlperf-watcher ingest --archive` brings three rounds" in refused(tmp_path, "brief", "v6.1")


# ------------------------------------------------------------------------------------------------ rank, cost, promises


def test_rank_shows_where_one_machine_stands(folder):
    ranks = read(
        folder, "rank", "--accelerator", "b300", "--benchmark", "deepseek-r1", "--scenario", "Server", "--submitter", "NVIDIA",
    )["ranks"]  # fmt: skip
    (mine,) = ranks

    assert (mine["place"], mine["of"], mine["round"]) == (8, 13, "v6.1")
    assert mine["best"]["value"] == 70771.7
    assert mine["ahead"][0] == "GigaComputing"


def test_rank_in_words_names_the_gaps(folder):
    said = ask(folder, "rank", "--accelerator", "b300", "--benchmark", "deepseek-r1", "--scenario", "Server")

    assert said.startswith("DeepSeek-R1 Server, 8 B300, v6.1, closed: 13 rows, median 60,746 tokens/s\n")
    assert [line.split()[:4] for line in said.splitlines() if line.startswith(("1 of 13", "8 of 13"))] == [
        ["1", "of", "13", "GigaComputing"], ["8", "of", "13", "NVIDIA"],
    ]  # fmt: skip


def test_cost_by_ones_own_prices_is_a_range_with_the_kind_of_power(folder):
    costs = read(
        folder, "cost", "--prices", "prices.toml", "--benchmark", "deepseek-r1", "--scenario", "Offline"
    )["costs"]
    (one,) = costs
    value, hour = one["result"]["value"], 3_000_000 / (4 * 8766) + 130 * 1.2 * 0.1

    assert one["per_million"] == pytest.approx([1e6 * hour / (value * 3600 * used) for used in (0.7, 0.4)])
    assert one["per_joule"] == pytest.approx([value * used / (130_000 * 1.2) for used in (0.4, 0.7)])
    assert (one["currency"], one["power_kind"]) == ("USD", "own estimate")


def test_without_prices_the_break_even_says_how_many_systems_one_is_worth(folder):
    made = read(folder, "cost", "NVIDIA/vera-rubin-nvl72", "NVIDIA/gb300-nvl72")

    worth = {(one["benchmark"], one["scenario"]): round(one["systems"], 2) for one in made["break_even"]}
    assert worth["qwen3-vl-235b-a22b", "Interactive"] == 3.74
    assert worth["deepseek-r1", "Server"] == 1.97
    assert all("per_limit_watt" not in one for one in made["break_even"])


def test_the_ratio_per_limit_watt_comes_only_when_asked_for_and_says_what_it_is_not(folder):
    words = (
        "cost",
        "NVIDIA/vera-rubin-nvl72",
        "NVIDIA/gb300-nvl72",
        "--benchmark",
        "deepseek-r1",
        "--scenario",
        "Server",
    )
    (one,) = read(folder, *words, "--per-limit-watt")["break_even"]

    assert one["per_limit_watt"]["ratio"] == pytest.approx(one["ratio"] * 1400 / 2300)
    assert one["per_limit_watt"]["note"].startswith("own estimate")
    assert "own estimate" in ask(folder, *words, "--per-limit-watt")
    assert "own estimate" not in ask(folder, *words)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("cost",), "give --prices FILE, or two systems"),
        (("cost", "b300x8"), "give --prices FILE, or two systems"),
        (("cost", "--prices", "prices.toml", "--per-limit-watt"), "--per-limit-watt compares two systems"),
        (("cost", "--prices", "none.toml"), "none.toml: cannot be read"),
        (("cost", "--prices", "watcher.toml"), "watcher.toml: prices: systems must be a list of tables"),
        (("promises", "--outcome", "broken"), "is not one of"),
        (("calendar", "--from", "2026-13-01"), "--from must be a date such as 2026-09-16"),
        (("calendar", "--from", "2026-09-16", "--to", "2026-09-01"), "--to 2026-09-01 lies before"),
        (("cite",), "name alerts or rows to cite"),
        (("cite", "A-0001"), "there is no alert 'A-0001'; none has fired yet"),
    ],
)
def test_a_wrong_question_is_answered_with_what_to_write(folder, words, says):
    assert says in refused(folder, *words)


def test_promises_of_intels_previews_are_settled_as_the_tables_say(folder):
    made = read(folder, "promises", "--round", "v6.0", "--submitter", "Intel")["promises"]

    assert len(made) == 9
    assert sorted(one["benchmark"] + (one["accuracy_target"] or "") for one in made if one["outcome"] == "void") == [
        "llama2-70b99", "llama2-70b99",
    ]  # fmt: skip
    assert sum(one["returned"] is not None for one in made) == 7


def test_open_promises_have_a_day_and_a_floor(folder):
    made = read(folder, "promises", "--outcome", "open")["promises"]

    assert {(one["earliest"], one["due"]) for one in made} == {("2027-02-03", "v7.0")}
    floors = {(one["submitter"], one["benchmark"], one["scenario"]): one["floor"] for one in made}
    assert floors["NVIDIA", "deepseek-r1", "Server"] == pytest.approx(0.98 * 1175890.220816824)
    assert "1,152,372  tokens/s" in ask(folder, "promises", "--outcome", "open")


# ------------------------------------------------------------------------------------------------ calendar


def test_calendar_lists_dates_with_their_sources_and_writes_the_same_into_a_file(folder):
    made = read(folder, "calendar", "--from", "2026-09-01", "--to", "2027-04-30", "--ics", "c.ics")["dates"]
    written = Calendar.from_ical((folder / "c.ics").read_bytes()).walk("VEVENT")

    assert [str(event["uid"]).removesuffix("@mlperf-watcher") for event in written] == [
        one["id"] for one in made
    ]
    assert {one["kind"] for one in made} == {"round", "expected", "others", "cohort", "promise"}
    assert all(one["source"] for one in made)
    assert "2026-09-30 Wed" in ask(folder, "calendar", "--from", "2026-09-30", "--to", "2026-09-30")


# ------------------------------------------------------------------------------------------------ cite


def test_cite_prints_the_footnote_and_pins_the_row(folder):
    made = read(folder, "cite", "v6.1/NVIDIA/VR-NVL72*/deepseek-r1/Server")["citations"]
    listed = read(folder, "cite", "--list")["cited"]

    assert [(one["row"], one["pinned"], one["entry"]) for one in made] == [(VR, True, None)]
    assert made[0]["footnote"].startswith(
        "MLPerf® Inference v6.1, Closed division, datacenter: DeepSeek-R1, Server. Submitter NVIDIA"
    )
    assert [(one["state"], one["value"]) for one in listed] == [("stands", 1175890.220816824)]
    ask(folder, "cite", VR, "--unpin")
    assert read(folder, "cite", "--list")["cited"] == []


def test_cite_without_a_pin_changes_nothing(folder):
    ask(folder, "cite", VR, "--no-pin")

    assert ask(folder, "cite", "--list") == "Nothing was cited yet.\n"


CITED = """
rules:
  - id: rows
    title: "{submitter}: {count:result} {event}, {round}"
    watch: result
    on: [added]
    group_by: [round, submitter]
  - id: cited-row-changed
    title: "Cited row {event}: {submitter}, {benchmark} {scenario}"
    watch: result
    on: [changed, removed, restored, renamed]
    where: {pinned: true}
"""


@pytest.fixture
def stage(tmp_path: Path, hook: Hook) -> Iterator[Stage]:
    with GitHubServer() as github:
        made = Stage(tmp_path, github, CITED)
        made.receiver("hook", "webhook", hook_options(hook))
        (tmp_path / "watcher.toml").write_text(
            '[watcher]\nrules = ["rules.yaml"]\ngroups = []\nstate = "watcher.db"\n'
        )
        yield made


def told(hook: Hook) -> list[str]:
    return [message["title"] for message in hook.taken if message["title"].startswith("Cited row")]


def test_a_correction_of_a_cited_row_alerts_and_of_others_not(stage, hook):
    rows = acme(6)
    world = stage.baseline(*rows)
    ask(stage.folder, "cite", "v6.1/Acme/rack-1/deepseek-r1/Server")

    stage.commit(*(each if n not in (1, 2) else replace(each, value=5.0) for n, each in enumerate(rows)))
    world.go(AT)
    world.go(AT + HOUR)

    assert told(hook) == ["Cited row changed: Acme, deepseek-r1 Server"]
    (pin,) = read(stage.folder, "cite", "--list")["cited"]
    assert (pin["state"], pin["value"], pin["value_now"]) == ("corrected", 1001.0, 5.0)


def test_a_withdrawal_of_a_cited_row_alerts_once_it_is_certain(stage, hook):
    world = stage.baseline(*acme(6))
    ask(stage.folder, "cite", "v6.1/Acme/rack-5/deepseek-r1/Server")
    stage.commit(*acme(5))
    for n in range(3):
        world.go(AT + n * HOUR)

    assert told(hook) == ["Cited row removed: Acme, deepseek-r1 Server"]
    assert read(stage.folder, "cite", "--list")["cited"][0]["state"] == "withdrawn"


def test_a_cited_row_that_is_renamed_stays_cited(stage, hook):
    rows = acme(6)
    world = stage.baseline(*rows)
    ask(stage.folder, "cite", "v6.1/Acme/rack-1/deepseek-r1/Server")
    renamed = tuple(each if n != 1 else replace(each, platform="rack-one") for n, each in enumerate(rows))
    stage.commit(*renamed)
    world.go(AT)
    stage.commit(*(each if n != 1 else replace(each, value=5.0) for n, each in enumerate(renamed)))
    world.go(AT + HOUR)

    assert told(hook) == [
        "Cited row renamed: Acme, deepseek-r1 Server",
        "Cited row changed: Acme, deepseek-r1 Server",
    ]


def test_the_rows_of_an_alert_are_cited_by_its_name(stage, hook):
    world = stage.baseline(*acme(3))
    stage.publish(*acme(2, round="v6.2"))
    world.go(AT)
    world.go(AT + MINUTE)

    made = read(stage.folder, "cite", "A-0001")["citations"]

    assert [one["row"] for one in made] == [
        "v6.2/Acme/rack-0/deepseek-r1/Server",
        "v6.2/Acme/rack-1/deepseek-r1/Server",
    ]
    assert all("Retrieved 16 September 2026 from http://127.0.0.1" in one["footnote"] for one in made)
