"""The rules that we ship: which they are, that they name nobody, and what they fire on rows of our own and on real ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.figure_rows import derived as moved
from tests.rule_examples import NOON, changed, claim, event, gain, post, powered, result, rubin, trouble
from watcher import archive
from watcher.catalog.names import load as load_catalog
from watcher.domain import Alert, Event, NewName, PublishedRound, Result
from watcher.parse import read_table
from watcher.rules import RuleSet, evaluate, load
from watcher.rules.explain import explain

IDS = {
    "vera-rubin-per-scenario",
    "vera-rubin-over-gb300",
    "third-party-rack-power",
    "new-round",
    "endpoints-appears",
    "new-submitter",
    "new-accelerator",
    "result-withdrawn",
    "result-corrected",
    "cited-row-changed",
    "result-renamed",
    "source-trouble",
    "server-scaling",
    "round-gain",
    "third-party-over-vendor",
    "record-beaten",
    "claim-not-borne-out",
    "claim-contradicted",
    "claim-about-watched-system",
    "vendor-post-about-round",
}


@pytest.fixture(scope="module")
def shipped() -> RuleSet:
    return load(Path(__file__).parent.parent / "rules", load_catalog(), ())


def publish(shipped: RuleSet, before: Sequence[Result], new: Sequence[Result]) -> tuple[Alert, ...]:
    """The alerts of a table that arrives: its rows, and the figures that they make."""
    after = (*before, *new)
    derived = moved(before, after, {row.key for row in new}, shipped.wanted())
    happened = [event(row, id=f"row {n}") for n, row in enumerate(new)]
    happened += [
        Event(id=f"figure {n}", kind=d.kind, occurred_at=NOON, batch="b1", before=d.before, after=d.after)
        for n, d in enumerate(derived)
    ]
    return evaluate(shipped, happened, NOON)


def titles(shipped: RuleSet, *happened: Event) -> list[tuple[str, str]]:
    return [(alert.rule, alert.title) for alert in evaluate(shipped, happened, NOON)]


def test_the_shipped_rules_are_these_and_all_are_on(shipped: RuleSet) -> None:
    assert {rule.id for rule in shipped.rules if rule.enabled} == IDS


def test_shipped_rules_name_no_receivers(shipped: RuleSet) -> None:
    assert [rule.id for rule in shipped.rules if rule.receivers] == []


def test_vera_rubin_rows_of_one_submitter_are_one_alert(shipped: RuleSet) -> None:
    rows = [rubin(scenario=name) for name in ("Offline", "Server", "Interactive")]

    found = [a for a in publish(shipped, [], rows) if a.rule == "vera-rubin-per-scenario"]

    assert [(alert.title, alert.severity, alert.rows) for alert in found] == [
        (
            "Vera Rubin: Server, Interactive results by NVIDIA, MLPerf Inference v6.1 (closed, PREVIEW)",
            "high",
            (rows[1], rows[2]),
        )
    ]
    against = shipped.by_id["vera-rubin-per-scenario"].against
    assert against is not None
    assert (against.accelerator, against.accelerator_count) == ("gb300", 72)


def test_a_corrected_spelling_of_vera_rubin_is_silent(shipped: RuleSet) -> None:
    before = rubin(accelerator_published="NVIDIA VeraRubin")

    assert (
        titles(shipped, changed(before, rubin(), fields=("accelerator_published", "system_name", "notes")))
        == []
    )


def test_rack_power_of_a_third_party_prints_its_kind(shipped: RuleSet) -> None:
    row = rubin(submitter="Acme", organisations=("Acme",), accelerator_count=36, power=powered().power)

    assert (
        "third-party-rack-power",
        "Acme published Vera Rubin with measured power, MLPerf Inference v6.1",
    ) in titles(shipped, event(row))


@pytest.mark.parametrize(
    "changes",
    [
        {"power": ()},
        {"organisations": ("NVIDIA",), "submitter": "NVIDIA"},
        {"organisations": ("Acme", "Nebius"), "submitter": "Acme_Nebius"},
        {"accelerator_count": 8},
        {"accelerator": "gb300", "accelerators": ("gb300",)},
    ],
)
def test_rack_power_is_not_told_of_anything_less(shipped: RuleSet, changes: dict[str, object]) -> None:
    row = rubin(
        **{
            "submitter": "Acme",
            "organisations": ("Acme",),
            "power": powered().power,
            "scenario": "Offline",
            **changes,
        }
    )

    assert titles(shipped, event(row)) == []


def test_a_round_is_told_once_and_endpoints_by_its_own_rule(shipped: RuleSet) -> None:
    def published(suite: str, name: str) -> Event:
        return event(PublishedRound(suite=suite, round=name), "round.published")

    assert titles(shipped, published("training", "v6.0")) == [("new-round", "MLPerf Training v6.0 is public")]
    assert titles(shipped, published("endpoints", "v1.0")) == [
        ("endpoints-appears", "MLPerf Endpoints v1.0 is public")
    ]


def test_new_names_of_a_round_are_one_alert_a_kind(shipped: RuleSet) -> None:
    names = [
        event(NewName(kind=kind, name=name, suite="inference", round="v6.1"), "name.new")
        for kind, name in (
            ("submitter", "Wiwynn"),
            ("submitter", "Acme"),
            ("accelerator", "mi999x"),
            ("column", "design_power"),
            ("benchmark", "new-llm"),
        )
    ]

    assert titles(shipped, *names) == [
        ("new-accelerator", "First seen in MLPerf Inference v6.1: mi999x"),
        ("new-submitter", "First seen in MLPerf Inference v6.1: Acme, Wiwynn"),
    ]


def test_what_happens_to_rows_after_publication_is_told(shipped: RuleSet) -> None:
    corrected = changed(result(value=39_000.0), result(), fields=("value",))
    renamed = changed(result(submitter="Acme_1"), result(), "result.renamed")
    gone = [event(None, "result.removed", before=result(scenario=s), id=s) for s in ("Offline", "Server")]
    back = event(result(), "result.restored")

    assert titles(shipped, corrected, renamed, *gone, back) == [
        ("result-corrected", "Acme: 1 result corrected (value), MLPerf Inference v6.1"),
        ("result-withdrawn", "Acme: 2 results removed, MLPerf Inference v6.1"),
        ("result-withdrawn", "Acme: 1 result restored, MLPerf Inference v6.1"),
        ("result-renamed", "Acme_1: 1 result renamed, MLPerf Inference v6.1"),
    ]


def test_source_trouble_says_what_happened(shipped: RuleSet) -> None:
    happened = [
        event(trouble(source=source, failure=failure), f"source.{word}")
        for source, failure, word in (
            ("a", "server", "failing"), ("b", "held-back", "held_back"), ("c", "server", "recovered"), ("d", "stale", "stale"),
            ("receiver e", "receiver", "failing"), ("receiver f", "receiver", "recovered"), ("ingest", "held-back", "held_back"),
        )
    ]  # fmt: skip

    assert {title for _, title in titles(shipped, *happened)} == {
        "Source a is failing: 503",
        "A table of source b is held back: 503",
        "Source c has recovered: 503",
        "Source d is stale: 503",
        "Receiver e is failing: 503",
        "Receiver f has recovered: 503",
        "A local table is held back: 503",
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"notes": "B300 system, CPU-only run"},
        {"accelerator_power_limit_watts": 900.0},
        {"accelerator_count": 4},
        {"processor": "another"},
        {"system_type": ("edge",)},
        {"division": "open"},
    ],
)
def test_a_gain_between_systems_that_are_not_alike_is_silent(
    shipped: RuleSet, changes: dict[str, object]
) -> None:
    after = result(accelerator_power_limit_watts=1100.0, processor="one", notes="TGP 1100W")
    before = replace(after, round="v6.0")
    alike = replace(gain(1.4), before=before, after=after)
    unlike = replace(alike, before=replace(before, **changes))  # type: ignore[arg-type]
    if {"system_type", "division"} & changes.keys():
        unlike = replace(alike, after=replace(after, **changes))  # type: ignore[arg-type]

    assert [rule for rule, _ in titles(shipped, event(alike, "gain.computable"))] == ["round-gain"]
    assert titles(shipped, event(unlike, "gain.computable")) == []


def test_a_claim_is_told_by_its_verdict(shipped: RuleSet) -> None:
    def told(verdict: str, **changes: object) -> list[tuple[str, str]]:
        return titles(shipped, event(claim(verdict, **changes), "claim.made"))

    about = ("claim-about-watched-system", "NVIDIA: 1 claim about Vera Rubin NVL72")

    assert told("confirmed") == [about]
    assert told("only_in_some_scenarios") == [
        about,
        ("claim-not-borne-out", "NVIDIA: 1 claim borne out only in some scenarios"),
    ]
    assert told("contradicted") == [("claim-contradicted", "NVIDIA: 1 claim that no row reaches"), about]
    assert told("not_mlperf", status="not_mlperf") == [about]
    assert told("confirmed", subject_system="MI355X", baseline_system="B300") == []


def test_a_vendors_post_about_a_round_is_told_and_others_are_not(shipped: RuleSet) -> None:
    def told(**changes: object) -> list[tuple[str, str]]:
        return titles(shipped, event(post(**changes), "post.added"))

    assert told() == [("vendor-post-about-round", "Acme on MLPerf v6.1: Acme in MLPerf Inference v6.1")]
    assert told(vendor=None) == []
    assert told(title="A new office", text="Nothing about benchmarks. vLLM v0.11 is out.") == []


def test_the_archived_v61_gives_the_same_five_rows_and_no_power(shipped: RuleSet) -> None:
    happened = [event(row, id=str(n)) for n, row in enumerate(archive.load("inference", "v6.1").results)]

    alerts = evaluate(shipped, happened, NOON)

    assert [(alert.rule, [round(row.value, 2) for row in alert.rows]) for alert in alerts] == [
        ("vera-rubin-per-scenario", [1175890.22, 652750.14, 2323.27, 1306.61]),
        ("vera-rubin-per-scenario", [591368.31]),
    ]


# ---------------------------------------------------------------------------------------------- real tables


@pytest.fixture(scope="module")
def tables(real: Path) -> dict[str, tuple[Result, ...]]:
    names = {
        "v5.1": "inference_v5.1_summary_results.json.gz",
        "v6.0": "inference_v6.0_summary_results.json.gz",
        "v6.1": "inference_v6.1_summary.json.gz",
    }
    return {
        round_: read_table((real / "mlperf" / name).read_bytes(), name=name, catalog=load_catalog())[
            0
        ].results
        for round_, name in names.items()
    }


@pytest.fixture(scope="module")
def publication(shipped: RuleSet, tables: dict[str, tuple[Result, ...]]) -> tuple[Alert, ...]:
    """What the shipped rules fire when v6.1 arrives where v5.1 and v6.0 are held."""
    return publish(shipped, (*tables["v5.1"], *tables["v6.0"]), tables["v6.1"])


def test_v61_gives_nvidias_four_rows_and_the_one_of_nebius(publication: tuple[Alert, ...]) -> None:
    found = [alert for alert in publication if alert.rule == "vera-rubin-per-scenario"]

    assert [
        [
            (row.submitter, row.accelerator_count, row.benchmark, row.scenario, round(row.value, 2))
            for row in alert.rows
        ]
        for alert in found
    ] == [
        [
            ("NVIDIA", 72, "deepseek-r1", "Server", 1175890.22),
            ("NVIDIA", 72, "deepseek-r1", "Interactive", 652750.14),
            ("NVIDIA", 72, "qwen3-vl-235b-a22b", "Server", 2323.27),
            ("NVIDIA", 72, "qwen3-vl-235b-a22b", "Interactive", 1306.61),
        ],
        [("Nebius", 36, "deepseek-r1", "Server", 591368.31)],
    ]
    assert {row.availability for alert in found for row in alert.rows} == {"preview"}


def test_v61_has_no_rack_power_and_explains_who_came_nearest(
    shipped: RuleSet, publication: tuple[Alert, ...], tables: dict[str, tuple[Result, ...]]
) -> None:
    found = explain(shipped.by_id["third-party-rack-power"], tables["v6.1"])

    assert [alert for alert in publication if alert.rule == "third-party-rack-power"] == []
    assert found.passes == ()
    nearest = found.misses[0]
    assert nearest.name == "Nebius, 36 x vera-rubin: deepseek-r1 Offline, v6.1 (and 1 more)"
    assert [(stop.clause, stop.reason) for stop in nearest.stopped_by] == [
        ("organisations is none of NVIDIA, Nebius", "excluded organisation: Nebius"),
        (
            "power exists",
            "no power of any kind; the power limit 2300 W in the notes is one accelerator's and is not power",
        ),
    ]


def test_publication_day_is_quiet(publication: tuple[Alert, ...]) -> None:
    assert [(alert.rule, len(alert.events)) for alert in publication if alert.severity == "high"] == [
        ("vera-rubin-per-scenario", 4),
        ("vera-rubin-per-scenario", 1),
    ]
    assert [alert.rule for alert in publication if alert.severity == "info"] == [
        "record-beaten",
        "round-gain",
        "server-scaling",
        "third-party-over-vendor",
        "vera-rubin-over-gb300",
    ]


def test_the_six_ratios_of_v61_come_in_one_alert(publication: tuple[Alert, ...]) -> None:
    (alert,) = [alert for alert in publication if alert.rule == "vera-rubin-over-gb300"]

    assert (
        alert.title
        == "Vera Rubin NVL72 over the best GB300 NVL72, MLPerf Inference v6.1: 1.72x to 3.74x in 6 rows"
    )
    assert len(alert.figures) == 6


def test_gains_of_v61_leave_out_what_is_not_alike(publication: tuple[Alert, ...]) -> None:
    (alert,) = [alert for alert in publication if alert.rule == "round-gain"]
    ratios = [figure.ratio for figure in alert.figures]  # type: ignore[union-attr]

    assert min(ratios) > 1.3
    assert (
        max(ratios) < 2.5
    )  # the 46x of a run on processors only against one on accelerators is not among them
    assert alert.title == "15 gains over 1.3x on the same system, MLPerf Inference v6.0 to v6.1, up to 2.48x"


def test_scaling_of_v61_under_a_latency_limit(publication: tuple[Alert, ...]) -> None:
    (alert,) = [alert for alert in publication if alert.rule == "server-scaling"]

    assert [
        (f.large.submitter, f.small.accelerator_count, f.large.accelerator_count) for f in alert.figures
    ] == [  # type: ignore[union-attr]
        ("Cisco", 8, 16),
        ("NVIDIA", 72, 288),
    ]
    assert (
        alert.title
        == "2 pairs under 90 % scaling in Server, MLPerf Inference v6.1: Cisco, NVIDIA, lowest 67.2%"
    )
