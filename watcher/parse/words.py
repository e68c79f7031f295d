"""Whole words in text, in any case: what posts are filtered by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache


def has_any(words: Sequence[str], *texts: str) -> bool:
    """Tell whether one of ``words`` stands in one of ``texts`` as a whole word, in any case; no words means yes.

    >>> has_any(["MLPerf"], "NVIDIA leads in MLPerf® v6.1"), has_any(["AMD"], "amdahl's law")
    (True, False)
    """
    if not words:
        return True
    pattern = _pattern(tuple(words))
    return any(pattern.search(text.casefold()) is not None for text in texts)


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(word.casefold()) for word in words)})(?!\w)")
