"""A feed on this machine with one post, worded for the demo around four public claims."""

from __future__ import annotations

from html import escape

from watcher.demo.local import Answer, LocalServer, Reply, Request

TITLE = "What the new rack does in MLPerf Inference v6.1"
BODY = """
<p>MLPerf Inference v6.1 is out, and the Vera Rubin NVL72 makes its first appearance.</p>
<p>On Qwen3-VL, Vera Rubin NVL72 reaches up to 3.7x the throughput of GB300 NVL72 across the Offline, Server and
Interactive scenarios.</p>
<p>From 72 to 288 accelerators, GB300 NVL72 keeps 99% scaling efficiency on DeepSeek-R1 Offline.</p>
<h2>Software since the last round</h2>
<p>Over MLPerf Inference v6.0, software alone makes GB300 NVL72 up to 1.6x faster.</p>
<h2>Beyond MLPerf</h2>
<p>On AgentX, an agentic benchmark outside MLPerf, Vera Rubin NVL72 is 30x faster than GB300 NVL72.</p>
"""


class FeedServer(LocalServer):
    """Serves an RSS feed at ``/feed``: empty news at first, the post after `publish`."""

    def __init__(self) -> None:
        """Start with an older entry alone."""
        self._published = False
        super().__init__()

    @property
    def address(self) -> str:
        """The feed's address."""
        return f"{self.url}/feed"

    def publish(self) -> None:
        """Put the post into the feed."""
        self._published = True

    def answer(self, request: Request) -> Answer:
        """Answer with the feed, or with 304 where the client has it."""
        if request.path != "/feed":
            return Reply(404)
        etag = f'"{int(self._published)}"'
        if request.headers.get("if-none-match") == etag:
            return Reply(304, headers={"ETag": etag})
        return Reply(
            200, self._feed().encode(), {"Content-Type": "application/rss+xml; charset=utf-8", "ETag": etag}
        )

    def _feed(self) -> str:
        entries = [
            ("An older post", "<p>A new office opens in spring.</p>", "Tue, 01 Sep 2026 09:00:00 GMT", "1")
        ]
        if self._published:
            entries.insert(0, (TITLE, BODY, "Wed, 16 Sep 2026 15:05:00 GMT", "2"))
        items = "".join(
            f"<item><title>{escape(title)}</title><link>{self.url}/posts/{number}</link>"
            f'<guid isPermaLink="false">post-{number}</guid><pubDate>{date}</pubDate>'
            f"<description>{escape(body)}</description></item>"
            for title, body, date, number in entries
        )
        return (
            '<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Example vendor</title>'
            f"<link>{self.url}/</link><description>News</description>{items}</channel></rss>"
        )
