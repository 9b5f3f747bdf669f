"""The report in a browser.

It is silent, accessible, and whole at each width and on paper. This needs Debian's chromium.

``RAIDCTL_PICTURES=DIRECTORY`` keeps what it looked like, and the PDF files.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdf
import pytest
from msgspec.structs import replace

from raidctl.model import Host, Inventory
from raidctl.output.report.html import write
from raidctl.output.report.size_limit import limited_report
from raidctl.survey.survey import Survey
from tests.browser.chromium import Scheme, Tab, chromium
from tests.output.report_pages import HOSTILE, hostile, material, measured, report
from tests.support.machines import FIXTURES
from tests.verify.checked_machines import raid_controller

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]
CONTRACT = FIXTURES.parent / "docs" / "examples" / "contract.toml"
PAGES: dict[str, tuple[str, ...]] = {
    "promise": ("smartarray-p400", "--contract", str(CONTRACT)),
    "battery": ("adaptec-5405-failed-battery",),
    "drives": ("drives-sas-multipath",),
    "megaraid": ("megaraid-h730p-predictive",),
    "md": ("md-degraded-rebuilding",),
    "partial": ("lab-megaraid-no-tool",),
}
"""Reports of recorded machines."""
MADE_UP = ("measured", "hostile", "high")
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
WIDTHS = (320, 480, 768, 1280, 1920)
CHECKED = (("light", 320), ("light", 1280), ("dark", 1280))
"""Where axe-core looks, which takes a second."""
PAPER = 688
"""Pixels of a page of A4 between its margins."""
CONTRAST = 4.5
"""Minimum contrast of text and background, as WCAG 2.1 AA requires."""
AXE = "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(\
one => `${one.impact} ${one.id}: ${one.nodes[0].html.slice(0, 200)}`))"
CUT = """[...document.querySelectorAll('p, li, dt, dd, th, td, summary, figcaption, svg')].filter(one => {
  const box = one.getBoundingClientRect()
  return box.width && !one.closest('.wide') && (box.left < -1 || box.right > innerWidth + 1)
}).map(one => one.outerHTML.slice(0, 200))"""
DRAWN = """[...document.querySelectorAll('svg text')].map(one => getComputedStyle(one).fill)
  .concat([getComputedStyle(document.body).backgroundColor])"""
ROWS = "[...document.querySelectorAll('tr')].filter(one => one.checkVisibility()).length"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    """One Chromium for all of them."""
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def axe() -> str:
    """axe-core, as it is in a package of PyPI."""
    found = importlib.util.find_spec("axe_playwright_python")
    assert found is not None, "pip install --requirement tests/browser/requirements.txt"
    assert found.origin is not None
    return Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=[*PAGES, *MADE_UP])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report as a file."""
    name = str(request.param)
    if name in PAGES:
        machine, *words = PAGES[name]
        data = report(machine, *words).stdout_bytes
    else:
        seen = {"hostile": hostile("".join(HOSTILE)), "high": high()}.get(name) or hostile("plain")
        data = limited_report(material(seen, (measured(), measured())), write, draw=True)
    file = tmp_path_factory.mktemp("page") / f"{name}.html"
    file.write_bytes(data)
    return file


def high() -> Survey:
    """A machine with rows so high that some reach a page's end."""
    controller = raid_controller(count=2)
    words = " ".join(["of the maker's many words"] * 12)
    drives = tuple(replace(controller.drives[0], id=f"acme:0/{at}", model=words) for at in range(24))
    return Survey(Inventory(host=Host(hostname="high"), controllers=(replace(controller, drives=drives),)))


def keep(name: str, data: bytes) -> None:
    """Keep a picture for a later look."""
    place = os.environ.get("RAIDCTL_PICTURES")
    if place:
        Path(place).mkdir(parents=True, exist_ok=True)
        (Path(place) / name).write_bytes(data)


def test_a_report_writes_no_message_and_asks_for_nothing(tab: Tab, page: Path) -> None:
    """A report writes nothing to the console and only requests itself. It does not violate its policy."""
    tab.open(page)
    assert tab.messages == []
    assert tab.requests == [page.resolve().as_uri()]


def test_a_report_is_accessible_and_whole_at_each_width(tab: Tab, page: Path, axe: str) -> None:
    """axe-core finds nothing, light and dark, as table and list. Nothing is cut off, and plots can be read."""
    tab.open(page)
    tab.value(f"{axe}; 0")
    for scheme in SCHEMES:
        tab.media(scheme)
        for width in WIDTHS:
            tab.width(width)
            assert tab.value("document.documentElement.scrollWidth") <= width
            assert tab.value(CUT) == []
            if (scheme, width) in CHECKED:
                keep(f"{page.stem}-{scheme}-{width}.png", tab.picture())
                assert tab.value(AXE) == []
        assert unreadable(tab.value(DRAWN)) == []


def test_no_row_is_broken_on_paper(tab: Tab, page: Path) -> None:
    """Each row of each table is on one page. Nothing is wider than the paper, and folded parts are absent."""
    tab.open(page)
    tab.media("light", "print")
    tab.width(PAPER)
    assert tab.value("document.documentElement.scrollWidth") <= PAPER
    assert tab.value(CUT) == []
    shown = tab.value(ROWS)
    data = tab.printed()
    keep(f"{page.stem}.pdf", data)
    rows = [*rows_of(pypdf.PdfReader(BytesIO(data)))]
    assert len(rows) == shown > 0
    assert [pages for pages in rows if len(pages) > 1] == []


def unreadable(colours: list[str]) -> list[str]:
    """Colours of a drawing's text with too little contrast to the last one.

    That is the background; axe does not check drawings.
    """
    *texts, ground = colours
    return [text for text in texts if contrast(text, ground) < CONTRAST]


def contrast(one: str, other: str) -> float:
    """The ratio of two colours, as WCAG calculates it."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """How light ``rgb(230, 237, 243)`` is, 0 to 1."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def rows_of(document: pypdf.PdfReader) -> Iterator[set[int]]:
    """Pages of each table row in the structure of a PDF.

    Column titles are repeated on each page, and count for the first.
    """
    for row in nodes(document.root_object["/StructTreeRoot"]):
        if row.get("/S") == "/TR":
            again = all(has_scope(cell, "/Column") for cell in children(row))
            yield {min(pages(row))} if again else set(pages(row))


def has_scope(cell: Any, scope: str) -> bool:
    """Whether a cell is the head of a column or a row."""
    return any(one.get_object().get("/Scope") == scope for one in cell.get("/A", []))


def nodes(node: Any) -> Iterator[Any]:
    """All elements of the structure."""
    yield node
    for child in children(node):
        yield from nodes(child)


def children(node: Any) -> Iterator[Any]:
    """The elements inside one; numbers are marks on a page."""
    inside = node.get("/K", [])
    for child in inside if isinstance(inside, list) else [inside]:
        found = child.get_object()
        if isinstance(found, dict):
            yield found


def pages(node: Any) -> Iterator[int]:
    """The pages on which an element, or something in it, is."""
    for one in nodes(node):
        if "/Pg" in one:
            yield one.raw_get("/Pg").idnum
