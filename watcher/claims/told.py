"""What the words of a claim tell beside its own value: other figures, and numbers that may count accelerators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.claims.lexicon import lexicon
from watcher.claims.tokens import tokens_of
from watcher.domain import Claim, Result

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

MIN_DIGITS = 3  # of a figure that a row of the claim's own systems may be known by
ANY_DIGITS = 4  # that a row of any may be known by
MAX_COUNT = 100_000  # accelerators
MAX_NUMBERS = 24  # of one quote, that are taken for counts
RACK = "rack"


class Figure(Struct, frozen=True):
    """A number as it is printed: its value, and the size of its last digit."""

    value: float
    step: float

    def prints(self, value: float) -> bool:
        """Whether ``value``, rounded or cut, is printed as this figure."""
        return self.value - self.step / 2 <= value < self.value + self.step


class Told(Struct, frozen=True):
    """The figures and the whole numbers of a claim's quote."""

    figures: tuple[Figure, ...]
    numbers: frozenset[int]
    rack: bool  # whether the quote speaks of a rack

    def tells(self, row: Result, digits: int = MIN_DIGITS) -> bool:
        """Whether the row's value, or its value per accelerator, stands in the quote, printed with so many digits."""
        values = [value for value in (row.value, row.value_per_accelerator) if value is not None]
        printed = (figure for figure in self.figures if figure.value / figure.step >= 10 ** (digits - 1))
        return any(figure.prints(value) for figure in printed for value in values)

    def counts(self, row: Result, rack: int | None) -> bool:
        """Whether the quote counts the row's accelerators: "288 GPUs", "four racks", "nine nodes of eight", "half a rack".

        ``rack``: how many of them a full system has, where the text names one.
        """
        count = row.accelerator_count
        if count is None:
            return False
        if count in self.numbers or any(count == one * two for one in self.numbers for two in self.numbers):
            return True
        if self.rack and row.system is not None:
            return True  # one full rack, where the quote speaks of racks
        return (
            self.rack and rack is not None and count in {rack, rack // 2, *(rack * n for n in self.numbers)}
        )


def told(claim: Claim, catalog: Catalog) -> Told:
    """What the claim's quote tells; nothing where a claim was handed over without one."""
    tokens = tokens_of(claim.quote, lexicon(catalog))
    figures: list[Figure] = []
    numbers: set[int] = set()
    for token in tokens:
        if token.value is None or not token.is_("number", "number_word"):
            continue
        step = 10.0**-token.decimals
        if token.is_("number") and token.value / step >= 10 ** (MIN_DIGITS - 1):
            figures.append(Figure(token.value, step))
        if token.value == int(token.value) and 1 <= token.value <= MAX_COUNT and len(numbers) < MAX_NUMBERS:
            numbers.add(int(token.value))
    return Told(tuple(figures), frozenset(numbers), RACK in claim.quote.casefold())
