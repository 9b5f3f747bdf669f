"""The single file, built and started without installed packages, on difficult machines."""

from __future__ import annotations

import ast
import fcntl
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import raidctl_unpack as unpack
import single_file as builder

ROOT = Path(__file__).resolve().parents[1]
RECORDING = ROOT / "fixtures" / "adaptec-5405-failed-battery"
PYTHON = str(Path(sys.executable).resolve())
"""The interpreter without its virtual environment."""
KEPT = ROOT / ".cache" / "single-file"


def built(target: Path) -> bytes:
    """Build the file with the build tools of this environment. The quicker compression of a trial is used.

    The dependencies are downloaded once.
    """
    wheels = KEPT / hashlib.sha256(builder.REQUIREMENTS.read_bytes()).hexdigest()[:16]
    options = ["--output", str(target), "--wheels", str(wheels), "--no-build-isolation", "--fast"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run([sys.executable, builder.HERE / "single_file.py", *options], check=True, env=environment)
    return target.read_bytes()


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The single file; of several processes that test, one builds it."""
    KEPT.mkdir(parents=True, exist_ok=True)
    parts = [builder.HERE, ROOT / "raidctl", ROOT / "vendors", ROOT / "setup.cfg", ROOT / "setup.py"]
    files = [path for part in parts for path in ([part] if part.is_file() else sorted(part.rglob("*")))]
    # another process may be writing byte code, under a name that is gone a moment later
    kept = [path for path in files if "__pycache__" not in path.parts and "egg" not in str(path)]
    sources = [path for path in kept if path.is_file() and path.suffix != ".so"]
    key = hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in sources)).hexdigest()[:16]
    target = KEPT / f"raidctl-{key}.pyz"
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            for old in KEPT.glob("raidctl-*.pyz"):
                old.unlink()
            fresh = tmp_path_factory.mktemp("built") / "raidctl.pyz"
            built(fresh)
            os.link(fresh, target) if fresh.stat().st_dev == KEPT.stat().st_dev else target.write_bytes(
                fresh.read_bytes()
            )
    return target


def run(archive: Path, cache: Path | str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the file as on a machine with Python alone. There is no installed package, and the environment is empty."""
    environment = {"RAIDCTL_CACHE": str(cache), "PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8", "COLUMNS": "300"}
    python = [PYTHON, "-I", "-S", str(archive)]
    return subprocess.run([*python, *words], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.slow
def test_it_prints_what_the_installed_program_prints_and_unpacks_once(archive: Path, tmp_path: Path) -> None:
    """It prints the same as when installed, and unpacks once.

    The environment is empty, and byte code is kept in the unpacked tree.
    """
    cache = tmp_path / "cache"
    words = ("--replay", str(RECORDING), "show")
    installed = subprocess.run(
        [sys.executable, "-m", "raidctl", *words], capture_output=True, text=True, check=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8", "COLUMNS": "300"},
    )  # fmt: skip
    first = run(archive, cache, *words)
    assert (first.returncode, first.stdout, first.stderr) == (0, installed.stdout, "")
    (tree,) = cache.iterdir()
    unpacked = tree.stat()
    assert list((tree / "raidctl" / "cli" / "__pycache__").glob("show.*.pyc"))
    assert run(archive, cache, *words).stdout == installed.stdout
    assert [path.stat().st_ino for path in cache.iterdir()] == [unpacked.st_ino]


@pytest.mark.slow
def test_the_same_sources_give_the_same_bytes(archive: Path, tmp_path: Path) -> None:
    """A builder can compare the file with a published one."""
    assert built(tmp_path / "again.pyz") == archive.read_bytes()


@pytest.mark.slow
def test_every_command_can_be_imported_and_the_engine_is_compiled(archive: Path, tmp_path: Path) -> None:
    """What is left out of the dependencies (Pygments, markdown-it-py) is nowhere imported."""
    assert run(archive, tmp_path, "--version").returncode == 0
    (tree,) = tmp_path.iterdir()
    every = (
        "import sys, pkgutil, importlib; sys.path.insert(0, sys.argv[1]); import raidctl\n"
        "for one in pkgutil.walk_packages(raidctl.__path__, 'raidctl.'):\n"
        "    if not one.name.endswith('__main__'): importlib.import_module(one.name)\n"
        "import raidctl.bench._engine; print(raidctl.bench._engine.__file__)"
    )
    done = subprocess.run([PYTHON, "-I", "-S", "-c", every, tree], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith(str(tree))
    assert (tree / "bin" / "raidctl-mfi").stat().st_mode & 0o111
    helped = subprocess.run([tree / "bin" / "raidctl-mfi", "--help"], capture_output=True, text=True, check=True)
    assert helped.stdout.startswith("usage: raidctl-mfi")


@pytest.mark.slow
def test_a_rescue_system_writes_the_same_page(archive: Path, tmp_path: Path) -> None:
    """A rescue system writes the same page, with its plots.

    Jinja2, svg.py and the Python code of MarkupSafe are in the file.
    """
    words = ("--replay", str(RECORDING), "report")
    done = run(archive, tmp_path, *words)
    installed = subprocess.run([sys.executable, "-m", "raidctl", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (installed.returncode, "")
    assert done.stdout == installed.stdout
    assert done.stdout.startswith("<!doctype html>")
    (tree,) = tmp_path.iterdir()
    assert [path.name for path in sorted((tree / "markupsafe").glob("_*.py"))] == ["__init__.py", "_native.py"]


@pytest.mark.slow
def test_where_nothing_can_be_kept_a_private_directory_is_used_and_removed(archive: Path, tmp_path: Path) -> None:
    """The system is read-only, or others can change the directory. Root must never run files from it."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    for place in ("/proc/nowhere", shared):
        done = run(archive, place, "doctor")
        (mfi,) = re.findall(rf"(\S*{unpack.PREFIX}\S*/raidctl-mfi)", done.stdout)
        assert mfi.startswith(unpack.TEMPORARY)
        assert not Path(mfi).parents[1].exists()
    assert list(shared.iterdir()) == []


@pytest.mark.slow
def test_several_processes_may_be_the_first_one(archive: Path, tmp_path: Path) -> None:
    """None of them sees a tree that is not complete."""
    environment = {"RAIDCTL_CACHE": str(tmp_path / "cache")}
    python = [PYTHON, "-I", "-S", str(archive), "--version"]
    several = [subprocess.Popen(python, env=environment, stderr=subprocess.PIPE) for _ in range(3)]
    assert [(one.communicate()[1], one.returncode) for one in several] == [(b"", 0)] * 3
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.slow
def test_what_starts_at_boot_is_the_file_and_not_what_was_unpacked_from_it(archive: Path, tmp_path: Path) -> None:
    """At boot, the file is started. The unpacked tree has another name after a boot."""
    done = run(archive, tmp_path / "cache", "restore", "--install-unit", "--dry-run", "--state-dir", str(tmp_path))
    assert f"ExecStart={PYTHON} {archive} restore" in done.stdout
    assert str(tmp_path / "cache") not in done.stdout


@pytest.mark.slow
def test_a_batch_that_is_killed_is_undone_by_its_second_process(archive: Path, tmp_path: Path) -> None:
    """A killed batch is undone by its second process.

    That process is started from the file, since the unpacked modules are on no path.
    """
    words = ("--demo", "p400", "--state-dir", str(tmp_path / "state"))
    batch = ("batch", "smartarray:1", "--write", "write-through", "--yes", "--", "sh", "-c", "kill -9 $PPID")
    killed = run(archive, tmp_path / "cache", *words, *batch)
    assert killed.returncode == -9
    assert "Restored: arrayaccelerator of smartarray:1/v1" in killed.stderr


def test_trees_in_use_and_files_of_others_are_left_alone(tmp_path: Path) -> None:
    """A new build removes no modules from a process that imports late."""
    used, old, foreign = (tmp_path / name for name in (f"{unpack.PREFIX}used", f"{unpack.PREFIX}old", "raidctl-mine"))
    for place in (used, old, foreign):
        place.mkdir()
    handle = os.open(used, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_SH)
    unpack._sweep(str(tmp_path), f"{unpack.PREFIX}new")
    os.close(handle)
    assert sorted(tmp_path.iterdir()) == sorted((used, foreign))


def test_a_file_that_power_failed_on_is_not_used_after_the_boot(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of the unpacked tree contains the boot."""
    monkeypatch.setenv("RAIDCTL_CACHE", str(tmp_path))
    cut = tmp_path / f"{unpack.PREFIX}0-{sys.version_info[0]}{sys.version_info[1]}-earlier"
    cut.mkdir()
    tree = unpack._ready(str(archive), cut.name.replace("earlier", unpack._boot()[:8]))
    assert (Path(tree) / "raidctl" / "__init__.py").stat().st_size
    assert not cut.exists()


def test_a_python_without_compiled_modules_gets_the_list_of_those_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    """The message lists the versions with compiled modules."""
    with pytest.raises(SystemExit) as ended:
        unpack.start("0", ("cpython-39-mips-linux-gnu",))
    assert ended.value.code == unpack.EXIT_MISSING
    assert "cpython-39-mips-linux-gnu" in capsys.readouterr().err


def test_an_old_python_understands_the_first_lines() -> None:
    """The lines print that Python is too old, and end with 4. A later syntax would be a syntax error."""
    main = builder.MAIN.format(build="0", interpreters=())
    ast.parse(main, feature_version=(3, 4))
    old = f"import sys\nsys.version_info = (3, 9, 2)\n{main}"
    done = subprocess.run([sys.executable, "-c", old], capture_output=True, text=True, check=False)
    assert done.returncode == unpack.EXIT_MISSING
    assert done.stderr.startswith("raidctl: Python 3.10 or later is needed, this is 3.9; ")


def test_other_files_than_the_reviewed_ones_are_refused(tmp_path: Path) -> None:
    """The contents of the file run as root."""
    (tmp_path / "click-8.5.1-py3-none-any.whl").write_bytes(b"another one")
    with pytest.raises(SystemExit, match=r"26 files of .* are missing, 1 are not in it"):
        builder.check(tmp_path)
