"""The generated parts of ``docs/exit-codes.md`` and ``docs/json.md``, as text."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import click

from raidctl.cli import schema as schemas
from raidctl.cli.export import TABLES
from raidctl.cli.schema import DOCUMENTS
from raidctl.output.json import schema
from tests.support.pages import ROOT, between, commands, kind

PRINTED: Mapping[str, str] = {
    "inventory": "show",
    "change": "cache set|cache split|cache drive|cache threshold|rate|batch|spare add|spare remove|replace|"
    "check start|check stop|check pause|check resume|check schedule set|alarm on|alarm off|layout apply|drive good|"
    "drive offline|drive online|drive jbod|drive raid|drive erase|rebuild start|rebuild stop|rebuild pause|"
    "rebuild resume|patrol start|patrol stop|patrol pause|patrol resume|foreign import|foreign clear|"
    "preserved discard|battery learn",
    "journal": "journal",
    "cache": "cache show|cache threshold",
    "flush": "cache flush",
    "stats": "cache stats",
    "verify": "verify",
    "bench": "bench run|bench show",
    "powercut": "bench powercut",
    "compare": "bench compare",
    "audit": "audit",
    "diagnose": "diagnose",
    "export": "export",
    "diff": "diff",
    "snapshot": "snapshot",
    "history": "history",
    "doctor": "doctor",
    "tasks": "tasks",
    "rates": "rate",
    "events": "events",
    "alarms": "alarm show",
    "silence": "alarm silence",
    "locate": "locate on|locate off|locate list",
    "checks": "check show",
    "schedules": "check schedule show",
    "replace": "replace --check",
    "spares": "spare show",
    "layout": "layout check",
    "layout-plan": "layout plan",
    "hosts": "show|diagnose|snapshot|diff|record|doctor",
    "watch": "watch --once",
    "watch-live": "watch",
    **{f"rows-{table}": f"export --rows {table}" for table in TABLES},
    "foreign": "foreign show|foreign preview",
    "preserved": "preserved show",
    "battery": "battery show|battery schedule",
    "patrol": "patrol show",
    "self-tests": "check media start|check media show|check media stop",
}
"""Which commands print each answer of ``raidctl schema``."""

PLAIN: Mapping[str, str] = {
    "diagnose --list": "a list of rules, each with its `manual`",
    "snapshot --list": "a list of snapshots, each as `snapshot` prints it",
    "bench list": "a list of saved runs: `id`, `at`, `host`, `target`, `profile` and more",
    "bench export": "one run a line, each as `bench show` prints it",
    "bench model": "one line, before it serves: its `uri`, and `without_flushes` (with `--no-flush-socket`, else null)",
    "bench witness": "one line, before it serves: the address it is `listening` on, `directory`, `token_file`",
    "layout export": "the keys and values of the layout file ([layout](layout.md))",
    "restore": "a list of changes, each with what was `put_back` and what was `left`",
    "demo": "a list of `name` and `about`",
    "record": "`destination`, `commands`, number of `answers`, `bytes`",
    "schema": "a JSON Schema, with or without it",
    "vendors": "a list of families, each with its tools and `capabilities`",
}
"""What the commands print that have no schema."""


def exit_codes_page(page: str) -> str:
    """The page with what is generated between its marks."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"(?ms)^## Exit codes\n\n(.+?)\n\n", readme)[0]
    rows = "\n".join(f"| `{path}` | {sentence} |" for path, sentence in exit_codes_of_help())
    return between(
        between(page, "the codes", table),
        "the commands",
        f"| command | exit codes |\n|---|---|\n{rows}",
    )


def exit_codes_of_help() -> Iterator[tuple[str, str]]:
    """Each command whose help lists exit codes, and that paragraph."""
    for context in commands():
        for paragraph in inspect.cleandoc(context.command.help or "").split("\n\n"):
            if context.parent and paragraph.startswith("Exit codes: "):
                text = " ".join(paragraph.split()).removeprefix("Exit codes: ")
                codes, period, remarks = text.partition(". ")
                yield context.command_path, re.sub(r"(^|; |or )(\d+)(?= )", r"\1**\2**", codes) + period + remarks


def json_page(page: str) -> str:
    """The page with what is generated between its marks."""
    plain = "\n".join(f"| `raidctl {name}` | {what} |" for name, what in PLAIN.items())
    listed = "\n".join(f"| {_commands(name)} | [`{name}`](#{name}) |" for name in DOCUMENTS)
    with_it = f"| printed by | `raidctl schema …` |\n|---|---|\n{listed}"
    page = between(page, "the answers", with_it)
    page = between(page, "the rest", f"| printed by | what it is |\n|---|---|\n{plain}")
    return between(page, "the fields", "\n\n".join(_answers()))


def _commands(answer: str) -> str:
    option = " --hosts" if answer == "hosts" else ""
    return ", ".join(f"`{name}{option}`" for name in PRINTED[answer].split("|"))


def _answers() -> Iterator[str]:
    """A section for each answer. A class that has been described is named, not described again."""
    described = {json.dumps(one): f"model.md#{name.lower()}" for name, one in schema()["$defs"].items()}
    for answer in DOCUMENTS:
        title, answer_type = schemas._kind(answer)
        whole = schema(title, answer_type)
        yield f"## {answer}\n\n{title}: {_outermost(whole)}. Printed by {_commands(answer)}."
        places = {}
        for name, one in whole["$defs"].items():
            text = json.dumps(one)
            if text in described:
                places[name] = described[text]
            elif "properties" in one:
                described[text] = f"#{answer}"
                yield _class(name, one)
        if places:
            yield f"Described elsewhere: {_links(places)}."


def _links(places: Mapping[str, str]) -> str:
    """Links to where classes are described. An inventory brings all of the model with it."""
    whole = "Inventory" in places
    links = [f"[{name}]({at})" for name, at in places.items() if not (whole and at.startswith("model.md"))]
    return ", ".join([*links, *(["[Inventory](model.md), with all that is in it"] if whole else [])])


def _outermost(schema_of: Mapping[str, Any]) -> str:
    return f"a {kind(schema_of)}" if schema_of.get("type") == "array" else f"one object, {kind(schema_of)}"


def _class(name: str, one: Mapping[str, Any]) -> str:
    rows = "\n".join(
        f"| `{field}` | {kind(field_schema)} | {field_schema.get('description', '').replace('|', chr(92) + '|')} |"
        for field, field_schema in one["properties"].items()
    )
    return f"**{name}**: {one.get('description', '')}\n\n| field | type | meaning |\n|---|---|---|\n{rows}"


def with_json() -> set[str]:
    """The commands that have the option --json."""
    found = set()
    for context in commands():
        flags = {flag for option in context.command.params if isinstance(option, click.Option) for flag in option.opts}
        if context.parent and "--json" in flags:
            found.add(context.command_path.removeprefix("raidctl "))
    return found
