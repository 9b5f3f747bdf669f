"""The permitted imports, checked on the syntax tree of every file."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import click
import pytest

from raidctl.vendor.registry import vendors
from tests.support.pages import commands

ROOT = Path(__file__).resolve().parents[1]
GROUND_FLOOR = {path.stem for path in (ROOT / "raidctl").glob("*.py")} - {"__init__", "__main__"}
"""The modules at the root of the core, which everything may use."""
VENDOR_MAY = {"vendor", "model"} | GROUND_FLOOR
CORE = sorted((ROOT / "raidctl").rglob("*.py"))
VENDOR = sorted((ROOT / "vendors").rglob("*.py"))
TOOLS = {"raidctl_mfi"}
"""Packages of vendors/ that are separate tools. A family runs them like any other: they speak to hardware."""
PROGRAMS = [path for path in VENDOR if path.relative_to(ROOT / "vendors").parts[0] in TOOLS]
LINUX = frozenset({"md", "lvm", "zfs", "drives", "nvme", "dmsetup", "lvs", "zpool", "redfish"})
"""Families and tools of Linux itself, and a standard. The core reads the kernel's side of them."""
_DECLARED = {word for one in vendors()[0] for word in (one.FAMILY, *(tool.name for tool in one.TOOLS))} - LINUX
_PRODUCTS = (
    r"hpacucli|hpssacli|ssacli|smart ?array|storcli|perccli|megacli|megaraid|arcconf|adaptec|areca|tw_cli|3ware|"
    r"hpsa|smartpqi|mdadm|hdparm|sdparm|smartctl|\bnvme[ -]cli"
)
VENDOR_WORDS = re.compile(
    rf"{_PRODUCTS}|(?<![a-z])(?:{'|'.join(re.escape(word) for word in sorted(_DECLARED))})(?![a-z])", re.IGNORECASE
)
"""Products, and the families and tools that the packages declare. Products also count as a part of a word."""


@dataclass
class Source:
    """What the rules look at in a file."""

    lines: int
    imported: set[str] = field(default_factory=set)
    """Every module that it imports, at the top or inside a function."""
    vendor_words: list[str] = field(default_factory=list)
    """Names and strings that name a vendor; a docstring may."""
    long: list[str] = field(default_factory=list)
    """Functions of more than 50 lines."""


@cache
def source(path: Path) -> Source:
    """Read a file; its syntax tree is walked once for all rules."""
    text = path.read_text(encoding="utf-8")
    found = Source(text.count("\n"))
    described: set[int] = set()
    for node in ast.walk(ast.parse(text)):  # an expression comes before the string that it consists of
        if isinstance(node, ast.Import):
            found.imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.imported |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Expr):
            described.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            described |= {id(part) for part in node.values}
            whole = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            if VENDOR_WORDS.search(re.sub(r"`[^`]*`", "", whole)):
                found.vendor_words.append(f"line {node.lineno}: {whole!r}")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            if VENDOR_WORDS.search(re.sub(r"`[^`]*`", "", node.value)):
                found.vendor_words.append(f"line {node.lineno}: {node.value!r}")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (node.end_lineno or 0) - node.lineno >= 50:
            found.long.append(f"{node.name} has more than 50 lines")
        for name in (getattr(node, about, None) for about in ("id", "name", "asname", "attr", "arg")):
            if isinstance(name, str) and VENDOR_WORDS.search(name):
                found.vendor_words.append(f"line {getattr(node, 'lineno', '?')}: {name}")
    return found


def checked(paths: Iterable[Path], offends: Callable[[Path], Iterable[str]]) -> None:
    """Check that no file breaks a rule. Those that do are listed with their reasons."""
    found = [f"{path.relative_to(ROOT)}: {reason}" for path in paths for reason in offends(path)]
    assert not found, "\n".join(found)


def io_of_a_vendor(path: Path) -> Iterator[str]:
    """What a vendor package imports beyond the lower core and itself."""
    own = path.relative_to(ROOT / "vendors").parts[0]
    for name in source(path).imported:
        head, *rest = name.split(".")
        if head in {"subprocess", "socket", "click", "rich", "pathlib", "shutil", "pyudev"}:
            yield f"{name}: no I/O here"
        if head.startswith("raidctl_") and head != own:
            yield f"{name}: families do not know each other"
        if head == "raidctl" and rest and rest[0] not in VENDOR_MAY:
            yield f"{name}: a vendor package may only use {sorted(VENDOR_MAY)}"


@pytest.mark.slow
def test_a_vendor_package_does_no_io() -> None:
    """Vendor packages import only `raidctl.vendor`, `raidctl.model`, the ground floor and themselves."""
    checked((path for path in VENDOR if path not in PROGRAMS), io_of_a_vendor)


def io_of_a_tool(path: Path) -> Iterator[str]:
    """What a program of ours imports beyond what it needs."""
    own = path.relative_to(ROOT / "vendors").parts[0]
    for name in source(path).imported:
        head = name.split(".")[0]
        if head in {"ctypes", "fcntl", "multiprocessing", "os", "pathlib", "socket"} and path.name != "node.py":
            yield f"{name}: I/O belongs to node.py"
        if head in {"subprocess", "click", "rich"}:
            yield f"{name}: it starts quickly, and starts nothing"
        if head.startswith("raidctl_") and head != own:
            yield f"{name}: a tool does not know the families"
        if name.startswith("raidctl."):
            yield f"{name}: a tool needs nothing of raidctl but its version"


def test_no_submodule_replaces_a_function_of_its_package() -> None:
    """No submodule replaces a function of its package.

    A submodule ``read`` of a vendor package becomes its attribute ``read`` as soon as it is imported.
    """
    replaced = [
        path for path in VENDOR if path.stem in ("observe", "read", "sniff") and path.parent.parent == ROOT / "vendors"
    ]
    assert not replaced, f"Give these modules another name: {[str(path) for path in replaced]}."


def test_a_tool_does_its_io_in_one_module() -> None:
    """A program of the project accesses hardware only in its module ``node``.

    The rest of it is pure, and imports no family.
    """
    checked(PROGRAMS, io_of_a_tool)


STARTING = re.compile(r"\bos\.(?:posix_spawnp?|fork|forkpty|exec[lv]\w*|spawn[lv]\w*|system|popen)\(")
"""Calls that start a process."""
MAY_START = {("runners", "process.py"), ("runners", "foreground_child.py"), ("bench", "engines", "process_group.py")}


def out_of_its_layer(path: Path) -> Iterator[str]:
    """What a file of the core imports from above it."""
    where = path.relative_to(ROOT / "raidctl").parts
    if where not in MAY_START and STARTING.search(path.read_text(encoding="utf-8")):
        yield "only runners/process.py, runners/foreground_child.py and bench/engines/process_group.py start processes"
    for name in source(path).imported:
        head, *rest = name.split(".")
        if head.startswith("raidctl_"):
            yield f"{name}: the core finds vendor packages by entry points only"
        if head == "subprocess" and where != ("runners", "process.py"):
            yield "only runners/process.py imports subprocess"
        if head == "click" and where[0] != "cli":
            yield "click belongs to cli"
        if head == "rich" and where[0] not in {"cli", "output"}:
            yield "rich belongs to output and cli"
        if head == "raidctl" and rest[:1] == ["cli"] and where[0] not in {"cli", "__main__.py"}:
            yield "only cli imports cli"
        if head == "raidctl" and rest[:1] == ["runners"] and where[0] in {"output", "discovery"}:
            yield "output and discovery run nothing"


@pytest.mark.slow
def test_the_core_keeps_its_layers() -> None:
    """The core imports no vendor package.

    In it, click stays in cli, rich in output and cli, and processes in three modules.
    """
    checked(CORE, out_of_its_layer)


def test_no_vendor_word_stands_in_the_core() -> None:
    """The neutral core names no vendor and no vendor's tool. Examples of ids in docstrings are the one exception."""
    checked(CORE, lambda path: source(path).vendor_words)


def module(path: Path) -> str:
    """The dotted name of a file of the core, or of a vendor package."""
    top = ROOT / "vendors" if (ROOT / "vendors") in path.parents else ROOT
    return ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")


def test_the_ground_floor_knows_no_room() -> None:
    """A module at the root imports only root modules and the model. There are at most twelve root modules."""
    root = sorted((ROOT / "raidctl").glob("*.py"))
    assert len(root) <= 12
    below = {"raidctl", "raidctl.model", *(f"raidctl.{name}" for name in GROUND_FLOOR)}
    checked(
        [path for path in root if path.stem not in ("__init__", "__main__")],
        lambda path: (
            name for name in source(path).imported
            if name.startswith("raidctl.") and not any(name == one or name.rpartition(".")[0] == one for one in below)
        ),
    )  # fmt: skip


def imported_modules(path: Path, modules: Collection[str]) -> set[str]:
    """The modules that a file imports. Its own package counts only if a name of it is used."""
    own, found = module(path), source(path).imported
    needed = {name.rpartition(".")[0] for name in found - set(modules)}
    return {to for to in found if to in modules and to != own and (not own.startswith(f"{to}.") or to in needed)}


def test_no_module_imports_itself_through_others() -> None:
    """The imports of core and vendor packages have no cycle, those inside functions included."""
    modules = {module(path): path for path in (*CORE, *VENDOR)}
    TopologicalSorter({name: imported_modules(path, modules) for name, path in modules.items()}).prepare()


def test_each_command_has_the_module_of_its_name() -> None:
    """The folder ``cli`` mirrors the command tree: ``cache/flush.py`` is ``raidctl cache flush``, and nothing else."""
    expected, folder = {"__init__.py"}, ROOT / "raidctl" / "cli"
    for context in commands():
        words = [f"{word}_" if keyword.iskeyword(word) else word for word in context.command_path.split()[1:]]
        if words:
            module = "/".join(words)
            expected.add(f"{module}/__init__.py" if isinstance(context.command, click.Group) else f"{module}.py")
    files = {str(path.relative_to(folder)) for path in folder.rglob("*.py")}
    found = {one for one in files if not one.startswith("shared/") and not re.search(r"(?:^|/)_(?!_init_)", one)}
    assert found == expected


def test_every_family_has_the_same_modules() -> None:
    """Each vendor package has these modules, and a reader of outputs: a newcomer finds each thing by its name.

    A family whose controllers have no facts beyond those of ``ControllerDraft`` needs no module ``draft``.
    """
    expected = ("capability", "dialogue", "recognise", "vocabulary")
    found: dict[str, set[str]] = {}
    for path in VENDOR:
        family, *rest = path.relative_to(ROOT / "vendors").with_suffix("").parts
        found.setdefault(family, set()).update(rest)
    lacking = [
        f"{family}: {name}"
        for family in found.keys() - TOOLS
        for name in (*expected, "collect" if "collect" in found[family] else "reader")
        if name not in found[family]
    ]
    assert not lacking, f"Modules that other families have: {sorted(lacking)}."


def test_no_room_imports_itself_through_others() -> None:
    """The imports from room to room have no cycle. The ground floor and the model are below them."""
    rooms: dict[str, set[str]] = {}
    for path in CORE:
        room = path.relative_to(ROOT / "raidctl").parts[0]
        below = {name.split(".")[1] for name in source(path).imported if name.startswith("raidctl.")}
        rooms.setdefault(room, set()).update(below - GROUND_FLOOR - {room})
    TopologicalSorter(rooms).prepare()


def private_of_another(path: Path) -> Iterator[str]:
    """Modules with a leading underscore that a file imports from another package than its own."""
    top = ROOT / "vendors" if "vendors" in path.parts else ROOT
    own = ".".join(path.parent.relative_to(top).parts)
    for name in source(path).imported:
        package, _, rest = name.partition("._")
        if (
            rest
            and not rest.startswith("_")
            and package.startswith("raidctl")
            and not f"{own}.".startswith(f"{package}.")
        ):
            yield f"{name} is private to {package}"


def test_a_private_module_is_imported_by_its_own_package_only() -> None:
    """A leading underscore is a promise: nothing outside of the package depends on the module."""
    checked(CORE + VENDOR, private_of_another)


def shared_that_imports_a_command(path: Path) -> Iterator[str]:
    """Commands that a module of cli/shared imports."""
    rooms = {one.name for one in (ROOT / "raidctl" / "cli").iterdir() if one.is_dir()} - {"shared"}
    for name in source(path).imported:
        if name.startswith("raidctl.cli.") and name.split(".")[2] in rooms:
            yield f"{name}: commands import shared code, and not the other way round"


def test_shared_code_of_commands_imports_no_command() -> None:
    """Code that two groups of commands need is in cli/shared, and imports neither of them."""
    checked(sorted((ROOT / "raidctl" / "cli" / "shared").glob("*.py")), shared_that_imports_a_command)


def test_code_of_one_command_is_beside_it() -> None:
    """Only what several commands use is in cli/shared. A module of ``verify`` is called ``_verify_plan.py``."""
    modules = {module(path): path for path in CORE if module(path).startswith("raidctl.cli.")}
    imports = {name: imported_modules(path, modules) for name, path in modules.items()}
    groups = {name: name.split(".")[2] for name in modules}

    @cache
    def commands_that_use(name: str) -> frozenset[str]:
        users = [other for other, needed in imports.items() if name in needed]
        return frozenset().union(
            *(commands_that_use(one) if groups[one] == "shared" else {groups[one].strip("_")} for one in users)
        )

    for name, group in groups.items():
        found = {one.partition("_")[0] for one in commands_that_use(name)}
        if group == "shared":
            assert len(found) != 1, f"Only {found} uses {name}."
        elif group.startswith("_"):
            assert found == {group.split("_")[1]}, f"{found} use {name}."


def too_long(path: Path) -> Iterator[str]:
    """A file, or functions of it, to be split."""
    if source(path).lines > 400:
        yield f"{source(path).lines} lines"
    yield from source(path).long


def test_files_and_functions_stay_small() -> None:
    """Files have at most 400 lines, and functions at most 50. Larger ones must be split."""
    checked(CORE + VENDOR, too_long)


_OF_A_TEST = re.compile(
    r"^\s*(?:from (?:tests\b|\.)[\w.]*\btest_\w+ import|from (?:tests\b|\.)[\w.]* import [^\n]*\btest_|"
    r"import tests[\w.]*\.test_)",
    re.MULTILINE,
)


def test_a_process_of_a_block_is_killed_on_error() -> None:
    """Without `killed_on_error`, a failed assertion in the block waits for the process, perhaps forever."""
    found = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("*.py")
        if re.search(r"^ *with (?:.*, )?subprocess\.Popen\(", path.read_text(encoding="utf-8"), re.MULTILINE)
        and path.relative_to(ROOT).as_posix() != "tests/lab/agent.py"  # which has only the standard library
    ]
    assert found == []


def test_no_module_imports_a_test_module() -> None:
    """Code that several test modules need is in tests/support, or in a helper beside them."""
    found = [
        f"{path.relative_to(ROOT)}: {match[0].strip()}"
        for path in (ROOT / "tests").rglob("*.py")
        for match in _OF_A_TEST.finditer(path.read_text(encoding="utf-8"))
        if f".{path.stem} " not in match[0]  # a program that runs in another process imports its own module
    ]
    assert found == []
