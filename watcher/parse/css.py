"""CSS selectors over a tree, by beautifulsoup4's soupsieve: pages are selected so where a source's options say how.

The tree is told to beautifulsoup4 element by element when the first selector is asked for; most sources have none.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from watcher.errors import ConfigError
from watcher.parse.markup import Element, plain, walk

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag


class Css:
    """One page's elements, to be found by selectors."""

    def __init__(self, page: Element) -> None:
        self._page = page

    def select(self, selector: str) -> list[Element]:
        """Return the elements that a selector of the config finds, in the page's order. Raises ConfigError for no CSS."""
        from soupsieve import SelectorSyntaxError  # noqa: PLC0415 - comes with beautifulsoup4

        soup, elements = self._told
        try:
            return [elements[id(tag)] for tag in soup.select(selector)]
        except SelectorSyntaxError as error:
            raise ConfigError(
                f"{selector!r} is no CSS selector: {plain(str(error)).split(' line ')[0]}"
            ) from error

    @cached_property
    def _told(self) -> tuple[BeautifulSoup, dict[int, Element]]:
        """The tree as beautifulsoup4 holds it, and lxml's element by the ``id`` of each of its tags."""
        from bs4 import BeautifulSoup  # noqa: PLC0415 - heavy, only for a source with selectors

        soup = BeautifulSoup("", "lxml")
        elements: dict[int, Element] = {}
        around: list[Tag] = [soup]
        for node, entering in walk(self._page):
            if isinstance(node, str):
                around[-1].append(node)
            elif entering:
                tag = soup.new_tag(node.tag, attrs=dict(node.items()))
                elements[id(tag)] = node
                around[-1].append(tag)
                around.append(tag)
            else:
                around.pop()
        return soup, elements
