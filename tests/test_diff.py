"""The diff: what is a change, and what only looks like one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rows import COLUMNS, row, rows, table
from watcher.diff import Diff, changed_fields, diff, match, renames, respellings, stands
from watcher.domain import Held, Result, Table
from watcher.errors import HeldBackError

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)


def compared(
    before: tuple[Result, ...],
    after: Table,
    *,
    poll: int = 2,
    missing: dict | None = None,
    accept: bool = False,
) -> Diff:
    """Diff two states the way the store does it."""
    held = {r.key: Held(n, (missing or {}).get(r.key)) for n, r in enumerate(before)}
    rows_before = {r.key: r for r in before}
    rows_after = {r.key: r for r in after.results}
    matched = match(held, rows_after)
    unknown = COLUMNS - after.columns
    differing = [key for key in matched.both if not stands(rows_before[key], rows_after[key], unknown)]
    return diff(
        matched,
        {key: rows_before[key] for key in (*differing, *matched.missing)},
        after,
        COLUMNS,
        size=len(before),
        poll=poll,
        missing_since=missing or {},
        ended={},
        accept=accept,
    )


def test_the_same_rows_in_another_order_are_no_change():
    before = rows(20)

    assert compared(before, table(*reversed(before))) == Diff((), (), ())


def test_a_new_value_is_told_with_its_field_and_both_sides():
    (change,) = compared((row(),), table(row(value=1200.0))).changes

    assert (change.kind, change.fields) == ("changed", ("value",))
    assert (change.before.value, change.after.value) == (1000.0, 1200.0)


def test_a_float_tail_is_no_change():
    assert compared((row(value=57.401991155),), table(row(value=57.401991155000005))).changes == ()


def test_links_and_our_own_times_are_never_compared():
    assert compared((row(url="https://a.example/x"),), table(row(url="https://b.example/y"))).changes == ()


def test_white_space_alone_is_no_change():
    assert changed_fields(row(notes="two  spaces"), row(notes="two spaces"), COLUMNS) == ()


def test_a_better_reading_of_the_same_words_is_no_change():
    before = row(accelerator=None, accelerators=("NVIDIA B300",))

    found = compared((before,), table(row()))

    assert (found.changes, found.enriched) == ((), ((before, row()),))


def test_a_corrected_spelling_of_an_accelerator_is_no_change_of_the_accelerator():
    before = row(
        accelerator_published="NVIDIA VeraRubin", accelerator="vera-rubin", accelerators=("vera-rubin",)
    )
    after = replace(before, accelerator_published="NVIDIA Vera Rubin")

    (change,) = compared((before,), table(after)).changes

    assert change.fields == ("accelerator_published",)


def test_a_column_that_only_one_side_knows_is_not_compared_but_filled_in():
    before = row(notes=None)
    held_columns = COLUMNS - {"notes"}
    after = table(row(notes="2300W TGP"))
    matched = match({before.key: Held(1)}, [before.key])

    found = diff(
        matched, {before.key: before}, after, held_columns, size=1, poll=2, missing_since={}, ended={}
    )

    assert found.changes == ()
    assert found.enriched[0][1].notes == "2300W TGP"


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"value": 57.401991155000005}, True),
        ({"entry": "6.1-0002"}, True),
        ({"extra": {"Weight": 2}}, False),
        ({"value": 57.5}, False),
        ({"url": "https://a.example/moved"}, False),
        ({"organisations": ("Acme", "Zeta")}, False),
    ],
)
def test_a_row_stands_unless_what_is_told_of_it_or_made_of_it_by_the_catalog_differs(changes, same):
    before = row(value=57.401991155, entry="6.1-0001", extra={"Weight": 1}, first_seen_at=NOW)

    assert stands(before, replace(before, first_seen_at=None, **changes), ()) is same


def test_cells_of_a_column_that_we_do_not_know_are_taken_over_and_no_news():
    before = row(extra={"Weight": 1, "Colour": "red"})
    heavier = replace(before, extra={"Weight": 2, "Colour": "red"})

    found = compared((before,), table(heavier))
    (change,) = compared((before,), table(replace(heavier, value=1200.0))).changes

    assert (found.changes, found.enriched) == ((), ((before, heavier),))
    assert change.fields == ("value", "extra.Weight")


def test_what_a_table_cannot_know_makes_no_other_row():
    before = row(notes="kept", nodes=2)

    assert stands(before, replace(before, notes=None, nodes=None), {"notes", "nodes"})
    assert not stands(before, replace(before, notes=None, nodes=None), {"notes"})


def test_what_a_table_cannot_know_is_kept_from_before():
    before = row(notes="kept", value=1.0)
    after = table(row(notes=None, value=2.0), columns=COLUMNS - {"notes"})

    (change,) = compared((before,), after).changes

    assert (change.fields, change.after.notes) == (("value",), "kept")


def test_a_missing_row_is_pending_first_and_removed_at_the_next_poll():
    before = rows(10)
    first = compared(before, table(*before[1:]), poll=2)
    second = compared(before, table(*before[1:]), poll=3, missing={before[0].key: 2})

    assert (first.changes, first.pending) == ((), (before[0].key,))
    assert [(c.kind, c.before) for c in second.changes] == [("removed", before[0])]


def test_a_submitter_folded_into_another_is_a_rename_not_a_loss_and_a_gain():
    before = row(submitter="Supermicro_1", platform="8xB300")
    after = row(submitter="Supermicro", platform="8xB300_longer")

    (change,) = compared((before, *rows(9)), table(after, *rows(9))).changes

    assert (change.kind, change.before.submitter, change.after.submitter) == (
        "renamed",
        "Supermicro_1",
        "Supermicro",
    )
    assert change.fields == ("submitter", "platform")


def test_rows_with_the_same_value_but_nothing_alike_are_not_renamed():
    gone = row(submitter="Acme", platform="acme-8", system_name="Acme One")
    come = row(submitter="Zeta", platform="zz", system_name="Zeta Nine")

    assert renames({gone.key: gone}, {come.key: come}) == {}


def test_of_several_candidates_the_most_alike_is_the_rename():
    gone = row(submitter="Acme", platform="rack-one-east")
    far, near = row(submitter="Acme", platform="other-place"), row(submitter="Acme", platform="rack-one-west")

    assert renames({gone.key: gone}, {far.key: far, near.key: near}) == {gone.key: near.key}


def test_a_value_that_a_crowd_of_new_rows_shares_tells_no_rename():
    gone = {r.key: r for r in (row(platform=f"old-{n}") for n in range(5000))}
    come = {r.key: r for r in (row(platform=f"new-{n}") for n in range(5000))}
    few = dict(list(come.items())[:3])

    assert (renames(gone, come), len(renames(gone, few))) == ({}, 3)


def test_a_table_that_lost_more_than_a_third_is_held_back():
    before = rows(9)

    with pytest.raises(HeldBackError, match="lost 4 of 9 results; it is kept out until"):
        compared(before, table(*before[4:]))


def test_a_person_may_accept_a_table_that_lost_more_than_a_third():
    before = rows(9)

    assert len(compared(before, table(*before[4:]), accept=True).pending) == 4


def test_a_later_loss_is_measured_by_the_rows_of_the_poll_before_and_what_was_missing_then_is_removed():
    before = rows(12)
    missing = {r.key: 2 for r in before[:3]}

    found = compared(before, table(*before[6:]), poll=3, missing=missing)

    assert [(c.kind, c.before) for c in found.changes] == [("removed", r) for r in before[:3]]
    assert set(found.pending) == {r.key for r in before[3:6]}


def test_a_later_loss_of_more_than_a_third_of_what_was_left_is_held_back():
    before = rows(12)
    missing = {r.key: 2 for r in before[:3]}

    with pytest.raises(HeldBackError, match="lost 4 of 9 results"):
        compared(before, table(*before[7:]), poll=3, missing=missing)


def test_a_table_all_of_whose_rows_were_missing_loses_none_of_them_again():
    before = rows(3)
    come = row(platform="another", system_name="Elsewhere", submitter="Zeta", value=1.5)

    found = compared(before, table(come), poll=3, missing={r.key: 2 for r in before})

    assert sorted(c.kind for c in found.changes) == ["added", "removed", "removed", "removed"]


def test_another_spelling_of_a_submitter_or_platform_is_no_news():
    before = row(submitter="NVIDIA", platform="DGX-B300x8")
    after = row(submitter="Nvidia", platform="dgx-b300x8 ")

    assert compared((before, *rows(9)), table(after, *rows(9))) == Diff((), (), (), ((before, after),))


def test_a_value_that_changes_with_the_spelling_is_a_change_of_the_value_alone():
    before, after = row(submitter="NVIDIA"), row(submitter="Nvidia", value=1200.0)

    (change,) = compared((before, *rows(9)), table(after, *rows(9))).changes

    assert (change.kind, change.before, change.after, change.fields) == ("changed", before, after, ("value",))


def test_spellings_that_may_be_of_two_rows_are_not_taken_for_one():
    before = row(submitter="NVIDIA", value=7.0)
    after = (row(submitter="Nvidia", value=7.0), row(submitter="nvidia", value=8.0))

    assert respellings([before.key], [r.key for r in after]) == {}
    assert {c.kind for c in compared((before, *rows(9)), table(*after, *rows(9))).changes} == {
        "renamed",
        "added",
    }


def test_a_hyphen_tells_two_platforms_apart():
    old, new = row(platform="node-1-1"), row(platform="node-11")

    assert respellings([old.key], [new.key]) == {}


def test_a_table_in_which_every_row_was_renamed_is_not_held_back():
    before = tuple(row(submitter="Old Name", platform=f"rack-{n}", value=1.0 + n) for n in range(6))
    after = tuple(replace(r, submitter="New Name") for r in before)

    assert {c.kind for c in compared(before, table(*after)).changes} == {"renamed"}


def test_a_power_figure_with_a_float_tail_is_no_change():
    before, after = (
        row(power=(("measured", 10400.9988793425, "W"),)),
        row(power=(("measured", 10400.99887934250001, "W"),)),
    )

    assert changed_fields(before, after, COLUMNS) == ()


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(1, 1e6)), unique_by=lambda p: p[0]), st.randoms())
def test_any_permutation_of_any_table_is_no_change(pairs, random):
    before = tuple(row(platform=f"rack-{n}", value=v) for n, v in pairs)
    shuffled = list(before)
    random.shuffle(shuffled)

    assert compared(before, table(*shuffled)) == Diff((), (), ())


@given(
    st.dictionaries(st.integers(0, 12), st.floats(1, 100), max_size=12),
    st.dictionaries(st.integers(0, 12), st.floats(1, 100), max_size=12),
)
def test_applying_the_changes_to_the_old_state_gives_the_new_one(old, new):
    before = tuple(row(platform=f"rack-{n}", value=v) for n, v in old.items())
    after = table(*(row(platform=f"rack-{n}", value=v) for n, v in new.items()))

    found = compared(before, after, accept=True)

    state = {r.key: r.value for r in before}
    for change in found.changes:
        if change.before is not None:
            del state[change.before.key]
        if change.after is not None:
            state[change.after.key] = change.after.value
    for key in found.pending:
        del state[key]
    assert state == pytest.approx({r.key: r.value for r in after.results})
