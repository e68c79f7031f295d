"""How a wrong word is answered: with the nearest, with all there are, or with the only one."""

from __future__ import annotations

import pytest

from watcher.nearest import LISTED, did_you_mean


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("gtee", ("gte", "lte"), "; did you mean 'gte'?"),
        ("GTE", ("gte", "lte"), "; did you mean 'gte'?"),
        ("team-slack", ("you",), "; there is only 'you'"),
        ("team-slack", ("you", "post"), "; known are you, post"),
        ("team-slack", (), ""),
        ("team-slack", tuple(f"{number}" for number in range(LISTED + 1)), ""),
    ],
)
def test_a_wrong_word_is_answered_with_what_there_is(word, known, said):
    assert did_you_mean(word, known) == said
