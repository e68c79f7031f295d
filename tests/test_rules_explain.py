"""Why a rule did or did not fire, and what it would have fired."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from tests.rule_examples import (
    NOON,
    SUBJECTS,
    changed,
    claim,
    comparison,
    event,
    post,
    powered,
    result,
    rubin,
    rule,
    rules,
)
from watcher.rules.backtest import backtest
from watcher.rules.explain import explain, words_of

RACK_POWER = """
  - id: rack-power
    watch: result
    where:
      accelerator: vera-rubin
      organisations: {none_of: [NVIDIA, Nebius]}
      power: {exists: true}
      accelerator_count: {gte: 36}
"""
HALF = {
    "submitter": "Nebius",
    "organisations": ("Nebius",),
    "accelerator_count": 36,
    "system": None,
    "platform": "x36",
}


def test_each_clause_says_what_passes_and_each_miss_what_stopped_it() -> None:
    rows = [rubin(), rubin(**HALF), rubin(**HALF, scenario="Offline"), result(), powered(accelerator_count=4)]

    found = explain(rule(RACK_POWER), rows)

    assert [(clause.text, len(clause.passing)) for clause in found.clauses] == [
        ("event is added or changed", 5),
        ("accelerator is vera-rubin", 3),
        ("organisations is none of NVIDIA, Nebius", 2),
        ("power exists", 1),
        ("accelerator_count is at least 36", 3),
    ]
    assert found.passes == ()
    assert found.misses[0].subjects == (rows[2], rows[1])
    assert (
        found.text
        == """\
rack-power: 0 of 5 pass (result)
      5 pass  event is added or changed
      3 pass  accelerator is vera-rubin
      2 pass  organisations is none of NVIDIA, Nebius
      1 pass  power exists
      3 pass  accelerator_count is at least 36
Nearest misses:
  Nebius, 36 x vera-rubin: deepseek-r1 Offline, v6.1 (and 1 more)
    - organisations is none of NVIDIA, Nebius: excluded organisation: Nebius
    - power exists: no power of any kind; the power limit 2300 W in the notes is one accelerator's and is not power
  NVIDIA, 72 x vera-rubin: deepseek-r1 Server, v6.1
    - organisations is none of NVIDIA, Nebius: excluded organisation: NVIDIA
    - power exists: no power of any kind; the power limit 2300 W in the notes is one accelerator's and is not power
  Acme, 4 x b300: deepseek-r1 Server, v6.1
    - accelerator is vera-rubin: it is b300
    - accelerator_count is at least 36: it is 4
  Acme, 8 x b300: deepseek-r1 Server, v6.1
    - accelerator is vera-rubin: it is b300
    - power exists: no power of any kind
    - accelerator_count is at least 36: it is 8"""
    )


def test_rows_that_would_read_alike_are_told_apart_by_their_platforms() -> None:
    rows = [result(platform="one"), result(platform="two"), result(platform="three", accelerator_count=16)]

    found = explain(rule("\n  - {id: b300, watch: result, where: {accelerator: b300}}"), rows)

    assert found.text.splitlines()[3:] == [
        "Passes:",
        "  Acme, 8 x b300: deepseek-r1 Server, v6.1 (one)",
        "  Acme, 8 x b300: deepseek-r1 Server, v6.1 (two)",
        "  Acme, 16 x b300: deepseek-r1 Server, v6.1",
    ]


def test_an_explanation_is_json_too() -> None:
    found = explain(
        rule(RACK_POWER), [rubin(**HALF), rubin(submitter="X", organisations=("X",), power=powered().power)]
    )

    assert found.as_dict(lambda subject: subject.platform) == {  # type: ignore[union-attr]
        "rule": "rack-power",
        "watch": "result",
        "considered": 2,
        "clauses": [
            {"clause": clause.text, "passing": len(clause.passing), "rows": names}
            for clause, names in zip(
                found.clauses,
                (
                    [HALF_NAME, WHOLE_NAME],
                    [HALF_NAME, WHOLE_NAME],
                    [WHOLE_NAME],
                    [WHOLE_NAME],
                    [HALF_NAME, WHOLE_NAME],
                ),
                strict=True,
            )
        ],
        "passes": ["vr-x72"],
        "nearest_misses": [
            {
                "name": HALF_NAME,
                "rows": ["x36"],
                "stopped_by": [
                    {
                        "clause": "organisations is none of NVIDIA, Nebius",
                        "reason": "excluded organisation: Nebius",
                    },
                    {
                        "clause": "power exists",
                        "reason": "no power of any kind; the power limit 2300 W in the notes is one accelerator's and is not power",
                    },
                ],
            }
        ],
    }


HALF_NAME = "Nebius, 36 x vera-rubin: deepseek-r1 Server, v6.1"
WHOLE_NAME = "X, 72 x vera-rubin: deepseek-r1 Server, v6.1"


def test_the_nearer_number_is_the_nearer_miss() -> None:
    found = explain(
        rule("  - {id: a, watch: result, where: {accelerator_count: {gte: 36}}}\n"),
        [result(accelerator_count=n, platform=f"x{n}") for n in (1, 32, 8, None)],
    )

    assert [miss.subjects[0].platform for miss in found.misses] == ["x32", "x8", "x1", "xNone"]  # type: ignore[union-attr]
    assert found.misses[-1].stopped_by[0].reason == "there is none"


def test_a_rule_that_waits_for_a_correction_says_that_nothing_happened() -> None:
    found = explain(
        rule("  - {id: a, watch: result, on: changed, where: {accelerator: b300}}\n"), [result(), rubin()]
    )

    assert [(miss.name, [stop.reason for stop in miss.stopped_by]) for miss in found.misses] == [
        ("Acme, 8 x b300: deepseek-r1 Server, v6.1", ["nothing of the kind has happened to it"]),
        (
            "NVIDIA, 72 x vera-rubin: deepseek-r1 Server, v6.1",
            ["nothing of the kind has happened to it", "it is vera-rubin"],
        ),
    ]


def test_recorded_events_say_why_they_were_silent() -> None:
    def reasons(text: str, *happened: object) -> list[str]:
        found = explain(rule(text), happened)  # type: ignore[arg-type]
        return [stop.reason for miss in found.misses for stop in miss.stopped_by]

    notes = changed(result(), result(notes="x"), fields=("notes",))
    higher = changed(result(), result(value=50_000.0), fields=("value",))
    pair = "subject: {accelerator: vera-rubin}, baseline: {accelerator: b300}"
    spec = "vera-rubin over b300 per accelerator"
    moved = changed(comparison(spec=spec), comparison(spec=spec, per_accelerator=1.501), "comparison.changed")

    assert reasons("  - {id: a, watch: result}\n", notes) == ["changed was only notes"]
    assert reasons("  - {id: a, watch: result, when: {value: {gt: 1}}}\n", higher) == [
        "it was so before the change"
    ]
    assert reasons("  - {id: a, watch: result, on: added}\n", higher) == ["this was changed"]
    assert reasons(f"  - {{id: a, watch: comparison, {pair}}}\n", moved) == ["it moved by no more than 1.0%"]


def test_alternatives_say_each_what_stopped_them() -> None:
    found = explain(
        rule(
            "  - id: a\n    watch: result\n    where:\n      any: [{accelerator: gb300}, {scenario: Offline, division: closed}]\n"
            "      none: [{precision: fp4}]\n"
        ),
        [result()],
    )

    assert [(stop.clause, stop.reason) for stop in found.misses[0].stopped_by] == [
        (
            "any of (accelerator is gb300; all of (scenario is Offline; division is closed))",
            "accelerator is gb300: it is b300; all of (scenario is Offline; division is closed): scenario is Offline: it is Server",
        ),
        ("none of (precision is fp4)", "precision is fp4 holds"),
    ]


def test_things_of_another_watch_are_left_out() -> None:
    found = explain(rule("  - {id: a, watch: claim, where: {verdict: contradicted}}\n"), SUBJECTS.values())

    assert (found.considered, found.passes) == (1, ())
    assert found.misses[0].name == '"up to 3.7x" in Racks, compared'


def test_what_does_not_apply_is_said() -> None:
    found = explain(rule("  - {id: a, watch: result, where: {before.value: {gt: 1}}}\n"), [result()])

    assert found.misses[0].stopped_by[0].reason == "does not apply"


def test_conditions_read_as_sentences() -> None:
    def words(where: str) -> str:
        return words_of(rule(f"  - {{id: a, watch: result, where: {where}}}\n").where)

    assert words("{accelerator_count: {between: [8, 72]}}") == "accelerator_count is between 8 and 72"
    assert words("{power: {exists: false}}") == "power does not exist"
    assert words("{inferred: true}") == "inferred is true"
    assert words("{platform: {contains: [x, y]}}") == "platform contains x or y"
    assert words("{value: {gt: 1000000}}") == "value is over 1,000,000"


def test_a_long_list_of_passes_is_cut_in_text_and_whole_in_values() -> None:
    found = explain(rule("  - {id: a, watch: result}\n"), [result(platform=f"x{n}") for n in range(23)])

    assert len(found.passes) == 23
    assert found.text.endswith("\n  and 3 more")


# ---------------------------------------------------------------------------------------------- backtest


def test_a_backtest_goes_through_the_batches_in_order() -> None:
    found = rule(
        "  - {id: a, watch: result, where: {scenario: Server}, group_by: round, title: '{round}', severity: high}\n"
    )
    batches = [
        [
            event(result(round=name, scenario=s), batch=name, occurred_at=NOON + timedelta(days=day))
            for s in ("Offline", "Server")
        ]
        for day, name in enumerate(("v5.1", "v6.0", "v6.1"))
    ]

    told = backtest(found, [*batches, []])

    assert [alert.title for alert in told.alerts] == ["v5.1", "v6.0", "v6.1"]
    assert told.as_dict()["alerts"][1] == {
        "date": "2026-09-17T12:00:00+00:00",
        "rule": "a",
        "title": "v6.0",
        "severity": "high",
        "group": "round=v6.0",
        "events": 1,
        "suppressed": None,
    }
    assert told.text.splitlines() == [
        "3 alerts over 6 events in 4 batches; nothing was sent",
        "2026-09-16  high      a: v5.1",
        "2026-09-17  high      a: v6.0",
        "2026-09-18  high      a: v6.1",
    ]


def test_a_backtest_keeps_cooldowns_and_tries_a_rule_that_is_not_enabled() -> None:
    found = rule(
        "  - {id: a, watch: post, group_by: source, cooldown: 1d, enabled: false, title: '{title}'}\n"
    )
    batches = [
        [
            event(
                post(title=str(hour)), "post.added", batch=str(hour), occurred_at=NOON + timedelta(hours=hour)
            )
        ]
        for hour in (0, 12, 24, 36)
    ]

    told = backtest(found, batches)

    assert [(alert.title, alert.suppressed is None) for alert in told.alerts] == [
        ("0", True),
        ("12", False),
        ("24", True),
        ("36", False),
    ]
    assert "12 [cooldown: told at 2026-09-16 12:00Z, again from 2026-09-17 12:00Z]" in told.text


def test_a_backtest_of_a_set_leaves_disabled_rules_out() -> None:
    found = rules(
        "  - {id: a, watch: claim, title: a}\n  - {id: b, watch: claim, title: b, enabled: false}\n"
    )

    told = backtest(found, [[event(claim(), "claim.made")]])

    assert [alert.title for alert in told.alerts] == ["a"]
    assert (
        backtest(replace(found.rules[1], enabled=True), [[event(claim(), "claim.made")]]).alerts[0].title
        == "b"
    )
