"""Deliveries: every outcome's consequence, what goes together, and a simulated outage told once."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from watcher.domain import Receipt
from watcher.errors import BrokenReceiverError, RefusedError, TryLaterError, UnknownOutcomeError
from watcher.outbox import (
    Bundle,
    Delivery,
    ReceiverState,
    after_attempt,
    after_bundle,
    after_lease,
    after_send,
    claim,
    due,
    lease_ran_out,
    message_id,
    newly_broken,
    ready,
    suppress,
    wait,
)

AT = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)


def half() -> float:
    return 0.5


def delivery(number: int = 1, **changes: Any) -> Delivery:
    created = AT + timedelta(seconds=number)
    values = {
        "receiver": "team",
        "about": f"A-{number:04d}",
        "created_at": created,
        "next_attempt_at": created,
    }
    return Delivery(number=number, **{**values, **changes})


def sending(**changes: Any) -> Delivery:
    return claim(delivery(**changes), "mw-1", AT, owner="me")


def test_a_claim_is_written_before_the_call_with_owner_lease_and_attempt():
    assert sending() == delivery(
        state="sending", attempts=1, owner="me", lease_until=AT + timedelta(minutes=10), message="mw-1"
    )


def test_a_receipt_ends_it():
    after = after_attempt(sending(), Receipt(external_id="1.2", detail="posted"), AT, half)
    assert after == delivery(
        state="sent", attempts=1, message="mw-1", sent_at=AT, external_id="1.2", reason="posted"
    )


def test_waits_grow_to_an_hour_with_full_jitter():
    bounds = [wait(attempt, None, lambda: 1.0).total_seconds() for attempt in range(1, 10)]
    assert bounds == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert [wait(5, None, random).total_seconds() for random in (lambda: 0.0, half)] == [1, 240]


@pytest.mark.parametrize(("told", "waits"), [(7, 7), (0, 1), (None, 15), (10**9, 86_400)])
def test_a_receiver_that_says_when_is_asked_then(told: float | None, waits: float):
    after = after_attempt(sending(), TryLaterError("busy", retry_after=told), AT, half)
    assert (after.state, after.next_attempt_at, after.message) == (
        "waiting",
        AT + timedelta(seconds=waits),
        None,
    )
    assert after.last_error == "busy"


def test_it_is_tried_for_seven_days_and_a_last_time_at_their_end():
    held, now, tries = delivery(), AT, 0
    while held.state != "gave_up":
        now = max(now, held.next_attempt_at)
        held = after_attempt(claim(held, "mw", now, owner="me"), TryLaterError("down"), now, lambda: 1.0)
        tries += 1
    assert (held.gave_up_at, tries) == (held.created_at + timedelta(days=7), 175)


def test_a_refused_message_goes_once_more_as_plain_text_and_is_then_given_up():
    once = after_attempt(sending(), RefusedError("too long"), AT, half)
    assert (once.state, once.plain, once.next_attempt_at, once.message) == ("waiting", True, AT, "mw-1")
    twice = after_attempt(claim(once, "mw-1", AT, owner="me"), RefusedError("still"), AT, half)
    assert (twice.state, twice.gave_up_at, twice.last_error) == ("gave_up", AT, "still")


def test_a_broken_receiver_keeps_what_it_is_owed_however_long():
    month = AT + timedelta(days=30)
    after = after_attempt(sending(), BrokenReceiverError("404"), month, half)
    assert (after.state, after.next_attempt_at) == ("waiting", month + HOUR)


def test_an_unknown_outcome_is_repeated_once_where_nobody_can_look():
    once = after_attempt(sending(), UnknownOutcomeError("reset"), AT, half)
    assert (once.state, once.unknown, once.message) == ("unknown", 1, "mw-1")
    assert once.next_attempt_at == AT + timedelta(minutes=1)
    twice = after_attempt(claim(once, "mw-1", AT, owner="me"), UnknownOutcomeError("reset"), AT, half)
    assert (twice.state, twice.last_error) == ("gave_up", "sent 2 times: reset")


def test_an_unknown_outcome_stays_open_where_one_can_look_before_sending():
    held = delivery()
    for _ in range(5):
        held = after_attempt(
            claim(held, "mw-1", AT, owner="me"), UnknownOutcomeError("reset"), AT, half, finds=True
        )
    assert (held.state, held.unknown) == ("unknown", 5)
    late = AT + timedelta(days=8)
    assert after_attempt(held, UnknownOutcomeError("reset"), late, half, finds=True).state == "gave_up"


def test_a_repeat_that_certainly_did_not_arrive_is_still_a_possible_repeat():
    once = after_attempt(sending(), UnknownOutcomeError("reset"), AT, half)
    later = after_attempt(claim(once, "mw-1", AT, owner="me"), TryLaterError("down"), AT, half)
    assert (later.state, later.unknown, later.message) == ("waiting", 1, "mw-1")


def test_a_lease_that_ran_out_is_unknown_and_due_at_once():
    held = sending()
    assert [lease_ran_out(held, AT + timedelta(minutes=m)) for m in (9, 10)] == [False, True]
    after = after_lease(held, AT + HOUR)
    assert (after.state, after.unknown, after.next_attempt_at) == ("unknown", 1, AT + HOUR)
    assert not lease_ran_out(after, AT + HOUR)


def test_a_crash_however_often_never_ends_in_giving_up():
    held = delivery()
    for _ in range(9):
        held = after_lease(claim(held, "mw-1", AT, owner="me"), AT)
    assert (held.state, held.unknown) == ("unknown", 1)


def test_what_is_suppressed_keeps_its_reason():
    assert suppress(delivery(), "cooldown") == delivery(state="suppressed", reason="cooldown")


def test_a_receiver_that_fails_waits_as_a_whole_and_recovers_as_a_whole():
    state = ReceiverState(name="team")
    state = after_send(state, TryLaterError("down"), AT, half)
    assert (state.failures, state.retry_at) == (1, AT + timedelta(seconds=15))
    assert [ready(state, AT), ready(state, AT + timedelta(seconds=15)), ready(None, AT)] == [
        False,
        True,
        True,
    ]
    assert after_send(state, Receipt(), AT, half) == ReceiverState(name="team")


def test_a_broken_receiver_is_told_of_once_and_looked_at_each_hour():
    before = ReceiverState(name="team")
    first = after_send(before, BrokenReceiverError("404"), AT, half)
    second = after_send(first, BrokenReceiverError("404"), AT + HOUR, half)
    assert [newly_broken(before, first), newly_broken(first, second)] == [True, False]
    assert (second.broken_since, second.retry_at, second.reason) == (AT, AT + 2 * HOUR, "404")


def test_a_refused_message_says_nothing_of_its_receiver():
    assert after_send(ReceiverState(name="team"), RefusedError("no"), AT, half) == ReceiverState(name="team")


def owed(count: int, **changes: Any) -> list[Delivery]:
    return [delivery(number, **changes) for number in range(1, count + 1)]


def shape(bundles: tuple[Bundle, ...]) -> list[tuple[str, list[int]]]:
    return [(bundle.receiver, [d.number for d in bundle.deliveries]) for bundle in bundles]


def test_few_go_one_by_one_oldest_first_and_many_as_one_message():
    assert shape(due(reversed(owed(3)), AT + HOUR)) == [("team", [1]), ("team", [2]), ("team", [3])]
    assert shape(due(owed(6), AT + HOUR)) == [("team", [1, 2, 3, 4, 5, 6])]
    assert shape(due(owed(6), AT + HOUR, bursts=lambda _: 9)) == [("team", [n]) for n in range(1, 7)]


def test_one_receivers_trouble_holds_up_no_other():
    both = [*owed(2), delivery(3, receiver="ann"), delivery(4, receiver="bob")]
    states = [ReceiverState(name="team", failures=1, retry_at=AT + 2 * HOUR)]
    assert shape(due(both, AT + HOUR, states=states)) == [("ann", [3]), ("bob", [4])]


def test_a_receiver_that_may_be_tried_again_gets_all_that_waited_for_it():
    later = [replace(d, state="waiting", next_attempt_at=AT + 5 * HOUR) for d in owed(7)]
    states = [ReceiverState(name="team", failures=3, retry_at=AT + HOUR)]
    assert shape(due(later, AT + HOUR, states=states)) == [("team", [1, 2, 3, 4, 5, 6, 7])]
    assert shape(due(later, AT + HOUR)) == []


def test_what_was_put_off_stays_put_off():
    off = [replace(d, next_attempt_at=AT + 5 * HOUR, reason="quiet hours") for d in owed(2)]
    states = [ReceiverState(name="team", failures=3, retry_at=AT)]
    assert shape(due(off, AT + HOUR, states=states)) == []


def test_a_message_that_may_have_arrived_is_repeated_as_it_was():
    gone = [replace(d, state="unknown", unknown=1, message="mw-7") for d in owed(7)]
    gone[6] = replace(gone[6], next_attempt_at=AT + 9 * HOUR)
    bundles = due([*gone, delivery(8)], AT + HOUR)
    assert shape(bundles) == [("team", [1, 2, 3, 4, 5, 6, 7]), ("team", [8])]
    assert (bundles[0].message, bundles[0].unknown, bundles[1].unknown) == ("mw-7", True, False)


def test_a_digest_is_a_message_of_its_own_even_in_a_burst():
    digest = delivery(9, kind="digest", about="2026-09-16")
    assert shape(due([*owed(6), digest], AT + HOUR)) == [("team", [1, 2, 3, 4, 5, 6]), ("team", [9])]


def test_what_is_done_is_not_sent():
    done = [delivery(state=state) for state in ("sent", "sending", "gave_up", "suppressed")]
    assert due(done, AT + HOUR) == ()


def test_the_same_deliveries_make_the_same_message_id_in_any_order():
    ids = {message_id("team", list(order)) for order in itertools.permutations(owed(3))}
    assert len(ids) == 1
    assert ids != {message_id("ann", owed(3))} != {message_id("team", owed(2))}


def test_the_deliveries_of_one_message_stay_together():
    bundle = Bundle("team", "mw-1", tuple(claim(d, "mw-1", AT, owner="me") for d in owed(7)))
    after = after_bundle(bundle, UnknownOutcomeError("reset"), AT, Random(7).random)
    assert {(d.state, d.next_attempt_at, d.message) for d in after} == {
        ("unknown", AT + timedelta(minutes=1), "mw-1")
    }


# -------------------------------------------------------------------------------- a receiver and its outages


def drain(
    answers: Any, alerts: list[Delivery], until: datetime, *, finds: bool = False, seed: int = 1
) -> tuple[Any, ...]:
    """Pass each five minutes as the pipeline does; return what arrived and the deliveries at the end."""
    random = Random(seed).random
    held, states, arrived = list(alerts), ReceiverState(name="team"), []
    now = AT
    while now < until:
        known = [d for d in held if d.created_at <= now]
        for bundle in due(known, now, states=[states]):
            if not ready(states, now):
                break
            begun = Bundle(
                "team",
                bundle.message,
                tuple(claim(d, bundle.message, now, owner="me") for d in bundle.deliveries),
            )
            outcome, took = answers(now, bundle)
            if took:
                arrived.append((bundle.message, bundle.unknown, [d.number for d in bundle.deliveries]))
            after = {d.number: d for d in after_bundle(begun, outcome, now, random, finds=finds)}
            held = [after.get(d.number, d) for d in held]
            states = after_send(states, outcome, now, random)
        now += timedelta(minutes=5)
    return arrived, held


@pytest.mark.parametrize("seed", range(5))
def test_after_a_week_of_silence_every_alert_arrives_once(seed: int):
    back = AT + timedelta(days=7)
    alerts = [
        delivery(n, created_at=AT + n * 12 * HOUR, next_attempt_at=AT + n * 12 * HOUR) for n in range(16)
    ]

    def answers(now: datetime, _bundle: Bundle) -> tuple[Any, bool]:
        return (Receipt(), True) if now >= back else (TryLaterError("500"), False)

    arrived, held = drain(answers, alerts, AT + timedelta(days=9), seed=seed)
    told = [number for _message, _unknown, numbers in arrived for number in numbers]
    assert sorted(told) == list(range(16))
    assert told[:15] == sorted(told[:15])
    assert len(arrived[0][2]) >= 14
    assert {d.state for d in held} == {"sent"}


def test_a_receiver_that_takes_and_resets_gets_a_double_marked_and_under_the_same_id():
    outcomes = iter([(UnknownOutcomeError("reset"), True), (Receipt(), True)])
    arrived, _ = drain(lambda _now, _bundle: next(outcomes), owed(1), AT + HOUR)
    (first, marked_first, _), (second, marked_second, _) = arrived
    assert (first == second, marked_first, marked_second) == (True, False, True)


@given(
    st.lists(st.sampled_from(["ok", "later", "unknown", "refused", "broken"]), max_size=40),
    st.integers(1, 12),
)
def test_whatever_a_receiver_answers_nothing_is_told_twice_unmarked(script: list[str], count: int):
    outcomes = {
        "ok": (Receipt(), True), "later": (TryLaterError("x"), False), "unknown": (UnknownOutcomeError("x"), True),
        "refused": (RefusedError("x"), False), "broken": (BrokenReceiverError("x"), False),
    }  # fmt: skip
    answers = itertools.chain(script, itertools.repeat("ok"))
    arrived, held = drain(lambda _n, _b: outcomes[next(answers)], owed(count), AT + timedelta(days=3))
    unmarked = [number for _message, marked, numbers in arrived if not marked for number in numbers]
    assert sorted(unmarked) == sorted(set(unmarked))
    assert {d.state for d in held} <= {"sent", "gave_up"}
    assert all(d.last_error for d in held if d.state == "gave_up")


def test_after_a_jump_of_the_clock_a_message_is_tried_a_few_times_before_it_is_given_up():
    late = AT + timedelta(days=365)
    held = delivery(created_at=AT, next_attempt_at=AT)
    states = []
    for hours in range(3):
        claimed = claim(held, "m", late + timedelta(hours=hours), owner="me")
        held = after_attempt(claimed, TryLaterError("down"), late + timedelta(hours=hours), lambda: 0.5)
        states.append((held.state, held.next_attempt_at > late))
    assert [state for state, _ in states] == ["waiting", "waiting", "gave_up"]
    assert states[0][1]
