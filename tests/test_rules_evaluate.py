"""Events and rules → alerts: groups, titles, what counts as a change, cooldowns and deadlines."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rule_examples import (
    NOON,
    SUBJECTS,
    changed,
    claim,
    comparison,
    event,
    gain,
    post,
    powered,
    record,
    result,
    rubin,
    rule,
    rules,
    scaling,
    trouble,
)
from watcher.domain import Alert, Event, Subject
from watcher.rules import RuleSet, evaluate, overdue, rule_set
from watcher.rules.titles import fill_title, number


def fired(found: RuleSet, *events: Event) -> list[str]:
    """The titles of the alerts that some events cause."""
    return [alert.title for alert in evaluate(found, events, NOON)]


def test_without_group_by_each_event_is_an_alert() -> None:
    found = rules("  - {id: a, watch: result, title: '{scenario}', where: {accelerator: b300}}\n")
    happened = [event(result(scenario=name)) for name in ("Offline", "Server", "Interactive")]

    alerts = evaluate(found, [*happened, event(rubin())], NOON)

    assert [(alert.title, alert.events) for alert in alerts] == [
        ("Interactive", (happened[2],)),
        ("Offline", (happened[0],)),
        ("Server", (happened[1],)),
    ]
    assert alerts[1].group == "added result inference/v6.1/closed/Acme/acme-b300x8/deepseek-r1/offline"


def test_group_by_makes_one_alert_of_events_alike() -> None:
    found = rules(
        "  - id: a\n    watch: result\n    title: '{submitter}: {scenario} on {accelerator_count}, {power}'\n"
        "    group_by: [round, submitter]\n    severity: high\n    receivers: team-slack\n"
    )
    offline, server = event(rubin(scenario="Offline")), event(rubin())
    other = event(result())

    assert evaluate(found, [server, other, offline], NOON) == (
        Alert(
            rule="a",
            title="Acme: Server on 8, none",
            severity="high",
            batch="b1",
            group="round=v6.1, submitter=Acme",
            events=(other,),
            receivers=("team-slack",),
            created_at=NOON,
        ),
        Alert(
            rule="a",
            title="NVIDIA: Offline, Server on 72, none",
            severity="high",
            batch="b1",
            group="round=v6.1, submitter=NVIDIA",
            events=(offline, server),
            receivers=("team-slack",),
            created_at=NOON,
        ),
    )


def test_events_of_two_batches_are_never_one_alert() -> None:
    found = rules("  - {id: a, watch: result, group_by: round}\n")
    happened = [event(result(), batch=name) for name in ("b1", "b2")]

    assert [(a.batch, a.group) for a in evaluate(found, happened, NOON)] == [
        ("b1", "round=v6.1"),
        ("b2", "round=v6.1"),
    ]


def test_figures_are_carried_by_the_alert() -> None:
    found = rules("  - {id: a, watch: scaling, group_by: round}\n")
    figures = (scaling(0.85), scaling(0.8, quoted=True))

    (alert,) = evaluate(found, [event(figure, "scaling.computable") for figure in figures], NOON)

    assert all(figure in alert.figures for figure in figures)
    assert alert.rows == ()


def test_severe_alerts_come_first() -> None:
    found = rules(
        "  - {id: a, watch: result}\n  - {id: b, watch: result, severity: critical}\n"
        "  - {id: c, watch: result, severity: high, digest_only: true}\n"
    )

    alerts = evaluate(found, [event(result())], NOON)

    assert [(alert.rule, alert.digest_only) for alert in alerts] == [("b", False), ("c", True), ("a", False)]


def test_disabled_rules_are_silent() -> None:
    assert fired(rules("  - {id: a, watch: result, enabled: false}\n"), event(result())) == []


def test_only_the_events_named_by_on_count() -> None:
    found = rules("  - {id: a, watch: result, on: [removed], title: '{submitter} {event}'}\n")
    gone = event(None, "result.removed", before=result(), id="gone")

    assert fired(found, gone, event(result())) == ["Acme removed"]


def test_a_change_counts_if_one_of_the_usual_fields_changed() -> None:
    found = rules("  - {id: a, watch: result, title: '{before.value} to {value}'}\n")
    before = result(value=39_000.0)

    assert fired(found, changed(before, result(), fields=("notes", "value"))) == ["39,000 to 40,000"]
    assert fired(found, changed(before, result(), fields=("notes", "software"))) == []


def test_a_rule_can_name_the_fields_whose_change_counts() -> None:
    found = rules("  - {id: a, watch: result, fields: [notes], title: '{fields}'}\n")

    assert fired(found, changed(result(), result(notes="x"), fields=("notes", "software"))) == [
        "notes, software"
    ]
    assert fired(found, changed(result(), result(value=1.0), fields=("value",))) == []


def test_where_is_about_the_state_after_the_change() -> None:
    found = rules(
        "  - {id: a, watch: result, where: {availability: available}, title: '{before.availability}'}\n"
    )

    assert fired(found, changed(result(availability="preview"), result(), fields=("availability",))) == [
        "preview"
    ]
    assert fired(found, changed(result(), result(availability="preview"), fields=("availability",))) == []


def test_when_fires_where_it_becomes_true() -> None:
    found = rules("  - {id: a, watch: result, when: {value: {gte: 40000}}, title: '{value}'}\n")
    below, above, higher = result(value=39_999.0), result(), result(value=41_000.0)

    assert fired(found, event(above)) == ["40,000"]
    assert fired(found, event(below)) == []
    assert fired(found, changed(below, above, fields=("value",))) == ["40,000"]
    assert fired(found, changed(above, higher, fields=("value",))) == []
    assert fired(found, changed(above, below, fields=("value",))) == []


def test_when_fires_where_only_where_was_not_so_before() -> None:
    found = rules(
        "  - {id: a, watch: result, where: {availability: available}, when: {value: {gte: 40000}}, title: '{value}'}\n"
    )

    assert fired(found, changed(result(availability="preview"), result(), fields=("availability",))) == [
        "40,000"
    ]


PAIR = "subject: {accelerator: vera-rubin}, baseline: {accelerator: b300}"


def pair_rules(options: str) -> tuple[RuleSet, str]:
    """A comparison rule, and the name of its pair."""
    found = rules(f"  - {{id: a, watch: comparison, {PAIR}, title: '{{ratio:.2f}}', {options}}}\n")
    spec = found.rules[0].spec
    assert spec is not None
    return found, spec.id


def test_a_comparison_rule_hears_of_its_own_pair_alone() -> None:
    found, spec = pair_rules("severity: info")

    assert fired(found, event(comparison(spec=spec), "comparison.computable")) == ["1.50"]
    assert (
        fired(found, event(comparison(spec="another over b300 per accelerator"), "comparison.computable"))
        == []
    )


def test_a_comparison_fires_at_its_threshold_when_it_is_first_computable_or_crosses_it() -> None:
    found, spec = pair_rules("when: {ratio: {gte: 1.5}}")

    def figure(value: float) -> Subject:
        return comparison(per_accelerator=value, spec=spec)

    assert fired(found, event(figure(1.5), "comparison.computable")) == ["1.50"]
    assert fired(found, event(figure(1.49), "comparison.computable")) == []
    assert fired(found, changed(figure(1.4), figure(1.6), "comparison.changed")) == ["1.60"]
    assert fired(found, changed(figure(1.6), figure(2.6), "comparison.changed")) == []


def test_without_when_a_figure_fires_if_it_moves_by_more_than_its_tolerance() -> None:
    found, spec = pair_rules("per: accelerator")

    def moved(before: float, after: float) -> Event:
        first, second = (comparison(per_accelerator=value, spec=spec) for value in (before, after))
        return changed(first, second, "comparison.changed")

    assert fired(found, moved(1.5, 1.514)) == []
    assert fired(found, moved(1.5, 1.516)) == ["1.52"]
    assert fired(found, moved(1.5, 1.47)) == ["1.47"]


def test_a_tolerance_can_be_named() -> None:
    found = rules(
        "  - {id: a, watch: gain, tolerance: 10 %, title: '{ratio:.2f} after {before.ratio:.2f}'}\n"
    )

    assert fired(found, changed(gain(1.4), gain(1.5), "gain.changed")) == []
    assert fired(found, changed(gain(1.4), gain(1.6), "gain.changed")) == ["1.60 after 1.40"]


def test_per_system_is_about_the_ratio_of_the_rows() -> None:
    found, spec = pair_rules("per: system, when: {ratio: {gte: 2}}")

    assert fired(found, event(comparison(2.0, 1.5, spec=spec), "comparison.computable")) == ["2.00"]
    assert fired(
        found, changed(comparison(1.9, 1.5, spec=spec), comparison(2.1, 1.5, spec=spec), "comparison.changed")
    ) == ["2.10"]


def test_a_figure_that_had_no_value_before_has_moved() -> None:
    found, spec = pair_rules("per: accelerator")
    before, after = comparison(per_accelerator=None, spec=spec), comparison(spec=spec)

    assert fired(found, changed(before, after, "comparison.changed")) == ["1.50"]


def test_a_figure_that_is_gone_is_silent_unless_asked_for() -> None:
    gone = event(None, "scaling.removed", before=scaling(), id="gone")

    assert fired(rules("  - {id: a, watch: scaling, when: {efficiency: {lt: 0.9}}}\n"), gone) == []
    assert fired(
        rules("  - {id: a, watch: scaling, on: removed, title: '{efficiency:.0%} {event}'}\n"), gone
    ) == ["85% removed"]


def test_a_beaten_record_is_about_itself_and_not_about_the_one_before() -> None:
    found = rules(
        "  - {id: a, watch: record, when: {ratio: {gte: 1.5}}, title: '{ratio:.1f}x since {since}'}\n"
    )
    happened = changed(record(before=result(value=10_000.0)), record(), "record.beaten")

    assert fired(found, happened) == ["2.0x since v5.1"]


@pytest.mark.parametrize("watch", SUBJECTS)
def test_every_watch_has_a_title_of_its_own(watch: str) -> None:
    pair = ", baseline: vendor" if watch == "comparison" else ""
    found = rules(f"  - {{id: a, watch: {watch}{pair}}}\n")
    subject = SUBJECTS[watch]
    if watch == "comparison":
        subject = comparison(spec=found.rules[0].spec.id)  # type: ignore[union-attr]
    word = found.rules[0].on[0]

    (title,) = fired(found, event(subject, f"{watch}.{word}"))

    assert (
        title
        == {
            "result": "Acme: deepseek-r1 Server added, inference v6.1",
            "record": "Acme: best deepseek-r1 Server since v5.1",
            "name": "New submitter in inference v6.1: Acme",
            "comparison": "vera-rubin is 1.50x b300 on deepseek-r1 Server, v6.1",
            "scaling": "Acme: b300 scales to 85.0% at 16 on deepseek-r1 Server",
            "gain": "Acme: 1.40x on deepseek-r1 Server from v6.0 to v6.1",
            "rank": "Acme: passed by NVIDIA on deepseek-r1 Server, v6.1: place 2 of 2",
            "promise": "NVIDIA: preview of deepseek-r1 Server, v6.1: open",
            "claim": "NVIDIA: claim only_in_some_scenarios",
            "post": "Acme: Acme in MLPerf Inference v6.1",
            "round": "MLPerf inference v6.1 is public",
            "source": "Source mlcommons failing: 503",
        }[watch]
    )


TITLES = [
    ("{submitter} {value}", "Acme, NVIDIA 40,000, 1,000,000"),
    ("{value:.1e} {value:,.0f}", "4.0e+04, 1.0e+06 40,000, 1,000,000"),
    ("{value.min:,.0f} to {value.max:,.0f}, middle {value.median}", "40,000 to 1,000,000, middle 520,000"),
    (
        "{suite:title} {availability:upper} {accelerator:lower}",
        "Inference AVAILABLE, PREVIEW b300, vera-rubin",
    ),
    ("{count}: {count:row}", "2: 2 rows"),
    ("{power} {power.value} {nodes} {nodes.max}", "none none none none"),
    ("{precision}", "fp4, fp8"),
    ("{{braces}} {round}", "{braces} v6.1"),
    ("two\n  lines", "two lines"),
]


@pytest.mark.parametrize(("template", "title"), TITLES)
def test_a_title_prints_what_the_group_holds(template: str, title: str) -> None:
    assert fill_title(template, "result", [event(result()), event(rubin())]) == title


def test_one_is_not_a_plural() -> None:
    assert fill_title("{count:row}", "result", [event(result())]) == "1 row"


def test_power_prints_its_kind_and_a_time_its_minute() -> None:
    happened = [event(powered(inferred=True, first_seen_at=NOON))]

    assert (
        fill_title("{power}; {power.kind}; {inferred}", "result", happened)
        == "measured 10,400.99 W; measured; yes"
    )
    assert fill_title("{first_seen_at}", "result", happened) == "2026-09-16 12:00Z"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1306.6078, "1,306.61"),
        (72, "72"),
        (1e6, "1,000,000"),
        (0.99, "0.99"),
        (0.01234567, "0.01235"),
        (1.5, "1.5"),
    ],
)
def test_a_number_is_written_as_people_write_it(value: float, text: str) -> None:
    assert number(value) == text


def test_a_source_that_flaps_is_told_once_a_cooldown_each_way() -> None:
    found = rules("  - {id: a, watch: source, cooldown: 6h}\n")
    failing, recovered = event(trouble(), "source.failing"), event(trouble(), "source.recovered")
    told = {("a", "failing source mlcommons"): NOON}

    def suppressed(happened: Event, hours: float) -> str | None:
        now = NOON + timedelta(hours=hours)
        (alert,) = evaluate(found, [happened], now, last_alert_at=lambda rule, group: told.get((rule, group)))
        return alert.suppressed

    assert suppressed(failing, 5.9) == "cooldown: told at 2026-09-16 12:00Z, again from 2026-09-16 18:00Z"
    assert suppressed(failing, 6) is None
    assert suppressed(recovered, 1) is None


def test_a_rule_added_later_looks_forward_only() -> None:
    found = rules("  - {id: old, watch: result}\n  - {id: new, watch: result}\n")
    happened = [event(result(), number=7), event(rubin(), number=8)]

    alerts = evaluate(found, happened, NOON, since={"old": 0, "new": 7})

    assert [(alert.rule, alert.rows[0].submitter) for alert in alerts] == [
        ("new", "NVIDIA"),
        ("old", "Acme"),
        ("old", "NVIDIA"),
    ]


def test_a_passed_deadline_is_told_of_rules_that_have_not_fired() -> None:
    found = rules(
        "  - {id: late, watch: post, until: 2026-12-01, severity: high, receivers: team-slack}\n"
        "  - {id: fired, watch: post, until: 2026-12-01}\n"
        "  - {id: off, watch: post, until: 2026-12-01, enabled: false}\n"
        "  - {id: later, watch: post, until: 2026-12-24T08:00+01:00}\n"
        "  - {id: never, watch: post}\n"
    )
    midnight = datetime(2026, 12, 2, tzinfo=UTC)

    assert overdue(found, {"fired"}, midnight - timedelta(seconds=2)) == ()
    assert overdue(found, {"fired"}, midnight) == (
        Alert(
            rule="late",
            title="late has not fired by 1 December 2026",
            severity="high",
            batch="deadline",
            group="until 2026-12-01 23:59Z",
            events=(),
            receivers=("team-slack",),
            created_at=midnight,
        ),
    )
    assert [alert.rule for alert in overdue(found, (), datetime(2026, 12, 24, 7, tzinfo=UTC))] == [
        "fired",
        "late",
        "later",
    ]


def test_a_pattern_that_runs_out_of_time_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    found = rules("  - {id: a, watch: result, where: {notes: {matches: '(a|a)+$'}}}\n")
    happened = [event(result(notes="a" * 60 + f"{n}!")) for n in range(4)]

    with caplog.at_level(logging.WARNING, logger="watcher.rules"):
        assert evaluate(found, happened, NOON) == ()

    assert [each.getMessage() for each in caplog.records] == [
        "pattern '(a|a)+$' ran out of time 3 times and did not match; make it simpler"
    ]


MANY_RULES = rules(
    """
  - {id: per-row, watch: result, where: {accelerator: [b300, vera-rubin]}, title: '{submitter} {scenario}'}
  - {id: per-round, watch: result, group_by: round, title: '{count} {submitter} {scenario} {value}'}
  - {id: whose, watch: result, group_by: [submitter, precision], where: {none: [{scenario: Offline}]}}
  - {id: few, watch: gain, when: {ratio: {gt: 1.3}}, group_by: round, title: '{ratio}'}
  - {id: said, watch: claim, group_by: url, title: '{count} {verdict}'}
  - {id: news, watch: post, title: '{title}'}
"""
)
MANY_EVENTS = [
    *(
        event(result(scenario=name, submitter=who))
        for name in ("Offline", "Server", "Interactive")
        for who in ("A", "B")
    ),
    *(event(rubin(scenario=name), batch="b2") for name in ("Offline", "Server")),
    *(event(gain(ratio), "gain.computable") for ratio in (1.2, 1.4, 1.5)),
    *(event(claim(verdict), "claim.made") for verdict in ("confirmed", "contradicted")),
    *(event(post(title=name, identity=name), "post.added") for name in ("x", "y")),
]


@given(st.permutations(MANY_RULES.rules), st.permutations(MANY_EVENTS), st.integers(0, len(MANY_EVENTS)))
def test_the_order_of_rules_and_events_and_repeats_change_no_alert(
    some_rules: list[object], some_events: list[Event], repeated: int
) -> None:
    expected = evaluate(MANY_RULES, MANY_EVENTS, NOON)

    assert evaluate(rule_set(some_rules), [*some_events, *some_events[:repeated]], NOON) == expected  # type: ignore[arg-type]
    assert len(expected) == 17


def test_one_event_may_fire_many_rules_and_each_says_its_own_words() -> None:
    first = rule("  - {id: a, watch: result, title: one}\n")
    found = rule_set([first, replace(first, id="b", title="two")])

    assert fired(found, event(result())) == ["one", "two"]
