"""Debian's headless Chromium with one page, driven by playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SWITCHES = ("--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--font-render-hinting=none")
_PATIENCE = 300_000
"""Milliseconds after which Chromium counts as hung. A busy machine may take some tens of seconds to start it."""
Scheme = Literal["light", "dark"]


class Tab:
    """A page that is open."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._protocol = page.context.new_cdp_session(page)
        self.messages: list[str] = []
        """What the page wrote to the console since it was opened. What the browser reports of the page is included."""
        self.requests: list[str] = []
        """The page's requests since it was opened, its own first."""
        page.set_default_timeout(_PATIENCE)
        page.on("console", lambda one: self.messages.append(f"{one.type}: {one.text}"))
        page.on("pageerror", lambda one: self.messages.append(str(one)))
        page.on("request", lambda one: self.requests.append(one.url))

    def open(self, file: Path) -> None:
        """Load a file, and wait until everything in it is loaded."""
        self.messages.clear()
        self.requests.clear()
        self._page.goto(file.resolve().as_uri())

    def value(self, script: str) -> Any:
        """The value of an expression in the page. For a promise, the value that it resolves to."""
        return self._page.evaluate(script)

    def width(self, pixels: int) -> None:
        """Lay the page out for a screen of this width. A narrow one is a phone's and uses the page's viewport."""
        size = {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": pixels <= 480}
        self._protocol.send("Emulation.setDeviceMetricsOverride", size)

    def media(self, scheme: Scheme, medium: Literal["screen", "print"] = "screen") -> None:
        """Show it light or dark, as on a screen or on paper."""
        self._page.emulate_media(color_scheme=scheme, media=medium)

    def picture(self) -> bytes:
        """A screenshot, as PNG."""
        return self._page.screenshot()

    def printed(self) -> bytes:
        """The page on paper, as PDF with its structure."""
        self._page.emulate_media(color_scheme="light", media="null")
        return self._page.pdf(format="A4", prefer_css_page_size=True, tagged=True)


@contextmanager
def chromium() -> Iterator[Tab]:
    """Chromium with one page; it ends with the block."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the quick run, which reads this file, has none

    program = shutil.which("chromium")
    assert program is not None, "install Debian's package chromium"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=program, args=_SWITCHES, chromium_sandbox=os.geteuid() != 0, timeout=_PATIENCE
        )
        yield Tab(browser.new_page())
        browser.close()
