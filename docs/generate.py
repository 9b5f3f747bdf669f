"""Generate parts of the manual: model, commands, rules, metrics, exit codes, JSON.

Also the README's screen, the man pages, and the completions of the shells. ``--check`` only compares.

python docs/generate.py [--check]
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from raidctl.cli.shared.completion import SCRIPTS
from tests.support.machines import MACHINES, replayed
from tests.support.man_pages import man_pages
from tests.support.metrics_page import export_page
from tests.support.operate_page import operate_page
from tests.support.pages import commands_page, model_page, with_screen
from tests.support.reference_pages import exit_codes_page, json_page
from tests.support.replace_page import replace_page
from tests.support.rules_page import rules_page

DOCS = Path(__file__).resolve().parent


def reporting_families() -> dict[str, set[str]]:
    """The families that report each field: ``{"volume.size_bytes": {"md"}}``.

    Their recorded machines have a line for it.
    """
    families: dict[str, set[str]] = defaultdict(set)
    for machine in MACHINES:
        survey = replayed(machine)
        for controller in survey.inventory.controllers:
            family = controller.id.split(":")[0]
            kinds = {controller.id: "controller"}
            for kind in ("batteries", "arrays", "volumes", "drives"):
                kinds |= {item.id: kind for item in getattr(controller, kind)}
            for output in survey.outputs:
                for fact in output.facts:
                    if fact.object_id in kinds:
                        families[f"{kinds[fact.object_id]}.{fact.field}"].add(family)
    return families


def main() -> int:
    """Write the pages, or with ``--check`` report which are outdated."""
    readme = DOCS.parent / "README.md"
    parts = {readme: with_screen, DOCS / "export.md": export_page,
             DOCS / "exit-codes.md": exit_codes_page, DOCS / "json.md": json_page,
             DOCS / "operate.md": operate_page, DOCS / "replace.md": replace_page}  # fmt: skip
    pages = {
        DOCS / "model.md": model_page(reporting_families()),
        DOCS / "commands.md": commands_page(),
        DOCS / "rules.md": rules_page(),
        **{DOCS.parent / "packaging" / "completions" / name: text for name, text in SCRIPTS.items()},
        **{DOCS / "man" / name: page for name, page in man_pages().items()},
        **{path: written(path.read_text(encoding="utf-8")) for path, written in parts.items()},
    }
    stale = [path.name for path in (DOCS / "man").glob("*") if path not in pages]  # of a command that was removed
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if "--check" not in sys.argv[1:]:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if "--check" not in sys.argv[1:]:
        for path in set((DOCS / "man").glob("*")) - pages.keys():
            path.unlink()
    if stale and "--check" in sys.argv[1:]:
        print(f"not current: {', '.join(stale)}; run python docs/generate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
