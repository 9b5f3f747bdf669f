"""How the manual is built: ``python -m sphinx -W docs site``. Nothing of it needs a network.

The pages are plain Markdown, as GitHub shows it; so what stands on the left of the site stands here, not in a page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

VERSION_FILE = Path(__file__).resolve().parents[1] / "raidctl" / "__init__.py"

NAV = {
    "Questions": {
        "What is there?": "show",
        "What is going on?": "tasks",
        "What has happened?": "events",
        "Is it what was promised?": "verify",
        "Reports": "report",
        "What has changed?": "drift",
        "May I pull this drive?": "replace",
        "Changing caches": "cache",
        "Find a drive": "locate",
        "Does it behave?": "bench",
        "Checks": "checks",
        "Spares": "spares",
        "Drive states and controllers": "drive_states",
        "Operations": "operate",
        "From real controllers": "field",
        "Layouts": "layout",
        "Many machines": "fleet",
        "Ansible": "ansible",
        "Policies": "policy",
        "Questions in SQL": "fleet_sql",
        "Mail when something changes": "watch",
        "Monitoring": "export",
        "From check_raid": "check_raid",
    },
    "Reference": {
        "Installing": "install",
        "Commands": "commands",
        "Built-in rules": "rules",
        "Fields of the model": "model",
        "Exit codes": "exit-codes",
        "JSON": "json",
        "Files and environment": "files",
        "raidctl-mfi": "mfi",
    },
    "Inside": {
        "Architecture": "architecture",
        "The lab": "lab",
    },
}
"""What stands on the left: captions, and below each the titles of its pages and their names."""

project = "raidctl"
author = "the authors of raidctl"
version = release = re.findall(r'(?m)^__version__ = "(.+)"', VERSION_FILE.read_text(encoding="utf-8"))[0]
extensions = ["myst_parser"]
myst_heading_anchors = 3
highlight_language = "text"  # what names no language is what a terminal shows, no Python
html_theme = "furo"
html_title = f"raidctl {version}"
html_copy_source = html_show_sourcelink = False
html_show_copyright = False
html_use_index = False


def setup(app: Any) -> dict[str, bool]:
    """Let the front page carry the navigation."""
    app.add_config_value("navigation", NAV, "env")
    app.connect("source-read", _with_navigation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _with_navigation(app: Any, name: str, source: list[str]) -> None:
    """Put what stands on the left behind the text of the front page."""
    if name == app.config.root_doc:
        source[0] += "".join(_toctree(*part) for part in app.config.navigation.items())


def _toctree(caption: str, pages: dict[str, str]) -> str:
    lines = "\n".join(f"{title} <{page}>" for title, page in pages.items())
    return f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n"
