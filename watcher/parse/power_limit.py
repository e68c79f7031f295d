"""The power limit of one accelerator, where a row's notes or accelerator name state it.

It is a setting, never a measurement. Tables write it as "B300 TGP 1100W", "2300W TGP Per GPU", "1200 W GPU power
limit", "GPU 450W / 600W (reduced)" (the setting, then what the card allows), "(Power Cap 1000 W)", or at the end of an
accelerator's name ("…-750W"). Several different figures in one row are ambiguous: then there is none.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WATTS = r"(?<![\w.,])(\d{2,5}|\d{1,2},\d{3}|\d{1,2}\.\d+)\s*(k?)W\b"
_LIMIT = r"(?:TGP|TBP|power\s*(?:cap|limit))"
_PATTERNS = (
    re.compile(rf"{_LIMIT}\s*(?:per\s+(?:GPU|accelerator))?\s*(?:of|is|at|=|:)?\s*{_WATTS}", re.IGNORECASE),
    re.compile(rf"{_WATTS}\s*(?:per\s+)?(?:GPU|accelerator)?\s*{_LIMIT}", re.IGNORECASE),
    re.compile(rf"\bGPUs?\s+{_WATTS}\s*/\s*\d+\s*k?W\b", re.IGNORECASE),
)
_NAME_END = re.compile(r"-(\d{2,4})(k?)W$", re.IGNORECASE)


@lru_cache(maxsize=1024)  # machines that are alike but for their names have these texts in common
def power_limit(notes: str | None, accelerator: str | None) -> float | None:
    """Watts that one accelerator was limited to, or null if none or several are stated."""
    found: set[float] = set()
    for text in (notes, accelerator):
        if text:
            for pattern in _PATTERNS:
                found |= {_watts(m[1], m[2]) for m in pattern.finditer(text)}
    if accelerator:
        found |= {_watts(m[1], m[2]) for m in _NAME_END.finditer(accelerator)}
    return found.pop() if len(found) == 1 else None


def _watts(digits: str, kilo: str) -> float:
    return float(digits.replace(",", "")) * (1000 if kilo else 1)
