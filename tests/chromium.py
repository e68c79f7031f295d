"""A headless Chromium for tests, driven through its debugging pipe: the protocol's JSON, each message ended by a zero byte."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
_AT_3_AND_4 = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for place, end in zip((3, 4), ends):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""  # where the browser looks for its pipe
PATIENCE = 60.0  # seconds until a silent browser is a failure


def find() -> str | None:
    """Return the path of a Chromium, null if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name)) is not None), None)


class Tab:
    """One page; ``console`` what it complained of, ``requests`` the addresses that it asked for."""

    def __init__(self, browser: Browser, target: str, session: str) -> None:
        self._browser = browser
        self._target = target
        self._session = session
        self.console: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **given: Any) -> dict[str, Any]:
        """Ask one thing of the page and return the answer."""
        return self._browser.ask(method, given, self._session, self.hear)

    def hear(self, message: dict[str, Any]) -> None:
        """Write down what the page says of itself."""
        said, what = message.get("params", {}), message.get("method")
        if what == "Runtime.exceptionThrown":
            self.console.append(str(said["exceptionDetails"].get("exception", said["exceptionDetails"])))
        elif what == "Runtime.consoleAPICalled":
            self.console.append(f"{said['type']}: {[each.get('value') for each in said['args']]}")
        elif what == "Log.entryAdded":
            self.console.append(f"{said['entry']['level']}: {said['entry']['text']}")
        elif what == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])

    def open(self, url: str) -> None:
        """Go to an address and wait until it is loaded."""
        self.ask("Page.navigate", url="about:blank")
        self.until("document.URL === 'about:blank'")
        self.ask("Page.navigate", url=url)
        self.until("document.URL !== 'about:blank' && document.readyState === 'complete'")

    def shut(self) -> None:
        """Close the page."""
        self._browser.ask("Target.closeTarget", {"targetId": self._target})

    def until(self, expression: str) -> None:
        """Wait until something holds on the page."""
        ends = time.monotonic() + PATIENCE
        while not self.run(expression):
            if time.monotonic() > ends:
                raise TimeoutError(f"{expression} did not come to hold")

    def run(self, expression: str) -> Any:
        """Evaluate an expression on the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def size(self, width: int, height: int = 900) -> None:
        """Give the page a size."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )  # fmt: skip

    def scheme(self, name: str, media: str = "") -> None:
        """Show the page in light or dark, and as a medium such as print."""
        self.ask(
            "Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": name}]
        )  # fmt: skip

    def key(self, name: str, code: int, text: str = "") -> None:
        """Press and let go of a key."""
        for kind in ("keyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=name,
                code=name,
                windowsVirtualKeyCode=code,
                text=text,
            )

    def picture(self, file: Path, height: int | None = None) -> None:
        """Save the page as PNG, all of it or its first ``height`` points."""
        width, whole = self.run("[innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height or whole, whole), "scale": 1}
        answer = self.ask("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(answer["data"]))


class Browser:
    """A running Chromium with an empty profile."""

    def __init__(self, program: str, profile: Path) -> None:
        ours, its_end = os.pipe(), os.pipe()  # we write to it; it writes to us
        ends = (str(ours[0]), str(its_end[1]))
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _AT_3_AND_4,
                *ends,
                program,
                *FLAGS,
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            pass_fds=(ours[0], its_end[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(ours[0])
        os.close(its_end[1])
        self._to, self._from = ours[1], its_end[0]
        self._rest = b""
        self._number = 0

    def tab(self) -> Tab:
        """Open a new page."""
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        return Tab(self, target, session)

    def ask(
        self,
        method: str,
        given: dict[str, Any],
        session: str | None = None,
        hear: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> dict[str, Any]:
        """Send one command and return its answer; what is said meanwhile goes to ``hear``."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": given}
        if session is not None:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        for answer in self._messages():
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            hear(answer)
        raise AssertionError(f"{method}: the browser went away")

    def _messages(self) -> Iterator[dict[str, Any]]:
        while True:
            text, zero, rest = self._rest.partition(b"\0")
            if zero:
                self._rest = rest
                yield json.loads(text)
                continue
            if not select.select([self._from], [], [], PATIENCE)[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self._from, 1 << 16)
            if not more:
                return
            self._rest += more

    def close(self) -> None:
        """End the browser as a user would, so that it leaves nothing running; end its process if it does not go."""
        try:
            self.ask("Browser.close", {})
            self._process.wait(timeout=PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._to)
            os.close(self._from)


@contextmanager
def started(program: str, profile: Path) -> Iterator[Browser]:
    """Run a browser for a while."""
    browser = Browser(program, profile)
    try:
        yield browser
    finally:
        browser.close()
