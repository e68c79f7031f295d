"""Polite, guarded, conditional GET: the only way to the outside for everything that is read.

``Fetcher`` holds what all sources share (connections, the pace per host, robots.txt); ``Fetcher.session`` gives one
check of one source its `Get`. How it is put together, from the wire up:

- `guard`: which addresses may be asked; `wire`: connections to checked addresses only, under a deadline;
- `body`: bytes under caps, decompressed; `answers`: what an answer means, as one of the failure classes;
- `pace`: one request a host at a time; `robots`: robots.txt; `shared`: one request for several sources;
- `session`: one check of one source, which brings them together; `fetcher`: what all checks share.
"""

from watcher.fetch.fetcher import Fetcher, user_agent
from watcher.fetch.session import Session

__all__ = ["Fetcher", "Session", "user_agent"]
