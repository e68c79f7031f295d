"""A static report of what is held: pages that open from a file, load nothing from outside and print well.

    gather(watcher, round, base_url) -> Facts      what the state holds, without tables under embargo
    pages(facts, catalog) -> {path: HTML}          pure: the same facts give the same bytes
    write(pages, folder) -> Written                swapped into place; nothing that is not ours is touched

A kind of page is a module of its own that returns `watcher.report.view.Page` values; it has one row in `_all`. Pages say
words, tables and plots; `watcher.report.shell` turns them into HTML, in one template that escapes all text.
"""

from __future__ import annotations

from watcher.report.build import pages
from watcher.report.facts import Facts
from watcher.report.gather import gather
from watcher.report.writing import Written, write

__all__ = ["Facts", "Written", "gather", "pages", "write"]
