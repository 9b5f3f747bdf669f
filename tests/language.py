"""Count the words that raidctl's own text avoids, room by room.

    python -m tests.language                  # a table: room, count, the words
    python -m tests.language docs/show.md     # each place, in the rooms whose names begin so

A room is README.md, a page of the manual, a systemd unit, ``help`` (of all commands) or a package, whose strings with a
blank count as messages. Screens and generated parts of a page count where they come from. Names in a package are
counted separately, and so are the docstrings and comments of all Python files, without code in backquotes and indented
blocks.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click

from tests.support.pages import commands

ROOT = Path(__file__).resolve().parents[1]

_THINGS = (
    "number|file|size|host|drive|volume|member|spare|key|inventory|recording|snapshot|controller|directory|"
    "block device|json|label|time|speed|range|array|error"
)
"""Nouns after "is no", which is right for an abstract one only: "is no proof"."""

AVOIDED = {
    "told|tells|untold": "reported, prints, shows; unknown",
    "said|says?": "reports, prints, contains, shows",
    "anew": "again",
    "amiss|not well|the matter": "wrong, a problem",
    "all the same": "(nothing), nevertheless",
    "(brings?|brought) along": "has, comes with",
    "what stands|stands? (by|in|at|on|there|here|beside|behind|apart)": "is in, is beside",
    "tak(es?|en) [^.]{0,20}away": "removes, removed",
    "h[oe]lds?( [^\\s.]+){0,4} against": "compares with, checks against",
    "wherefrom|whence|nobody's|nobody else's": "from where; no, unknown",
    "of (its|their) own|by (itself|themselves)|at all|so many|any more": "(nothing), separate, automatically",
    "in force": "active",
    "knobs?": "setting",
    "wish(es|ed)?": "desired, requested",
    "disks?": "drive",
    "cards?|adapters?": "controller",
    "(vendor|maker)s?'?s? (own )?programs?": "the vendor's tool",
    "drive groups?|raid sets?": "array",
    "(tools?|firmware|controller)('s|s')? answers?|sheets?": "output, reply",
    "turns|turn(ed)? (on|off)": "rotates, rpm; switch, set",
    "warns": "predictive failure, reports",
    "heeds?|slip of the pen|believed|speaks? against|answers for": "uses, typing error, used",
    "kept states?|keeps? (the|a|that|today's) state|state \\d+": "snapshot",
    "(what|data that) waits": "unwritten data",
    "(cannot|to) be meant": "invalid",
    "lies? (on|at|below|behind|under|above)": "is on, is below",
    'as of(?= ("|an? |the ))': "as for, as in",
    f"(?<!there\\s)(is|are) no ({_THINGS})s?": "is not a",
    "\\d+ %": "25%, without a blank",
}
"""What is avoided, as patterns of whole words. The words to write instead are included."""

ALLOWED = {
    r"/dev/disk\S*|/(sys|proc)/\S*|^S: disk/by-id/|^E: DEVTYPE=(disk)?": "Linux's own paths, and udev's lines",
    r"--[a-z][a-z-]*": "options, which are named elsewhere",
    r"\b[Oo]n disk\b|\bto disk\b|\bdisk quota\b": "where a file is kept, whatever holds it",
    r"\b(USB|network|host bus) adapters?\b|\bdisk label|\bASM disk": "no RAID controllers, no drives",
    r"foreign drive groups|^drive groups$": "labels that storcli prints",
    r"^(no|current) adapter$|^adapter id$|`adapter -i N`": "labels that mvcli prints, and its command",
    r"(virtual|physical|critical|failed|missing|defunct) disks?\b": "labels that vendors' tools print",
    r"(2TB|max) disks|(two|remainder of the) disks?\b|was turned off because": "lines that tools print",
    r"\bdisk('s default| (groups?|cache|write cache|partition|type|name|info|reads))\b|raid set name": "as above",
    r"\bdisk (create|delete) drv=": "commands of cli64",
    r"(Rebuild Rate|State of Charge:|Capacitance) +\d+ %": "lines that storcli and MegaCli print",
    r"\w +: +\d+ %": "lines `Label  : 98 %` that tools print",
}
"""Permitted uses, and why."""

_TOOLS_NOUNS = re.compile(r"disks?|cards?|adapters?|raid sets?|drive groups?|turned off|at all")

_NAMES = {
    "cards?": "controller", "sheets?": "output", "knobs?": "setting", "wish|wished|wishes": "desired",
    "said|told|says|tells|tellers?|tellings?|amiss|anew|stood": "what the value is",
}  # fmt: skip
AVOIDED_NAMES = re.compile(rf"(?:^|_)({'|'.join(_NAMES)})(?:_|$)")
"""Words that no name contains. Names are those of files, functions, classes, parameters, variables and fields. A name
is what the value is."""

ELSEWHERE = {"commands.md"}
"""Pages that are not counted: they are ``help``."""

WRITTEN = ("raidctl", "vendors", "tests", "benchmarks", "docs", "packaging", "ansible")
"""Folders whose docstrings, comments and names count."""

NO_MESSAGES = re.compile(r"runners/shell\.py|vendors/.*(simulator|labels|grammar|recognise|raidset|signature)")
"""Files whose strings are not raidctl's text. They hold a shell script, or labels, patterns and outputs of vendors'
tools."""

_RULES = [
    (re.compile(rf"(?i)(?<![\w-])(?:{words.replace(' ', chr(92) + 's+')})(?![\w-])"), instead)
    for words, instead in AVOIDED.items()
]
_ALLOWED = re.compile("|".join(f"(?:{words})" for words in ALLOWED), re.IGNORECASE)
_ELSEWHERE = re.compile(r"(?ms)^```console\n.*?^```$|by docs/generate\.py -->.*?<!-- end of |`[^`\n]+`|\]\(\S+\)")
_QUOTED = re.compile(r"``[^`]+``|`[^`\n]+`|(?m:^ {4,}\S.*$)")
"""Code, and the indented lines of a docstring. These are a tool's output, and examples."""
_PATTERN = re.compile(r"\\[bdsSwW]|\(\?|\.\*|\[\^")
_COMPARED = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "replace",
             "get", "compile", "match", "search", "count", "index"}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """An avoided word and the text around it."""

    where: str
    word: str
    instead: str
    around: str


@dataclass(frozen=True)
class Source:
    """The counted parts of a module, each with its line."""

    names: list[tuple[int, str]]
    """Names with an avoided word."""
    docstrings: list[tuple[int, str]]
    comments: list[tuple[int, str]]
    messages: list[tuple[int, str]]


@cache
def source(path: Path) -> Source:
    """Read a module; it is parsed and its tree is walked once."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    nodes = walked(tree)
    shown = path.relative_to(ROOT).parts[0] in ("raidctl", "vendors") and not NO_MESSAGES.search(path.as_posix())
    return Source(
        names=list(given_names(nodes)) + ([(0, path.stem)] if AVOIDED_NAMES.search(path.stem) else []),
        docstrings=list(docstrings(nodes)),
        comments=list(comments(text, nodes)) if "#" in text else [],
        messages=list(messages(tree)) if shown else [],
    )


def found(where: str, text: str, first_line: int = 1) -> Iterator[Place]:
    """Every avoided word in a text; ``where`` is the file's name."""
    text = _ALLOWED.sub(lambda match: "·" * len(match[0]), text)
    for rule, instead in _RULES:
        for match in rule.finditer(text):
            line = first_line + text.count("\n", 0, match.start())
            around = text[max(0, match.start() - 40) : match.end() + 40]
            yield Place(f"{where}:{line}", " ".join(match[0].lower().split()), instead, " ".join(around.split()))


def rooms() -> dict[str, list[Place]]:
    """The avoided words of each room."""
    counted: dict[str, list[Place]] = defaultdict(list)
    units = ROOT.glob("raidctl/data/raidctl-*")
    for path in sorted((*ROOT.glob("*.md"), ROOT / "fixtures" / "README.md", *ROOT.glob("docs/*.md"), *units)):
        if path.name not in ELSEWHERE:
            name = str(path.relative_to(ROOT))
            counted[name] += found(name, _without_code(path.read_text(encoding="utf-8")))
    for context in commands():
        for text in _help(context):
            counted["help"] += found(context.command_path, text)
    for path in sorted((*ROOT.glob("raidctl/**/*.py"), *ROOT.glob("vendors/**/*.py"))):
        parts = path.relative_to(ROOT).parts
        room = "/".join(parts[:2]) if len(parts) > 2 else parts[0]
        counted[room] += []
        for line, text in source(path).messages:
            counted[room] += found("/".join(parts), text, line)
    return counted


def written() -> list[Path]:
    """Everything that is written in Python."""
    return sorted(path for top in WRITTEN for path in ROOT.glob(f"{top}/**/*.py"))


def names() -> dict[str, list[str]]:
    """The places of avoided words in names, by folder, as ``file:line: name``."""
    counted: dict[str, list[str]] = defaultdict(list)
    for path in written():
        parts = path.relative_to(ROOT).parts
        for line, name in source(path).names:
            counted["/".join(parts[:2]) if len(parts) > 2 else parts[0]].append(f"{'/'.join(parts)}:{line}: {name}")
    return counted


def documentation() -> dict[str, list[Place]]:
    """The avoided words of docstrings and comments, by folder (``raidctl/cli``, ``tests/audit``)."""
    counted: dict[str, list[Place]] = defaultdict(list)
    for path in written():
        parts = path.relative_to(ROOT).parts
        room, name = "/".join(parts[:2]), "/".join(parts)
        counted[room] += []
        for line, docstring in source(path).docstrings:
            counted[room] += found(name, docstring, line)
        for line, comment in source(path).comments:
            counted[room] += filter(counts_in_comments, found(name, comment, line))
    return counted


def docstrings(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """The texts that are statements, with their lines. Code in them is blanked out."""
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, _QUOTED.sub(_blanked, inspect.cleandoc(node.value.value))


def walked(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a tree, as of ``ast.walk``, which takes twice as long."""
    nodes = [tree]
    for node in nodes:
        for value in vars(node).values():
            if isinstance(value, list):
                nodes += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)
    return nodes


def comments(text: str, nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """The comments of a module, with their lines."""
    found = _beside_strings(text, nodes)
    if found is None:
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        found = [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
    for line, comment in found:
        yield line, _QUOTED.sub(_blanked, comment)


def _beside_strings(text: str, nodes: Iterable[ast.AST]) -> list[tuple[int, str]] | None:
    """The comments of a module. None if a string goes over several lines, and one of them has a "#".

    Cutting a module into tokens takes seven times as long.
    """
    marked = {number: line.encode() for number, line in enumerate(text.split("\n"), 1) if "#" in line}
    for node in nodes:
        match node:
            case ast.JoinedStr() | ast.Constant(value=str() | bytes()):
                start, end, first, last = node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0
                if start != end and not marked.keys().isdisjoint(range(start, end + 1)):
                    return None
                if start == end and start in marked:
                    marked[start] = marked[start][:first] + b" " * (last - first) + marked[start][last:]
    return [(number, line[line.index(b"#") :].decode().rstrip()) for number, line in marked.items() if b"#" in line]


def counts_in_comments(place: Place) -> bool:
    """Whether a word counts in comments too. Comments show lines of tools, with the tools' nouns."""
    return not _TOOLS_NOUNS.fullmatch(place.word)


def better_names() -> str:
    """What to write instead of the words that names avoid."""
    return "; ".join(f"{words.replace('s?', '').replace('|', ', ')} -> {instead}" for words, instead in _NAMES.items())


def given_names(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Names with an avoided word, with their lines. Only the place where a module gives them counts."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                line = node.lineno
            case ast.arg(arg=name):
                line = node.lineno
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                line = node.lineno
            case _:
                continue
        if AVOIDED_NAMES.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()):
            yield line, name


def _without_code(page: str) -> str:
    return _ELSEWHERE.sub(_blanked, page)


def _blanked(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "·", match[0])


def _help(context: click.Context) -> Iterator[str]:
    yield context.command.help or ""
    for option in context.command.get_params(context):
        if isinstance(option, click.Option) and not option.hidden:
            yield option.help or ""


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """A module's strings that a user may read, with their lines.

    Docstrings, patterns and words for comparison are not included.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
            if " " in text.strip() and not _PATTERN.search(text):
                yield node.lineno, text
            values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
            yield from messages(ast.Module(body=[ast.Expr(value) for value in values], type_ignores=[]))
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and " " in node.value.strip() and not _PATTERN.search(node.value):
                yield node.lineno, node.value
        elif not _is_no_text(node):
            yield from messages(_without_keys(node))


def _is_no_text(node: ast.AST) -> bool:
    """Whether a node holds no text for users. It is a docstring, a comparison, or a call that only looks for words."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return name in _COMPARED
    return isinstance(node, (ast.Compare, ast.MatchValue))


def _without_keys(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return ast.Tuple(elts=[node.value])
    return ast.Tuple(elts=node.values) if isinstance(node, ast.Dict) else node


def main() -> None:
    """Print the table, or the places of some rooms."""
    asked = tuple(sys.argv[1:])
    counted = rooms()
    for room, places in counted.items():
        counts = Counter(place.word for place in places).most_common(8)
        lines = [f"{room:28} {len(places):5}  {', '.join(f'{word} {count}' for word, count in counts)}"]
        if asked:
            lines = [
                f"{one.where}: {one.word} -> {one.instead}: {one.around}" for one in places if room.startswith(asked)
            ]
        sys.stdout.writelines(f"{line}\n" for line in lines)
    if not asked:
        sys.stdout.write(f"{'all':28} {sum(map(len, counted.values())):5}\n")
    for room, places in documentation().items():
        lines = [f"{one.where}: {one.word} -> {one.instead}: {one.around}\n" for one in places]
        table = [f"{'comments in ' + room:34} {len(places):5}\n"] if places else []
        sys.stdout.writelines(table if not asked else lines if room.startswith(asked) else ())
    for room, given in names().items():
        lines = [f"{one}\n" for one in given] if asked else [f"{'names in ' + room:34} {len(given):5}\n"]
        sys.stdout.writelines(lines if not asked or room.startswith(asked) else ())


if __name__ == "__main__":
    main()
