"""Alerts as messages: every kind of watch, several at once, and Slack's rules for each."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests import slack_rules
from tests.messages import NOW, against, alert, claim, event, gb300, hours, pairs, row, vera_rubin
from watcher.catalog import names
from watcher.domain import (
    Alert,
    Evidence,
    Gain,
    NewName,
    NotComparable,
    Notification,
    Post,
    Power,
    PublishedRound,
    Record,
    Scaling,
    SourceTrouble,
    Verdict,
)
from watcher.figures import compare, parse_system
from watcher.notifiers import slack_blocks, text
from watcher.parse import read_table
from watcher.render.alert import alert_notification


def told(one: Alert, **changes: Any) -> Notification:
    return alert_notification([one], now=NOW, **changes)


def words(one: Alert) -> str:
    return text.plain(told(one))


def tables(notification: Notification) -> list[list[str]]:
    return [[s.grid.caption or "", *text.table_lines(s.grid, 42)] for s in notification.sections if s.grid]


def test_vera_rubin_is_told_scenario_by_scenario_beside_its_predecessor():
    notification = told(vera_rubin())
    assert (
        notification.summary
        == "NVIDIA, 72 accelerators, against its own GB300 NVL72: 1.74x to 3.74x over six cells"
    )
    assert tables(notification) == [
        [
            "DeepSeek-R1, thousand tokens/s",
            "Scenario          VR  GB300  ratio",
            "Offline      1,183.3  679.7  1.74x",
            "Server       1,175.9  596.9  1.97x",
            "Interactive    652.8  253.5  2.57x",
        ],
        [
            "Qwen3-VL, queries/s, Offline samples/s",
            "Scenario        VR  GB300  ratio",
            "Offline      2,393  1,305  1.83x",
            "Server       2,323  1,210  1.92x",
            "Interactive  1,307    349  3.74x",
        ],
    ]
    assert [s.paragraphs for s in notification.sections[2:3]] == [
        (
            "The middle of the six is 1.92x to 1.97x; one exceeds 3x.",
            "Of its DeepSeek-R1 Server rate GB300 keeps 42 % in Interactive, VR 56 %.",
            "Of its Qwen3-VL Server rate GB300 keeps 29 % in Interactive, VR 56 %.",
        )
    ]


def test_an_alert_says_what_to_beware_of_what_is_missing_and_where_to_look():
    missing = (
        NotComparable(benchmark="deepseek-r1", scenario="SingleStream", reason="no subject row"),
        NotComparable(benchmark="whisper", scenario="Offline", reason="no subject row"),
    )
    notification = told(vera_rubin(not_comparable=missing))
    care, lacking, power, where = notification.sections[3:]
    assert care.bullets == ("The two sides differ in the software they declare", "Preview against available")
    assert lacking.bullets == ("DeepSeek-R1 SingleStream: no row of Vera Rubin NVL72",)
    assert power.paragraphs == (
        (
            "⚡ Power: none measured. The notes give a limit per accelerator, which is no measurement: "
            "Vera Rubin 2,300 W and GB300 1,400 W."
        ),
    )
    assert where.bullets == (
        "mlperf-watcher compare NVIDIA/vera-rubin-nvl72@v6.1 NVIDIA/gb300-nvl72@v6.1",
        "mlperf-watcher alerts show A-0142",
        "mlperf-watcher rules explain vera-rubin-per-scenario",
    )
    assert [link.url for link in where.links] == [
        "https://example.org/rows/vr",
        "https://example.org/rows/gb300",
    ]


def test_another_count_is_told_per_accelerator():
    nebius = {"submitter": "Nebius", "organisations": ("Nebius",), "system": None, "accelerator_count": 36}
    figure = against(row(**nebius, value=591368.31), gb300())
    notification = told(alert(event("result.added", figure.subject), figures=(figure,)))
    assert notification.summary.startswith(
        "Nebius, 36 accelerators, against GB300 NVL72 of NVIDIA: 1.98x per accelerator on DeepSeek-R1 Server"
    )
    assert tables(notification) == [
        [
            "DeepSeek-R1, tokens/s per accelerator",
            "Scenario      VR  GB300  ratio",
            "Server    16,427  8,291  1.98x",
        ]
    ]


def test_other_submitters_counterparts_follow_in_a_sentence():
    others = [
        against(
            figure.subject, replace(figure.baseline, submitter=owner, organisations=(owner,), value=value)
        )
        for figure, owner, value in zip(
            pairs()[:3], ("Nebius", "Nebius", "Azure"), (689000.0, 603000.0, 260098.0), strict=True
        )
    ]
    assert told(vera_rubin(figures=(*pairs(), *others))).sections[2].paragraphs[-1] == (
        "Against others' GB300 NVL72, DeepSeek-R1: Offline 1.72x and Server 1.95x (Nebius), Interactive 2.51x (Azure)."
    )


def test_rows_on_their_own_are_a_table_each_benchmark():
    cpu = {
        "accelerator": None,
        "accelerators": (),
        "accelerator_count": None,
        "system": None,
        "availability": "available",
    }
    latency = {"scenario": "SingleStream", "unit": "ms", "better": "lower", "value": 12.25}
    rows = [
        row(**cpu, submitter="Intel", processor="Xeon", accelerator_power_limit_watts=None, **c)
        for c in ({}, latency)
    ]
    notification = told(alert(*(event("result.added", one) for one in rows)))
    assert notification.summary == (
        "Intel, CPU only: 2 rows in MLPerf Inference v6.1, closed: DeepSeek-R1 Server and SingleStream"
    )
    assert tables(notification) == [
        ["DeepSeek-R1, thousand tokens/s", "Scenario    total", "Server    1,175.9"],
        ["DeepSeek-R1, ms, lower is better", "Scenario      total", "SingleStream   12.2"],
    ]


def test_power_is_told_by_its_kind():
    measured = row(power=(Power("measured", 10400.99888, "W"),))
    assert "⚡ Measured power: 10,401 W (NVIDIA, DeepSeek-R1 Server)" in words(
        alert(event("result.added", measured))
    )
    provisioned = row(power=(Power("provisioned", 132.0, "kW"),))
    said = words(alert(event("result.added", provisioned)))
    assert "⚡ Provisioned power: 132 kW (NVIDIA, DeepSeek-R1 Server)" in said
    assert "Power: none measured." in said


def test_training_is_told_in_minutes_where_lower_is_better():
    run = row(
        suite="training", round="v5.1", benchmark="train-llama3.1-8b", scenario=None, unit="minutes", better="lower",
        value=75.8, availability="available", accelerator_power_limit_watts=None,
    )  # fmt: skip
    notification = told(alert(event("result.added", run)))
    assert notification.summary == (
        "NVIDIA, 72 accelerators: 1 row in MLPerf Training v5.1, closed: Llama 3.1 8B pre-training"
    )
    assert tables(notification) == [
        ["Llama 3.1 8B pre-training, minutes, lower is better", "Submitter  total", "NVIDIA      75.8"]
    ]


def test_a_correction_shows_before_and_after_with_the_fields_named():
    before = row()
    changed = [
        event(
            "result.changed",
            replace(before, value=1175891.9, availability="available"),
            before,
            fields=("value", "availability"),
        ),
        event(
            "result.changed",
            row(scenario="Offline", value=2.0),
            row(scenario="Offline", value=4.0),
            fields=("value",),
        ),
    ]
    notification = told(alert(*changed))
    assert notification.summary == (
        "NVIDIA, 72 accelerators: 2 rows corrected in MLPerf Inference v6.1, closed, some PREVIEW (value and availability)"
    )
    assert tables(notification) == [
        [
            "DeepSeek-R1, tokens/s",
            "Scenario     before      after",
            "Server    1,175,890  1,175,892  +0.0001 %",
            "Offline           4          2    -50.0 %",
        ]
    ]
    assert notification.sections[1].bullets == (
        "NVIDIA, DeepSeek-R1 Server: availability preview → available",
    )


def test_a_withdrawal_keeps_the_values_that_no_longer_stand():
    notification = told(alert(event("result.removed", before=row())))
    assert notification.summary == (
        "NVIDIA, 72 accelerators: 1 row no longer in MLPerf Inference v6.1, closed, PREVIEW: DeepSeek-R1 Server"
    )
    assert "no longer stands" in notification.sections[0].paragraphs[0]
    assert tables(notification)[0][2] == "Server    1,175.9  16.3"


def test_rows_that_are_back_are_told_as_such():
    assert told(alert(event("result.restored", row()))).summary == (
        "NVIDIA, 72 accelerators: 1 row withdrawn before, back in MLPerf Inference v6.1, closed, PREVIEW"
    )


def test_a_rename_names_both_names_once():
    moved = [
        event("result.renamed", row(submitter="Verda", scenario=s), row(submitter="Datacrunch", scenario=s))
        for s in ("Offline", "Server")
    ]
    notification = told(alert(*moved))
    assert (
        notification.summary
        == "2 rows of Verda renamed in MLPerf Inference v6.1, closed, PREVIEW; values as before"
    )
    assert notification.sections[0].bullets == ("submitter Datacrunch → Verda (2 rows)",)


def test_scaling_names_what_is_lost():
    small, large = gb300(value=596943.0), gb300(value=2028000.0, accelerator_count=288, system=None)
    figure = Scaling(
        small=small, large=large, efficiency=0.849, accelerators_lost=43.4, care=("Different software",)
    )
    notification = told(alert(event("scaling.computable", figure), figures=(figure,)))
    assert notification.summary == "NVIDIA, 288 accelerators: 84.9 % scaling over 1 pair of sizes"
    assert tables(notification) == [
        [
            "NVIDIA, GB300: DeepSeek-R1",
            "Scenario  from, to  efficiency  lost",
            "Server    72 → 288      84.9 %  43.4",
        ]
    ]
    assert "of 288 accelerators 43.4 are lost to scale" in notification.sections[1].paragraphs[0]


def test_a_gain_and_a_record_are_told_with_what_was_before():
    gain = Gain(match="same_system", before=gb300(round="v6.0", value=400400.0), after=gb300(), ratio=1.49)
    gained = told(alert(event("gain.computable", gain), figures=(gain,)))
    assert gained.summary == "NVIDIA: 1.49x, v6.0 to v6.1, the same system"
    assert tables(gained)[0][1:] == ["Scenario   v6.0   v6.1   gain", "Server    400.4  596.9  1.49x"]
    record = Record(basis="absolute", best=row(), before=gb300(), since="v5.1")
    beaten = told(alert(event("record.beaten", record), figures=(record,)))
    assert beaten.summary == "NVIDIA: the best row in 1 cell of the tables we hold (since v5.1), in total"
    assert tables(beaten)[0][1:] == [
        "Scenario  Submitter     best  before",
        "Server    NVIDIA     1,175.9   596.9",
    ]


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ("per_accelerator", "per accelerator"),
        ("footnote_entries", "by the entries that the text names"),
    ],
)
def test_a_claim_that_another_pair_bears_out_is_told_with_the_like_for_like_figure(reading, said):
    found = Evidence(
        scenario="Server", reading="system", figure=1.49, holds=False, arithmetic="", rows=(row(), row())
    )
    verdict = Verdict(
        verdict="not_comparable",
        reading=reading,
        reason="other_count",
        evidence=(found, replace(found, reading=reading, figure=1.62, holds=True)),
    )
    made = claim(claim=replace(claim().claim, value=1.6, benchmark=None, scenarios=()), verdict=verdict)

    bullets = told(alert(event("claim.made", made), figures=(made,))).sections[0].bullets

    assert bullets == (
        (
            f'≠ "up to 1.6x": like for like at best DeepSeek-R1 Server 1.49x; {said} it is reached, '
            "not at the same count: DeepSeek-R1 Server 1.62x"
        ),
    )


def test_claims_are_told_against_the_rows_one_line_each():
    notification = told(alert(event("claim.made", claim()), figures=(claim(),)))
    assert notification.summary == "NVIDIA, 1 claim against the rows: 1 only in some scenarios"
    assert notification.sections[0].bullets == (
        (
            '◐ "up to 3.7x" on Qwen3-VL, Offline, Server and Interactive: Interactive 3.74x only; '
            "elsewhere Offline 1.83x and Server 1.92x"
        ),
    )
    assert "Power" not in text.plain(notification)


def test_a_new_verdict_says_what_it_was_before():
    before = claim(verdict=replace(claim().verdict, verdict="not_found", evidence=()))
    bullets = told(alert(event("claim.verdict_changed", claim(), before))).sections[0].bullets
    assert bullets[0].endswith("(was: no row to check it against)")


def test_a_round_a_name_a_post_and_sources_are_told_in_a_line_each():
    public = PublishedRound(
        suite="inference", round="v6.1", repository="mlcommons/x", url="https://example.org/x", results=492
    )
    name = NewName(kind="submitter", name="Wiwynn", suite="inference", round="v6.1", since="v5.1", results=3)
    post = Post(
        source="nv",
        identity="1",
        url="https://example.org/p",
        title="Vera Rubin <debuts>",
        html="",
        text="",
        vendor="NVIDIA",
        published_at=NOW,
    )
    trouble = SourceTrouble(
        source="hpcwire", url=None, failure="blocked", message="403 Forbidden.", failures=3, since=NOW
    )
    lines = [
        told(alert(event("round.published", public))).summary,
        told(alert(event("name.new", name))).summary,
        told(alert(event("post.added", post))).summary,
        told(alert(event("source.failing", trouble))).summary,
        told(alert(event("source.recovered", trouble))).summary,
        told(alert(event("source.held_back", trouble))).summary,
    ]
    assert lines == [
        "MLPerf Inference v6.1 is public, with 492 results",
        "MLPerf Inference v6.1: 1 new submitter: Wiwynn",
        "NVIDIA, 16 September 2026: Vera Rubin <debuts>",
        "Source hpcwire fails",
        "Source hpcwire works again",
        "Source hpcwire has a table that is held back",
    ]


def test_the_end_of_a_trouble_carries_its_own_sign_alone_and_among_others():
    trouble = SourceTrouble(
        source="hpcwire", url=None, failure="blocked", message="403", failures=3, since=NOW
    )
    over = replace(alert(event("source.recovered", trouble)), severity="high", title="All is well")
    still = replace(alert(event("source.failing", trouble)), severity="high", title="It fails")

    both = alert_notification([over, still], now=NOW)

    assert [text.emoji(told(over)), text.emoji(told(still))] == ["✅", "🔴"]
    assert [line.split()[0] for section in both.sections for line in section.bullets[:2]][:2] == ["✅", "🔴"]


def test_a_failing_source_says_since_when_and_what_to_run():
    trouble = SourceTrouble(
        source="hpcwire",
        url="https://example.org/feed",
        failure="blocked",
        message="403",
        failures=3,
        since=NOW,
    )
    section = told(alert(event("source.failing", trouble))).sections[0]
    assert section.paragraphs == (
        (
            "hpcwire (blocked) since 16 September 2026, 15:05 UTC, 3 times in a row: 403. "
            "Until it works again, news of it cannot reach you."
        ),
    )
    assert section.bullets == ("mlperf-watcher sources check hpcwire",)


def test_a_local_table_held_back_says_once_what_happens_to_it_and_how_to_take_it():
    message = "the table lost 6 of 9 results; it is kept out until a later table is whole"
    trouble = SourceTrouble(source="ingest", url=None, failure="held-back", message=message)

    section = told(alert(event("source.held_back", trouble))).sections[0]

    assert section.paragraphs == (f"ingest: {message}. The results held before still stand.",)
    assert section.bullets == ("mlperf-watcher ingest FILE --accept",)


def test_a_deadline_that_has_passed_says_that_nothing_matched():
    notification = told(
        alert(title="third-party-rack-power has not fired by 31 December 2026", rule="third-party-rack-power")
    )
    assert (
        notification.summary
        == "The rule third-party-rack-power was watched until its deadline, and nothing matched"
    )


def test_a_table_is_capped_and_says_how_much_more_there_is():
    rows = [row(submitter=f"S{n}", value=1000.0 + n) for n in range(492)]
    notification = told(alert(*(event("result.added", one) for one in rows)))
    assert len(notification.sections[0].grid.rows) == 40  # type: ignore[union-attr]
    assert notification.sections[1].paragraphs == ("452 more rows not shown here.",)


def test_many_alerts_become_one_message_the_most_severe_first():
    many = [
        alert(
            event("result.added", row()), number=n, title=f"Title {n}", severity="info" if n else "critical"
        )
        for n in range(34)
    ]
    notification = alert_notification(many, now=NOW + hours(3))
    assert notification.title == "34 alerts: Title 0"
    assert notification.severity == "critical"
    assert notification.summary == (
        "34 alerts since 16 September 2026, 15:05 UTC, together in one message: 1 critical and 33 info"
    )
    assert notification.sections[0].bullets[:2] == ("🚨 A-0000 Title 0", "🔵 A-0001 Title 1")
    assert notification.sections[0].bullets[-1] == "and 4 more alerts"
    assert len(notification.alerts) == 34


def test_the_same_alerts_have_the_same_id_in_any_order_and_others_another():
    one, two = alert(event("result.added", row())), alert(event("result.added", row()), group="other")
    ids = [alert_notification(those, now=NOW).id for those in ([one, two], [two, one], [one], [two])]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


def test_what_comes_late_says_when_it_was_found_and_what_is_private_is_marked():
    late = alert_notification([alert(event("result.added", row()))], now=NOW + hours(5))
    assert late.footer == "A-0142 · found 16 September 2026, 15:05 UTC"
    private = told(alert(event("result.added", row(), private=True)))
    assert private.footer == "PRIVATE, under embargo · A-0142"


def test_a_page_of_its_own_is_linked_where_pages_are_served():
    links = told(vera_rubin(), base_url="https://mlperf.example/").sections[-1].links
    assert (links[0].text, links[0].url) == ("A-0142", "https://mlperf.example/alerts/A-0142.html")


@pytest.mark.parametrize(
    "one",
    [
        vera_rubin(),
        alert(),
        alert(event("what.ever", row())),
        alert(event("comparison.removed", before=pairs()[0])),
        alert(event("claim.made", claim()), figures=(claim(),)),
        alert(
            *(event("result.added", row(submitter=f"<!channel> & {n}")) for n in range(300)),
            title="<!here> & co",
        ),
    ],
)
def test_every_message_keeps_slacks_rules(one: Alert):
    assert slack_rules.broken(slack_blocks.message(told(one))) == []


def test_a_message_is_the_same_whenever_it_is_made():
    at = datetime(2026, 9, 17, tzinfo=UTC)
    first, second = (
        replace(alert_notification([vera_rubin()], now=now), created_at=NOW) for now in (NOW, at)
    )
    assert (first.sections, first.id, first.summary) == (second.sections, second.id, second.summary)


def test_the_real_rows_are_told_as_the_tables_have_them(real: Path):
    name = "inference_v6.1_summary.json.gz"
    rows = read_table((real / "mlperf" / name).read_bytes(), name=name, catalog=names.load())[0].results
    ours, theirs = (
        parse_system(f"NVIDIA/{system}-nvl72", names.load()) for system in ("vera-rubin", "gb300")
    )
    figures, missing = compare(rows, ours, theirs)
    subjects = [figure.subject for figure in figures if figure.subject.scenario != "Offline"]
    one = alert(*(event("result.added", r) for r in subjects), figures=figures, not_comparable=missing)
    said = text.plain(told(one))
    assert "Interactive  1,307    349  3.74x" in said
    assert "Server       1,175.9  596.9  1.97x" in said
    assert "The middle of the six is 1.92x to 1.97x; one exceeds 3x." in said
    assert "GB300 keeps 29 % in Interactive, VR 56 %." in said
    assert "Power: none measured." in said
