"""The Sphinx configuration of the manual: ``python -m sphinx -W docs site`` needs no network.

The pages are plain Markdown, as GitHub shows it. The navigation of the site is therefore defined here.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
VERSION_FILE = ROOT / "raidctl" / "__init__.py"
sys.path.insert(0, str(ROOT))

NAV = {
    "Start here": {
        "Installing": "install",
        "A tour": "tour",
    },
    "See what is there": {
        "What is there?": "show",
        "What is going on?": "tasks",
        "What has happened?": "events",
        "What has changed?": "drift",
        "Servers through their BMC": "redfish",
    },
    "Verify and report": {
        "Is it what was promised?": "verify",
        "Reports": "report",
        "Does it behave?": "bench",
        "Does it survive a power cut?": "powercut",
        "Policies": "policy",
    },
    "Drives and arrays": {
        "May I pull this drive?": "replace",
        "Find a drive": "locate",
        "Spares": "spares",
        "Checks": "checks",
        "Drive states and controllers": "drive_states",
        "Layouts": "layout",
        "Operations": "operate",
        "From real controllers": "field",
    },
    "Caches": {
        "Changing caches": "cache",
    },
    "Many machines, and alerts": {
        "Mail when something changes": "watch",
        "Monitoring": "export",
        "Many machines": "fleet",
        "Ansible": "ansible",
        "Questions in SQL": "fleet_sql",
        "From check_raid": "check_raid",
    },
    "Reference": {
        "Commands": "commands",
        "Built-in rules": "rules",
        "Fields of the model": "model",
        "Exit codes": "exit-codes",
        "JSON": "json",
        "Files and environment": "files",
        "raidctl-mfi": "mfi",
    },
    "For developers": {
        "Architecture": "architecture",
        "The lab": "lab",
    },
}
"""The navigation: captions, and below each its pages' titles and names."""

project = "raidctl"
author = "the authors of raidctl"
version = release = re.findall(r'(?m)^__version__ = "(.+)"', VERSION_FILE.read_text(encoding="utf-8"))[0]
extensions = ["myst_parser"]
myst_heading_anchors = 3
highlight_language = "text"  # blocks without a language show a terminal, not Python
html_theme = "furo"
html_title = f"raidctl {version}"
html_copy_source = html_show_sourcelink = False
html_show_copyright = False
html_use_index = False
html_static_path = ["_site"]
html_css_files = ["manual.css"]
html_search_scorer = str(ROOT / "docs" / "_site" / "scorer.js")
# browsers do not load pages for previews from a file: URL
html_show_search_summary = False


def setup(app: Any) -> dict[str, bool]:
    """Add the navigation to the front page. The examples of reports are added to their pages."""
    app.add_config_value("navigation", NAV, "env")
    app.connect("source-read", _with_navigation)
    app.connect("source-read", _with_reports)
    app.connect("html-page-context", _for_keyboards, priority=900)  # after the theme
    app.connect("build-finished", _write_reports)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _with_navigation(app: Any, name: str, source: list[str]) -> None:
    """Append the navigation to the text of the front page."""
    if name == app.config.root_doc:
        source[0] += "".join(_toctree(*part) for part in app.config.navigation.items())


def _toctree(caption: str, pages: dict[str, str]) -> str:
    lines = "\n".join(f"{title} <{page}>" for title, page in pages.items())
    return f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n"


def _with_reports(app: Any, name: str, source: list[str]) -> None:  # noqa: ARG001 - as Sphinx calls it
    """Insert a report at ``<!-- report: NAME -->``, which GitHub does not show."""
    source[0] = re.sub(r"(?m)^<!-- report: (\w+) -->$", lambda found: _figure(found[1]), source[0])


def _figure(name: str) -> str:
    from tests.support.example_pages import EXAMPLES  # noqa: PLC0415 - only where a page shows one

    title, file = EXAMPLES[name][0], f"reports/{name}.html"
    return (
        f'<figure class="report"><iframe src="{file}" title="{title}" loading="lazy"></iframe>'
        f'<figcaption>{title}. <a href="{file}">The whole page</a>.</figcaption></figure>\n'
    )


def _write_reports(app: Any, error: Exception | None) -> None:
    from tests.support.example_pages import write  # noqa: PLC0415 - only when the pages are there

    if error is None:
        write(Path(app.outdir) / "reports")


def _for_keyboards(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:  # noqa: ARG001
    """Make content that is wider than the page scrollable by keyboard. Give the navigation's captions their level."""
    if "body" in context:
        context["body"] = context["body"].replace("<pre>", '<pre tabindex="0">')
    if "furo_navigation_tree" in context:
        plain, level = 'role="heading">', 'role="heading" aria-level="2">'
        context["furo_navigation_tree"] = context["furo_navigation_tree"].replace(plain, level)
