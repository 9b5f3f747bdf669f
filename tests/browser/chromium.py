"""A headless Chromium: pages in it, over its own protocol on a pipe, so that no driver and no port is needed."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SWITCHES = (
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-gpu",
    "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--font-render-hinting=none",
)  # fmt: skip
_PATIENCE = 300
"""Seconds without a word after which Chromium hangs."""
_HIGH = 10
"""Chromium reads from file descriptor 3 and writes to 4; these must not be in the way."""


class BrowserError(Exception):
    """Chromium refused a command, or has ended."""


class Chromium:
    """A running Chromium."""

    def __init__(self, to: int, back: int) -> None:
        self._to = to
        self._back = back
        self._rest = b""
        self._last = 0
        self.events: list[Mapping[str, Any]] = []
        """What it reported since they were last cleared."""

    def ask(self, method: str, session: str | None = None, /, **params: object) -> dict[str, Any]:
        """Send a command; what comes back.

        Raises:
            BrowserError: It was refused, or Chromium has ended.
        """
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        while True:
            reply = self._next()
            if reply.get("id") == self._last:
                break
            self.events.append(reply)
        if "error" in reply:
            raise BrowserError(f"{method}: {reply['error'].get('message')}")
        result: dict[str, Any] = reply["result"]
        return result

    def wait(self, method: str, session: str) -> None:
        """Wait for an event of a page."""
        while not any(one.get("method") == method and one.get("sessionId") == session for one in self.events):
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._back], [], [], _PATIENCE)[0]:
                raise BrowserError(f"Chromium has said nothing for {_PATIENCE} s")
            more = os.read(self._back, 1 << 20)
            if not more:
                raise BrowserError("Chromium has ended")
            self._rest += more
        one, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(one)
        return message


class Tab:
    """A page that is open."""

    def __init__(self, browser: Chromium, session: str) -> None:
        self._browser = browser
        self._session = session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, /, **params: object) -> dict[str, Any]:
        """Send a command to the page."""
        return self._browser.ask(method, self._session, **params)

    def open(self, file: Path) -> None:
        """Load a file, and wait until everything in it is loaded."""
        self._browser.events.clear()
        self.ask("Page.navigate", url=file.resolve().as_uri())
        self._browser.wait("Page.loadEventFired", self._session)

    def value(self, script: str) -> Any:
        """The value of an expression in the page; of a promise, what it becomes."""
        got = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            raise BrowserError(str(got["exceptionDetails"].get("exception", {}).get("description")))
        return got["result"].get("value")

    def width(self, pixels: int, *, height: int = 900) -> None:
        """Lay the page out for a screen of this width."""
        self.ask("Emulation.setDeviceMetricsOverride", width=pixels, height=height, deviceScaleFactor=1,
                 mobile=pixels <= 480)  # fmt: skip

    def media(self, scheme: str, medium: str = "screen") -> None:
        """Show it light or dark, as on a screen or on paper."""
        self.ask("Emulation.setEmulatedMedia", media=medium,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])  # fmt: skip

    def picture(self, *, whole: bool = False) -> bytes:
        """What is to be seen, as PNG; ``whole``: also what is below."""
        got = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(got["data"])

    def printed(self) -> bytes:
        """The page on paper, as PDF with its structure."""
        self.media("light", "")  # a medium that is asked for would be that of the paper, too
        got = self.ask("Page.printToPDF", preferCSSPageSize=True, generateTaggedPDF=True, paperWidth=8.27,
                       paperHeight=11.69)  # fmt: skip
        return base64.b64decode(got["data"])

    def messages(self) -> list[str]:
        """What the page wrote to the console since it was opened, and what the browser reports of it."""
        found = []
        for one in self._browser.events:
            method, params = one.get("method"), one.get("params", {})
            if method == "Log.entryAdded":
                found.append(str(params["entry"].get("text")))
            elif method == "Runtime.consoleAPICalled":
                found.append(f"console.{params.get('type')}")
            elif method == "Runtime.exceptionThrown":
                found.append(str(params.get("exceptionDetails", {}).get("text")))
        return found

    def requests(self) -> list[str]:
        """What the page asked for since it was opened, itself first."""
        sent = (one for one in self._browser.events if one.get("method") == "Network.requestWillBeSent")
        return [str(one["params"]["request"]["url"]) for one in sent]


@contextmanager
def chromium(profile: Path) -> Iterator[Tab]:
    """Chromium with one page; it ends with the block. ``profile`` is an empty directory for its files."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise BrowserError("no chromium: install Debian's package of this name")
    ours, theirs = _high(*os.pipe()), _high(*os.pipe())
    words = [program, *_SWITCHES, f"--user-data-dir={profile}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]

    def place() -> None:
        os.dup2(theirs[0], 3)
        os.dup2(ours[1], 4)

    with (profile / "stderr").open("wb") as log:
        process = subprocess.Popen(
            [*words, "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(3, 4),
            preexec_fn=place,  # noqa: PLW1509 - the two descriptors have fixed numbers, and there are no threads
        )
    os.close(theirs[0])
    os.close(ours[1])
    browser = Chromium(theirs[1], ours[0])
    try:
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        yield Tab(browser, browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
    finally:
        os.close(theirs[1])  # it ends at the end of its input
        os.close(ours[0])
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _high(*pipe: int) -> tuple[int, int]:
    """The two ends of a pipe, with numbers that are not in Chromium's way."""
    ends = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _HIGH) for end in pipe)
    for end in pipe:
        os.close(end)
    return ends[0], ends[1]
