"""Builds raidctl.pyz: raidctl and its dependencies, except Python, in one file.

packaging/single-file [--output FILE] [--wheels DIRECTORY] [--no-build-isolation] [--fast]

pip downloads the dependencies in the versions of ``single-file.txt``, or they are taken from a directory that an
earlier call filled. The same sources give the same bytes, with the same compiler and the same version of liblzma.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
REQUIREMENTS = HERE / "single-file.txt"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
PROCESSORS = ("x86_64", "aarch64")
GLIBC = ("manylinux2014", "manylinux_2_17", "manylinux_2_28")
SHEBANG = b"#!/usr/bin/env python3\n"
LIMIT = 4_000_000
"""Bytes; a larger file is not written."""
_LEFT_OUT = re.compile(r"\.data/|/$|\.(pyi|c)$|/(RECORD|WHEEL|top_level\.txt)$|^markupsafe/_speedups")
"""Files of wheels that no run needs. Without its compiled module, MarkupSafe uses its Python code."""
Preset = Literal[1, 9]
"""Presets of ``xz``."""
BEST: Preset = 9
FAST: Preset = 1
MAIN = """\
import sys

if sys.version_info < (3, 10):
    found = "%d.%d" % sys.version_info[:2]
    need = "raidctl: Python 3.10 or later is needed, this is %s; with another one: python3.11 raidctl.pyz\\n"
    sys.stderr.write(need % found)
    sys.exit(4)

from raidctl_unpack import start

start({build!r}, {interpreters!r})
"""
"""The code compiles with the oldest supported Python: no newer syntax."""
MFI = '''\
#!/usr/bin/env python3
"""raidctl-mfi of the single file, which raidctl starts."""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from raidctl_mfi.cli import main

sys.exit(main())
'''


def main() -> int:
    """Build the file and print its size. Exit code 1 if it would be larger than the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "dist" / "raidctl.pyz", help="default: dist/raidctl.pyz")
    parser.add_argument("--wheels", type=Path, help="keep the dependencies here, and use those that are here")
    parser.add_argument("--no-build-isolation", action="store_true", help="build with the setuptools of this Python")
    parser.add_argument("--fast", action="store_true", help="compress less: a larger file, for trials")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        wheels = options.wheels or Path(work) / "wheels"
        if not wheels.is_dir() or not any(wheels.glob("*.whl")):
            download(wheels)
        check(wheels)
        own = own_wheel(Path(work), isolated=not options.no_build_isolation)
        data = packed(members([own, *sorted(wheels.glob("*.whl"))]), epoch(), FAST if options.fast else BEST)
    if len(data) > LIMIT:
        print(f"single-file: {len(data):,} bytes are more than {LIMIT:,}", file=sys.stderr)
        return 1
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_bytes(data)
    options.output.chmod(0o755)
    print(f"{options.output}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")
    return 0


def epoch() -> int:
    """Return the time of all files in seconds.

    It is SOURCE_DATE_EPOCH, otherwise that of the last commit, otherwise 1980.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    git = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(git, capture_output=True, text=True, check=False) if shutil.which("git") else None
    return int(done.stdout) if done is not None and done.returncode == 0 else 315532800


def download(wheels: Path) -> None:
    """Download the dependencies for every Python and processor, verified by their hashes."""
    wheels.mkdir(parents=True, exist_ok=True)
    for processor in PROCESSORS:
        for python in PYTHONS:
            platforms = [word for glibc in GLIBC for word in ("--platform", f"{glibc}_{processor}")]
            pip = [sys.executable, "-m", "pip", "--quiet", "download", "--no-deps", "--only-binary", ":all:"]
            words = ["--require-hashes", "--requirement", str(REQUIREMENTS), "--dest", str(wheels)]
            subprocess.run([*pip, "--python-version", python, *platforms, *words], check=True)


def check(wheels: Path) -> None:
    """Compare a directory with the requirements.

    Raises:
        SystemExit: A file is missing, or differs from the requirement.
    """
    wanted = set(re.findall(r"sha256:([0-9a-f]{64})", REQUIREMENTS.read_text(encoding="utf-8")))
    found = {hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels.glob("*.whl")}
    if wanted != found:
        missing, strange = len(wanted - found), len(found - wanted)
        sys.exit(f"single-file: {wheels}: {missing} files of {REQUIREMENTS.name} are missing, {strange} are not in it")


def clean_copy(target: Path) -> None:
    """Copy the sources of the wheel, without results of earlier builds."""
    shutil.copytree(ROOT / "docs" / "man", target / "docs" / "man")
    shutil.copytree(HERE / "completions", target / "packaging" / "completions")
    no = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info")
    for name in ("pyproject.toml", "setup.cfg", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, target)
    for name in ("raidctl", "vendors"):
        shutil.copytree(ROOT / name, target / name, ignore=no)


def own_wheel(work: Path, *, isolated: bool) -> Path:
    """Build raidctl's wheel."""
    copy, place = work / "source", work / "own"
    copy.mkdir()
    clean_copy(copy)
    pip = [sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps", "--wheel-dir", str(place), str(copy)]
    subprocess.run(pip if isolated else [*pip, "--no-build-isolation"], check=True,
                   env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})  # fmt: skip
    (wheel,) = place.glob("*.whl")
    return wheel


def members(wheels: Iterable[Path]) -> dict[str, bytes]:
    """Return the files of wheels that a run needs, and the licences. All wheels are merged into one tree."""
    tree = {"bin/raidctl-mfi": MFI.encode()}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if not _LEFT_OUT.search(name):
                    tree[name] = archive.read(name)
    return tree


def packed(tree: Mapping[str, bytes], when: int, preset: Preset) -> bytes:
    """Return the whole file: start code as plain modules, trees as archives."""
    compiled = {name: data for name, data in tree.items() if name.endswith(".so")}
    parts = {"tree.tar.xz": archived({name: data for name, data in tree.items() if name not in compiled}, when, preset)}
    own = f"{os.uname().machine}-linux-gnu"  # time of the compiler
    interpreters = sorted(name.split(".")[-2] for name in compiled if ".abi3." not in name)
    for platform in sorted({name.split("-", 2)[2] for name in interpreters}):
        chosen = {name: data for name, data in compiled.items()
                  if name.endswith(f"-{platform}.so") or (platform == own and name.endswith(".abi3.so"))}  # fmt: skip
        parts[f"compiled-{platform}.tar.xz"] = archived(chosen, when, preset)
    build = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts.values())).hexdigest()[:16]
    parts["raidctl_unpack.py"] = (HERE / "raidctl_unpack.py").read_bytes()
    parts["__main__.py"] = MAIN.format(build=build, interpreters=tuple(interpreters)).encode()
    whole = io.BytesIO(SHEBANG)
    whole.seek(0, io.SEEK_END)
    with zipfile.ZipFile(whole, "a") as archive:
        for name in sorted(parts):
            method = zipfile.ZIP_STORED if name.endswith(".xz") else zipfile.ZIP_DEFLATED
            info = zipfile.ZipInfo(name)  # dated 1980: the archives contain their own times
            info.external_attr = 0o644 << 16
            archive.writestr(info, parts[name], method)
    return whole.getvalue()


def archived(files: Mapping[str, bytes], when: int, preset: Preset) -> bytes:
    """Return files as a reproducible .tar.xz; ``preset`` is that of ``xz``."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:xz", preset=preset) as archive:
        for name, data in sorted(files.items(), key=lambda item: (item[0].rpartition(".")[2], item[0])):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), when
            info.mode = 0o755 if data.startswith(b"#!") else 0o644
            archive.addfile(info, io.BytesIO(data))
    return whole.getvalue()


if __name__ == "__main__":
    sys.exit(main())
