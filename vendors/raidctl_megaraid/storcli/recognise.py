"""Which of the tools' forms an output has, by its content."""

from __future__ import annotations

import re
from posixpath import basename

from msgspec.structs import replace

from raidctl.text import regex, without_escapes
from raidctl.vendor.protocol import Confidence, Sniffed
from raidctl.vendor.recognise import Recogniser, Signature
from raidctl_megaraid.storcli.from_json import from_json
from raidctl_megaraid.storcli.from_text import HELP
from raidctl_megaraid.storcli.json_recovery import begins, torn
from raidctl_megaraid.storcli.outline import Outline

JSON, TEXT = "storcli_json", "storcli_text"
_CHARACTERS = 200_000

# { "Controllers":[ { "Command Status" : {
_ENVELOPE = regex(r'"(?:Command Status|Response Data)"\s*:')
_LONE = regex(r'\{\s*"Controllers"\s*:\s*\[\s*(?:\]|\Z)')
# CLI Version = 007.1017.0000.0000 May 10, 2019
_VERSION = regex(r"^[ \t]*CLI Version +=\s*(\S+)|\"CLI Version\"\s*:\s*\"(\S+)", re.MULTILINE)
_RULED = r" ?:$"
_FORMS = Recogniser(
    TEXT,
    (
        Signature(
            "show",
            (
                # CLI Version = 007.1017.0000.0000 May 10, 2019        tw_cli prints one as well, in another form
                r"CLI Version += 0",
                # Status = Success
                r"Status += (?:Success|Failure)$",
                r".*unexpected TOKEN_[A-Z]",
                r"(?:StorCli|PercCli)2? .*Ver 00[78]\.",
                r"Storage Command Line Tool +Ver 00[78]\.",
                r"EID:Slt +[DP]ID +State +(?:Status +)?DG ",
                r"DG/VD +TYPE +State +Access ",
                r"DG +(?:Arr|Span) +Row +EID:Slot ",
                r"Ct(?:l|rl) +(?:Model|Product Name) +.*(?:Hlth|EPack)",
                r"Ctrl_Prop +Value$",
                # /c0/v0 :
                r"(?:Drive )?/c\d+(?:/[evdsf]\d+)+(?: - Detailed Information)?" + _RULED,
                r"(?:Cachevault_Info|BBU_(?:Capacity_)?Info|Energy Pack Info|GasGaugeStatus|VD\d+ Properties) +:",
                r"(?:[VP]D LIST|TOPOLOGY|HwCfg|Supported Adapter Operations|Policies Table|Detailed Status)" + _RULED,
                r"EID +State +(?:DeviceType +)?Slots +PD ",
                r"Generating detailed summary of the adapter",
            ),
            ("product name", "fw package build", "bios version", "driver name"),
        ),
        Signature(
            "show",
            (r"(?:VD|EID:Slt|Drive-ID|Ctrl|DG)\b.* (?:Progress%|Property|ErrCd)(?: |$)",),
            confidence=Confidence.LIKELY,
        ),
    ),
    separator=" = ",
)  # fmt: skip


def outline(command: str, text: str) -> Outline:
    """Read an output of any of the tools, JSON or text. Never raises."""
    return from_json(command, text)


def sniff(name: str, text: str) -> Sniffed | None:
    """The claim on a text, None if it is not theirs. The name is only a hint.

    JSON is not recognised by its keys: it may begin after other lines, or be a piece of a document.
    """
    head = without_escapes(text[:_CHARACTERS])
    if begins(head) and (_ENVELOPE.search(head) or _LONE.search(head)):
        return Sniffed(JSON, Confidence.SURE, f"{_command(name, head)} J")
    if torn(head):
        return Sniffed(JSON, Confidence.LIKELY, f"{_command(name, head)} J")
    found = _FORMS.sniff(name, head)
    if found is None and _tool(name) and (HELP.search(head) or re.search(r"^\S[^=\n]* = .*$", head, re.MULTILINE)):
        found = Sniffed(TEXT, Confidence.LIKELY, "")
    return replace(found, command=_command(name, head)) if found else None


_TOOL = regex(r"(?:storcli|perccli)(?:2|64)?(?![a-z0-9])", re.IGNORECASE)


def _tool(name: str) -> str | None:
    """The tool in a command line or a file's name."""
    found = _TOOL.search(basename(name.split(" ", 1)[0])) or _TOOL.search(name)
    return found[0].lower() if found else None


def _tool_of(name: str, head: str) -> str:
    """Return the tool that printed a text. Version 8 is the grammar of storcli2, a PERC is Dell's."""
    version = _VERSION.search(head)
    second = bool(version) and str(version[1] or version[2]).lstrip("0").startswith("8.") if version else False
    dell = "PERC" in head or "PercCli" in head or "perccli" in (_tool(name) or "")
    named = _tool(name)
    if named and (version is None or second == named.endswith("2")):
        return named
    return f"{'perccli' if dell else 'storcli'}{'2' if second else ''}"


# What the output of a command contains, the most specific first. Each expression begins with literal letters, which
# `re` finds fast; in an alternation it would try every character.
_COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("/cx show events", (r"seqNum\s*[:=]",)),
    ("/cx show patrolread", ("PR Mode", "PR Current State")),
    ("/cx show cc", ("CC Operation Mode", "CC Current State")),
    ("/cx show all", ("Supported Adapter Operations", "Supported Controller operations", "HwCfg")),
    ("show", ("System Overview", "Number of Controllers")),
    ("/cx/vall show all", (r"VD\d+ Properties", "VD Properties")),
    ("/cx/sall show all", (r"Drive /c\d+/s\d+ - Detailed Information",)),
    ("/cx/eall/sall show all", ("- Detailed Information", "Drive Detailed Information")),
    ("/cx show", (r"PD LIST[\s\S]*VD LIST", r"VD LIST[\s\S]*PD LIST", r"Product Name *(?:=|\"\s*:)")),
    ("/cx/ep show all", ("Energy Pack Info",)),
    ("/cx/cv show all", ("Cachevault_Info", "GasGaugeStatus", "use /cx/bbu")),
    ("/cx/bbu show all", ("BBU_Info", "BBU_Capacity", "BBU_Firmware", "use /cx/cv")),
    ("/cx/fall show", ("FOREIGN CONFIGURATION", "Total [Ff]oreign", r"/c\d+/f\d+")),
    ("/cx/vall show init", (r"Progress%[\s\S]*VD Operation", r"VD Operation[\s\S]*Progress%")),
    ("/cx/eall/sall show rebuild", ("Progress%",)),
    ("/cx/eall show all", (r"Enclosure /c\d+/e\d+",)),
    ("/cx/vall show", ("DG/VD", r"/c\d+/v\d+")),
    ("/cx/eall/sall show", ("Drive Information", r"Drive /c\d+/(?:e\d+/)?s\d+", "EID:Slt +[DP]ID")),
    ("/cx/dall show", ("TOPOLOGY", "DG +(?:Arr|Span) +Row")),
    ("/cx/eall show", ("EID +State +(?:DeviceType +)?Slots", "Enclosure")),
    ("/cx show", ("CLI Version", "Ctrl_Prop", "Status")),
)
# Controller = 0        "Controller" : 0
_NUMBERS = (regex(r"\n[ \t]*Controller +=\s*\"?(\d{1,3})\b"), regex(r"\"Controller\"\s*:\s*\"?(\d{1,3})\b"))


def _command(name: str, head: str) -> str:
    """The command that prints such a text."""
    form = next((command for command, forms in _COMMANDS if any(re.search(form, head) for form in forms)), "show")
    numbers = list(dict.fromkeys(number for form in _NUMBERS for number in form.findall(f"\n{head}")))
    controller = f"c{numbers[0]}" if len(numbers) == 1 else "call"
    return f"{_tool_of(name, head)} {form.replace('/cx', f'/{controller}')}"
