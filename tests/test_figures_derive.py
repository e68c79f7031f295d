from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.figure_rows import catalog, derived, real_results, row
from watcher.figures import ComparisonSpec, Filter, SystemSelector, Wanted, vendors

GB300 = SystemSelector(name="gb300-nvl72", accelerator="gb300", accelerator_count=72)
VERA_RUBIN = SystemSelector(name="vera-rubin-nvl72", accelerator="vera-rubin", accelerator_count=72)
OVER = ComparisonSpec(subject=VERA_RUBIN, baseline=GB300)
THIRD_PARTY = ComparisonSpec(subject=SystemSelector(), filter=Filter(division=("closed",)))
ALL = Wanted(
    comparisons=frozenset({OVER, THIRD_PARTY}), scaling=True, gains=True, records=True,
    vendors=frozenset({("gb300", "NVIDIA"), ("vera-rubin", "NVIDIA")}),
)  # fmt: skip
COMPARE = Wanted(comparisons=frozenset({OVER}))


def rubin(**changes):
    return row(**{"accelerator": "vera-rubin", "platform": "VR-NVL72", "value": 1440.0, **changes})


def kinds(before, after, wanted=ALL):
    """Derived kinds, with every row that is not on both sides touched."""
    keys = {r.key for r in before if r not in after} | {r.key for r in after if r not in before}
    return [each.kind for each in derived(before, after, keys, wanted)]


def test_a_comparison_becomes_computable_when_its_second_row_comes():
    (found,) = derived([row()], [row(), rubin()], [rubin().key], COMPARE)
    assert (found.kind, found.before) == ("comparison.computable", None)
    assert (found.after.ratio, found.after.spec) == (2.0, OVER.id)


def test_a_corrected_row_moves_a_comparison():
    (found,) = derived([row(), rubin()], [row(value=800.0), rubin()], [row().key], COMPARE)
    assert (found.kind, found.before.ratio, found.after.ratio) == ("comparison.changed", 2.0, 1.8)


def test_a_withdrawn_row_removes_a_comparison():
    (found,) = derived([row(), rubin()], [row()], [rubin().key], COMPARE)
    assert (found.kind, found.before.ratio, found.after) == ("comparison.removed", 2.0, None)


@pytest.mark.parametrize(
    "after", [row(value=720.0 * (1 + 1e-13)), row(notes="typo"), row(software_published="TensorRT-LLM 1.3")]
)
def test_float_noise_notes_and_software_move_no_figure(after):
    assert kinds([row(), rubin()], [after, rubin()]) == []


def test_a_renamed_submitter_moves_no_figure():
    before = [row(round="v6.0"), row(submitter="Old", round="v6.0"), row(submitter="Old")]
    renamed = [before[0], before[1], row(submitter="New")]
    keys = [before[2].key, renamed[2].key]
    assert derived(before, renamed, keys, replace(ALL, gains=False)) == ()


def test_nothing_touched_and_nothing_wanted_derive_nothing():
    assert derived([row()], [row(), rubin()], [], ALL) == ()
    assert derived([row()], [row(), rubin()], [rubin().key], Wanted()) == ()


def test_a_new_round_makes_its_own_comparison_and_leaves_the_last_rounds_alone():
    old = [row(round="v6.0"), rubin(round="v6.0")]
    found = derived(old, [*old, row(), rubin()], [row().key, rubin().key], COMPARE)
    assert [(d.kind, d.after.subject.round) for d in found] == [("comparison.computable", "v6.1")]


def test_a_corrected_old_round_moves_its_own_comparison():
    new = [row(), rubin()]
    old = row(round="v6.0")
    found = derived(
        [*new, old, rubin(round="v6.0")],
        [*new, replace(old, value=800.0), rubin(round="v6.0")],
        [old.key],
        COMPARE,
    )
    assert [(d.kind, d.after.subject.round) for d in found] == [("comparison.changed", "v6.0")]


def test_a_comparison_across_rounds_is_derived_when_either_round_is_touched():
    crossed = Wanted(
        comparisons=frozenset(
            {ComparisonSpec(subject=replace(VERA_RUBIN, round="v6.1"), baseline=replace(GB300, round="v6.0"))}
        )
    )
    rows = [rubin(), row(round="v6.0")]
    assert [d.after.differs for d in derived([rows[1]], rows, [rows[0].key], crossed)] == [("round",)]
    assert [d.kind for d in derived([rows[0]], rows, [rows[1].key], crossed)] == ["comparison.computable"]
    other = row(round="v5.1")
    assert derived(rows, [*rows, other], [other.key], crossed) == ()


def test_only_touched_scenarios_are_derived():
    server = [row(scenario="Server"), rubin(scenario="Server")]
    found = derived([row(), *server], [row(), rubin(), *server], [rubin().key], COMPARE)
    assert [d.after.subject.scenario for d in found] == ["Offline"]


def test_a_suite_in_a_spec_keeps_other_suites_out():
    spec = ComparisonSpec(subject=replace(VERA_RUBIN, suite="training"), baseline=GB300)
    assert kinds([row()], [row(), rubin()], Wanted(comparisons=frozenset({spec}))) == []


def test_unreviewed_tables_derive_nothing_unless_a_spec_names_their_suite():
    before, after = (
        [row(suite="unofficial")],
        [
            row(suite="unofficial"),
            rubin(suite="unofficial"),
            row(suite="unofficial", platform="b", value=900.0),
        ],
    )
    assert kinds(before, after) == []
    named = ComparisonSpec(subject=replace(VERA_RUBIN, suite="unofficial"), baseline=GB300)
    assert kinds(before, after[:2], Wanted(comparisons=frozenset({named}))) == ["comparison.computable"]


def test_third_parties_are_compared_with_the_vendors_row_one_by_one():
    wanted = Wanted(comparisons=frozenset({THIRD_PARTY}), vendors=ALL.vendors)
    rows = [
        row(),
        row(submitter="Azure", value=756.0),
        row(submitter="Oracle", value=700.0),
        row(submitter="Open", division="open"),
    ]
    found = derived([], rows, [r.key for r in rows], wanted)
    assert [(d.kind, d.after.subject.submitter) for d in found] == [
        ("comparison.computable", "Azure"), ("comparison.computable", "Oracle"),
    ]  # fmt: skip
    better = [rows[0], replace(rows[1], value=792.0), *rows[2:]]
    (moved,) = derived(rows, better, [rows[1].key], wanted)
    assert (moved.kind, moved.before.ratio, moved.after.ratio) == ("comparison.changed", 1.05, 1.1)


def test_scaling_gains_and_records_are_derived_too():
    before = [row(round="v6.0"), row(accelerator_count=288, platform="racks", value=2592.0, round="v6.0")]
    after = [*before, row(value=900.0), row(accelerator_count=288, platform="racks", value=3000.0)]
    found = kinds(before, after, replace(ALL, comparisons=frozenset()))
    assert found == ["scaling.computable", *["gain.computable"] * 4, *["record.beaten"] * 2]


def test_the_removed_small_side_removes_a_scaling():
    rows = [row(), row(accelerator_count=288, platform="racks", value=2592.0)]
    assert kinds(rows, rows[1:], Wanted(scaling=True)) == ["scaling.removed"]


def test_a_beaten_record_carries_the_one_held_until_then():
    (found, _) = derived(
        [row()],
        [row(), row(platform="better", value=900.0)],
        [row(platform="better").key],
        Wanted(records=True),
    )
    assert (found.kind, found.before.best, found.after.best.value) == ("record.beaten", row(), 900.0)
    assert found.after.before == row()


def test_a_beaten_record_counts_from_the_oldest_round_held_though_that_one_has_other_targets_alone():
    old, better = [row(round="v5.1", accuracy_target="99"), row()], row(platform="better", value=900.0)
    found = derived(old, [*old, better], [better.key], Wanted(records=True))

    assert [(each.after.basis, each.after.before, each.after.since) for each in found] == [
        ("absolute", old[1], "v5.1"),
        ("per_accelerator", old[1], "v5.1"),
    ]


def test_a_system_that_took_another_accelerator_gains_by_its_platform():
    old = row(round="v6.0")
    (found,) = derived(
        [old], [old, rubin(platform=old.platform)], [rubin(platform=old.platform).key], Wanted(gains=True)
    )

    assert (found.kind, found.after.match, found.after.ratio) == ("gain.computable", "same_system", 2.0)


def test_gains_are_derived_into_a_round_and_out_of_it():
    rows = [row(round=name) for name in ("v5.1", "v6.0", "v6.1")]
    found = derived([rows[0], rows[2]], rows, [rows[1].key], Wanted(gains=True))
    assert [(d.kind, (d.before or d.after).before.round) for d in found if d.kind == "gain.computable"] == [
        ("gain.computable", "v5.1"), ("gain.computable", "v6.0"),
    ]  # fmt: skip


def test_a_round_that_one_submitter_left_out_lies_between_its_rounds():
    rows = [row(round="v5.1"), row(round="v6.0", submitter="Azure"), row(round="v6.1")]
    assert derived(rows[:2], rows, [rows[2].key], Wanted(gains=True)) == ()


@given(st.randoms())
def test_the_order_of_rows_changes_nothing(random):
    before = [row(), row(scenario="Server"), row(round="v6.0"), row(submitter="Azure")]
    after = [
        *before,
        rubin(),
        rubin(scenario="Server"),
        row(accelerator_count=288, platform="racks", value=2592.0),
    ]
    keys = [r.key for r in after[4:]]
    shuffled = random.sample(after, len(after))
    assert derived(random.sample(before, 4), shuffled, random.sample(keys, 3), ALL) == derived(
        before, after, keys, ALL
    )


STATES = st.lists(
    st.builds(
        row,
        round=st.sampled_from(("v5.1", "v6.0", "v6.1")),
        submitter=st.sampled_from(("NVIDIA", "Dell")),
        platform=st.sampled_from(("p1", "p2")),
        scenario=st.sampled_from(("Offline", "Server")),
        accuracy_target=st.sampled_from((None, "99")),
        accelerator=st.sampled_from(("gb300", "vera-rubin")),
        accelerator_count=st.sampled_from((8, 72)),
        value=st.sampled_from((100.0, 200.0, 900.0)),
    ),
    min_size=4,
    max_size=16,
    unique_by=lambda each: (each.key, each.accuracy_target),
)


@given(STATES, STATES, st.randoms())
def test_rows_that_both_sides_hold_move_no_figure(held, others, random):
    """Both sides are looked at where they differ. Copies of the same rows are other objects: then all is looked at."""
    kept = random.sample(held, len(held) - random.randint(0, 3))
    after = [*kept, *random.sample(others, random.randint(1, 3))]
    keys = {each.key for each in held if each not in kept} | {each.key for each in after[len(kept) :]}
    wanted = replace(ALL, ranks=True)

    assert derived(held, after, keys, wanted) == derived(held, map(replace, after), keys, wanted)


def test_a_round_that_goes_makes_its_neighbours_the_next_to_each_other_at_every_target():
    old, between, new = (
        row(benchmark="new-one", round=name, accuracy_target=target)
        for name, target in (("v5.1", "99"), ("v6.0", None), ("v6.1", "99"))
    )
    other = row(benchmark="new-one", round="v6.1", platform="other")
    found = derived([old, between, new], [old, new, other], [between.key, other.key], Wanted(gains=True))

    assert [(each.kind, each.after.before.round) for each in found] == [("gain.computable", "v5.1")]


def test_the_id_of_a_spec_is_readable_and_tells_specs_apart():
    assert OVER.id == "vera-rubin-nvl72 over gb300-nvl72 per accelerator"
    assert THIRD_PARTY.id == "* over vendor per accelerator where division=closed"
    assert replace(OVER, per="system").id != OVER.id


def test_the_figure_of_a_spec_follows_its_basis():
    wanted = [Wanted(comparisons=frozenset({spec})) for spec in (OVER, replace(OVER, per="system"))]
    half = rubin(accelerator_count=72, value=720.0)
    (comparison,) = (d.after for d in derived([], [row(), half], [half.key], wanted[0]))
    doubled = replace(comparison, per_accelerator_ratio=2.0)
    assert (OVER.figure(doubled), replace(OVER, per="system").figure(doubled)) == (2.0, 1.0)
    assert OVER.figure(replace(doubled, subject=replace(half, better="lower"))) == 1.0


def test_v6_1_over_the_real_tables_makes_every_kind_of_figure(real):
    before, new = real_results(real, "v5.1", "v6.0"), real_results(real, "v6.1")
    wanted = replace(ALL, vendors=vendors(catalog()))
    found = derived(before, (*before, *new), {r.key for r in new}, wanted)
    assert {d.kind for d in found} == {
        "comparison.computable",
        "scaling.computable",
        "gain.computable",
        "record.beaten",
    }
    over = [d.after for d in found if getattr(d.after, "spec", "") == OVER.id]
    assert sorted(round(c.ratio, 2) for c in over) == [1.72, 1.83, 1.92, 1.95, 2.51, 3.74]
    assert derived((*before, *new), (*before, *new), {r.key for r in new}, wanted) == ()
