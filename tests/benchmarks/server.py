"""The world on a local server, in a process of its own: neither its time nor its memory is anybody's who reads it.

    python -m tests.benchmarks.server COUNT     serves so many pages; ends with its standard input

It serves tables at ``/table/N/COPY`` and posts at ``/post/N/COPY`` with ETag and Last-Modified. ``POST /state`` makes all
bodies of another state before it answers, so that no pass waits for one.
"""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from watcher.demo.local import Answer, Request


def paths(count: int) -> list[str]:
    """Return the paths of so many pages: 8 tables and 12 posts, then the same again as other rounds and other pages."""
    pages = [f"/table/{n}" for n in range(8)] + [f"/post/{n}" for n in range(12)]
    return [f"{pages[n % 20]}/{n // 20}" for n in range(count)]


class Served:
    """The world's process, as the benchmark holds it."""

    def __init__(self, count: int) -> None:
        """Start it; the first state is ready when this returns."""
        self._child = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.server", str(count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._child.stdout is not None
        self.url = self._child.stdout.readline().strip()
        self.addresses = [f"{self.url}{path}" for path in paths(count)]

    def be(self, changed: int, *, shuffled: bool = False) -> None:
        """Take on another state."""
        state = f"{self.url}/state?changed={changed}&shuffled={int(shuffled)}"
        with urllib.request.urlopen(urllib.request.Request(state, method="POST"), timeout=600) as answer:  # noqa: S310
            answer.read()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.communicate()


def serve(count: int) -> None:
    """Serve until standard input ends."""
    from tests.benchmarks import world
    from watcher.demo.local import LocalServer, Reply

    class World(LocalServer):
        def __init__(self) -> None:
            self._be(world.State())
            super().__init__()

        def _be(self, state: world.State) -> None:
            self._bodies: dict[str, bytes] = {}
            for path in paths(count):
                _, kind, number, copy = path.split("/")
                self._bodies[path] = (
                    world.table(int(number), int(copy), state)
                    if kind == "table"
                    else world.post(int(number), state.changed)
                )
            self._state = state

        def answer(self, request: Request) -> Answer:
            self.requests.clear()
            if request.path == "/state":
                query = request.query
                self._be(world.State(int(query["changed"]), query["shuffled"] == "1"))
                return Reply(200)
            body = self._bodies.get(request.path)
            if body is None:
                return Reply(404)
            tag = f'"{self._state.changed}-{int(self._state.shuffled)}"'
            day = 10 + self._state.changed % 9 * 2 + int(self._state.shuffled)
            headers = {"ETag": tag, "Last-Modified": f"Thu, {day:02d} Sep 2026 10:00:00 GMT"}
            if request.headers.get("if-none-match") == tag or (
                "if-none-match" not in request.headers
                and request.headers.get("if-modified-since") == headers["Last-Modified"]
            ):
                return Reply(304, headers=headers)
            kind = "application/json" if request.path.startswith("/table") else "text/html; charset=utf-8"
            return Reply(200, body, {**headers, "Content-Type": kind})

    with World() as served:
        print(served.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
