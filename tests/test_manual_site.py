"""The manual as a site. It builds strictly, nothing is missing in it, and it reads well."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest

from raidctl import errors
from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.cli import batch
from raidctl.cli import schema as schemas
from raidctl.cli.shared.reader_gone import EXIT_READER_GONE
from raidctl.output.json import schema
from raidctl.output.metrics_table import INVENTORY, of_rules, of_scan
from tests.output.inventories import HEALTHY
from tests.support.example_pages import EXAMPLES
from tests.support.page_outputs import code_of, commands_of, masked, output_of, with_code
from tests.support.pages import commands
from tests.support.reference_pages import PLAIN, PRINTED, with_json
from tests.support.temporary import DRIVE

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES_WITH_OUTPUTS = (
    "index",
    "tour",
    "show",
    "json",
    "replace",
    "spares",
    "checks",
    "watch",
    "operate",
    "field",
    "report",
    "drive_states",
    "events",
    "layout",
    "locate",
    "tasks",
)
"""Pages whose commands and outputs are tested only here."""
TESTED_ELSEWHERE = {"cache": "tests/change/test_cache_page.py", "drift": "tests/drift/test_drift_page.py"}
"""Pages with separate tests."""


class Page(HTMLParser):
    """A page of the site, and what a browser fetches for it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.sections: dict[str, str] = defaultdict(str)
        """The text of each section without those inside it, by its id."""
        self.prose = ""
        """The text of the article that is not code."""
        self.code: list[str] = []
        """What is set in code within the text."""
        self.first_cells: set[str] = set()
        """The first column of all tables."""
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self._open: list[tuple[str, str]] = []
        self._cell = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the following text's place, and what is fetched or linked."""
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.add(given.get("href", ""))
        elif "src" in given or tag == "link":
            self.fetched.add(given.get("src") or given.get("href", ""))
        if tag in {"article", "section", "pre", "code", "script", "style", "tr", "td"}:
            self._open.append((tag, given.get("id", "")))
        if tag == "code":
            self.code.append("")
        self._cell = 0 if tag == "tr" else self._cell + (tag == "td")

    def handle_endtag(self, tag: str) -> None:
        """Leave it."""
        if self._open and self._open[-1][0] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Sort text by its place."""
        tags = {tag for tag, _ in self._open}
        if "article" not in tags:
            return
        if inside := [name for tag, name in self._open if tag == "section"]:
            self.sections[inside[-1]] += data
        if not tags & {"pre", "code", "script", "style"}:
            self.prose += f"{data}\n"
        elif "pre" not in tags:
            self.code[-1] += data
        if "td" in tags and self._cell == 1:
            self.first_cells.add(data.strip())


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build a site as CONTRIBUTING.md describes. Every error is reported, not only the first."""
    argv = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", str(DOCS), str(source), str(target)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once."""
    target = tmp_path_factory.mktemp("site")
    done = build(DOCS, target)
    assert (done.returncode, done.stderr) == (0, "")
    return target


def page(site: Path, name: str) -> Page:
    """A page of the site."""
    return Page(site / f"{name}.html")


@pytest.mark.slow
def test_every_page_is_in_the_navigation(site: Path) -> None:
    """A reader reaches each page of ``docs/`` from the front page. The site builds without a warning."""
    names = {f"{path.stem}.html" for path in DOCS.glob("*.md")} - {"index.html"}
    assert names
    assert names <= page(site, "index").links


@pytest.mark.slow
def test_what_is_broken_stops_the_build(tmp_path: Path) -> None:
    """A link to a missing page or heading is an error, and so is a page that is not in the navigation."""
    for path in DOCS.glob("*.md"):
        (tmp_path / path.name).write_text(f"# {path.stem}\n", encoding="utf-8")
    (tmp_path / "forgotten.md").write_text("# Forgotten\n", encoding="utf-8")
    (tmp_path / "index.md").write_text("# index\n\n[a](gone.md) and [b](show.md#nowhere)\n", encoding="utf-8")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode == 1
    for what in ("'gone.md'", "'nowhere'", "forgotten.md: WARNING: document isn't included in any toctree"):
        assert what in done.stderr


@pytest.mark.slow
def test_every_command_and_option_is_in_the_manual(site: Path) -> None:
    """Each command has a section with all its options for people. This includes the commands of groups in the tree."""
    sections = page(site, "commands").sections
    for context in commands():
        section = sections[context.command_path.replace(" ", "-")]
        assert f"Usage: {context.command_path} " in section
        for option in context.command.get_params(context):
            if isinstance(option, click.Option) and not option.hidden:
                missing = {word for word in (*option.opts, *option.secondary_opts) if not _has(section, word)}
                assert not missing, context.command_path


def _has(text: str, option: str) -> bool:
    return re.search(rf"(?m)^ +(-\w, |--[\w-]+(?:, | / ))?{option}( |,|$)", text) is not None


@pytest.mark.slow
def test_every_rule_is_in_the_manual(site: Path) -> None:
    """Each built-in rule has a section. The table at the top leads there."""
    found = page(site, "rules")
    for rule in rules():
        place = rule.name.replace("_", "-")
        assert found.sections[place].lstrip().startswith(rule.name)
        assert f"#{place}" in found.links


@pytest.mark.slow
def test_every_metric_is_in_the_manual(site: Path) -> None:
    """The tables have exactly the metrics that ``raidctl export`` may print."""
    metrics = {one.name for one in (*INVENTORY, of_scan(0.0), *of_rules(diagnose(HEALTHY, ())))}
    assert {cell for cell in page(site, "export").first_cells if cell.startswith("raidctl_")} == metrics


@pytest.mark.slow
def test_every_exit_code_is_in_the_manual(site: Path) -> None:
    """Each exit code has its line or its sentence. Each command is named there."""
    found = page(site, "exit-codes")
    codes = {str(value) for name, value in vars(errors).items() if name.startswith("EXIT_")}
    assert {cell for cell in found.first_cells if cell.isdecimal()} == codes
    for code in (EXIT_READER_GONE, batch.EXIT_NOT_FOUND):
        assert re.search(rf"\b{code}\b", found.prose)
    named = {word.removeprefix("raidctl ") for word in found.code}
    assert set(_leaves()) <= named


def _leaves() -> Iterator[str]:
    """The commands that do something, without ``raidctl``."""
    for context in commands():
        if not isinstance(context.command, click.Group):
            yield context.command_path.removeprefix("raidctl ")


@pytest.mark.slow
def test_every_field_of_json_is_in_the_manual(site: Path) -> None:
    """Each answer has a section with all fields of its classes. The model's page may have them instead."""
    found, model = page(site, "json"), page(site, "model")
    for answer in schemas.DOCUMENTS:
        assert answer in found.sections
        for described in schema(*schemas._kind(answer))["$defs"].values():
            assert set(described.get("properties", {})) <= found.first_cells | model.first_cells


def test_every_command_with_json_is_on_the_page() -> None:
    """Each command with --json has its schema or description on the page."""
    printed = [name for names in PRINTED.values() for name in names.split("|")]
    listed = {name.split(" --")[0] for name in (*printed, *PLAIN)}
    assert listed == with_json()
    assert set(PRINTED) == set(schemas.DOCUMENTS)


@pytest.mark.parametrize("answer", schemas.DOCUMENTS)
def test_every_field_of_a_schema_has_a_description(answer: str) -> None:
    """Each class and each field that an answer contains has a description."""
    definitions = schema(*schemas._kind(answer))["$defs"]
    fields = {
        (name, field): one for name, whole in definitions.items() for field, one in whole.get("properties", {}).items()
    }
    assert fields
    assert not [key for key, one in fields.items() if not one.get("description")]
    assert not [name for name, whole in definitions.items() if not whole.get("description")]


@pytest.mark.slow
def test_no_markdown_is_left_in_the_text(site: Path) -> None:
    """Tables, emphasis, code, links and comments are rendered, on every page."""
    for path in sorted(site.glob("*.html")):
        raw = re.findall(r"(?m)^.*(?:\||\*|`|\]\(|<!--|^#+ ).*$", Page(path).prose)
        assert not raw, path.name


@pytest.mark.slow
def test_the_site_needs_no_network(site: Path) -> None:
    """All files that a browser loads for a page are local. There are no third-party fonts, styles or scripts."""
    for path in site.glob("*.html"):
        fetched = Page(path).fetched
        assert fetched
        assert not {one for one in fetched if re.match(r"(\w+:)?//", one)}, path.name
    for path in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", path.read_text(encoding="utf-8")), path.name


def test_no_page_with_outputs_is_left_out() -> None:
    """Each output on a page is compared with what the command prints."""
    shown = {path.stem for path in DOCS.glob("*.md") if commands_of(path.read_text(encoding="utf-8"))}
    assert shown == {*PAGES_WITH_OUTPUTS, *TESTED_ELSEWHERE}
    for file in TESTED_ELSEWHERE.values():
        assert "commands_of(" in (DOCS.parent / file).read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_reports_that_the_site_shows_are_there(site: Path) -> None:
    """The reports are built with the site, each a whole page."""
    shown = "".join(path.read_text(encoding="utf-8") for path in site.glob("*.html"))
    for name, (title, _) in EXAMPLES.items():
        assert (site / "reports" / f"{name}.html").read_text(encoding="utf-8").startswith("<!doctype html>")
        assert f'<iframe src="reports/{name}.html" title="{title}"' in shown
    assert "<!-- report:" not in shown


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES_WITH_OUTPUTS)
def test_the_commands_of_a_page_print_what_it_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in order on simulated machines with a fresh state directory. Dates may differ."""
    if name == "field":  # it makes a directory where it is run
        monkeypatch.chdir(tmp_path)
    found = commands_of((DOCS / f"{name}.md").read_text(encoding="utf-8"))
    assert found
    for one in found:
        remedy = f"{one.command}; python -m tests.support.page_outputs docs/{name}.md writes the page's outputs"
        assert masked(output_of(one.command, tmp_path)) == masked(one.output), remedy


@pytest.mark.parametrize("name", PAGES_WITH_OUTPUTS)
def test_a_page_confirms_the_code_that_its_plan_prints(name: str) -> None:
    """Each ``--confirm CODE`` of a page is the last code that an earlier screen prints."""
    code = ""
    for one in commands_of((DOCS / f"{name}.md").read_text(encoding="utf-8")):
        assert with_code(one.command, code) == one.command
        code = code_of(one.output) or code


@pytest.mark.slow
def test_the_tour_measures_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that need a real drive work in any directory. Here they only print what they would do."""
    monkeypatch.chdir(DRIVE)
    lines = re.findall(r"(?m)^    (raidctl (?:bench|verify).+)$", (DOCS / "tour.md").read_text(encoding="utf-8"))
    assert len(lines) == 3
    for line in lines:
        printed = output_of(line if "--dry-run" in line else f"{line} --dry-run", tmp_path / "state")
        assert "exit code" not in printed
        assert f"In {DRIVE} a file of" in printed
