"""Builds a Debian package with its libraries in a directory of its own: Debian 12 has no msgspec.

packaging/deb [--output DIRECTORY] [--wheels DIRECTORY] [--no-build-isolation]

The libraries are those of the single file. First the source of the package is put together; what dpkg-buildpackage
does then needs no network.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path

from single_file import HERE, ROOT, check, download, epoch, members, own_wheel

PYTHON = "cpython-311"
"""Of Debian 12."""
PROGRAMS = {"raidctl": "raidctl.__main__", "raidctl-mfi": "raidctl_mfi.cli"}
PROGRAM = """\
#!/usr/bin/python3 -I
import sys

sys.path.insert(0, "/usr/lib/raidctl")
from {module} import main

sys.exit(main())
"""
LICENCES = {"BSD-3-Clause": "click", "MIT": "rich"}
"""Texts that Debian does not have in one place, and a library whose wheel has them (without its copyright line)."""
UNIT = {"@COMMAND@": "/usr/bin/raidctl restore --wait 60", "@STATE@": "/var/lib/raidctl"}


def main() -> int:
    """Build, and print the path of the package; otherwise the exit code of dpkg-buildpackage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="default: dist")
    parser.add_argument("--wheels", type=Path, help="keep the libraries here, and use those that are here")
    parser.add_argument("--no-build-isolation", action="store_true", help="build with the setuptools of this Python")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch())
    with tempfile.TemporaryDirectory() as work:
        wheels = options.wheels or Path(work) / "wheels"
        if not wheels.is_dir() or not any(wheels.glob("*.whl")):
            download(wheels)
        check(wheels)
        own = own_wheel(Path(work), isolated=not options.no_build_isolation)
        place = Path(work) / "raidctl"
        source(place, members([own, *sorted(wheels.glob("*.whl"))]))
        done = subprocess.run(["dpkg-buildpackage", "-b", "-us", "-uc"], cwd=place, check=False)
        for made in Path(work).glob("raidctl_*.deb"):
            shutil.copy(made, options.output)
            print(options.output / made.name)
    return done.returncode


def source(place: Path, tree: Mapping[str, bytes]) -> None:
    """Write the source of the package: the libraries, the programs, the man pages, and ``debian``."""
    for name, data in tree.items():
        if _wanted(name):
            _write(place / "tree" / name, data)
    for name, module in PROGRAMS.items():
        _write(place / "bin" / name, PROGRAM.format(module=module).encode())
        (place / "bin" / name).chmod(0o755)
    shutil.copytree(ROOT / "docs" / "man", place / "man")
    shutil.copytree(HERE / "completions", place / "completions")
    shutil.copy(ROOT / "README.md", place)
    shutil.copytree(HERE / "debian", place / "debian")
    unit = tree["raidctl/data/raidctl-restore.service"].decode()
    for sign, word in UNIT.items():
        unit = unit.replace(sign, word)
    _write(place / "debian" / "raidctl.raidctl-restore.service", unit.encode())
    version = next(found[1] for name in tree if (found := re.match(r"raidctl-(.+)\.dist-info/METADATA", name)))
    _write(place / "debian" / "changelog", changelog(version))
    with (place / "debian" / "copyright").open("a", encoding="utf-8") as file:
        file.write("\n".join(licence(name, library, tree) for name, library in LICENCES.items()))


def _wanted(name: str) -> bool:
    """Whether the package contains a file: compiled modules of one Python and processor, licences in one place."""
    if name.startswith(("bin/", "tomli")) or "/licenses/" in name:  # Python 3.11 reads TOML itself
        return False
    return not name.endswith(".so") or name.endswith((f".{PYTHON}-{os.uname().machine}-linux-gnu.so", ".abi3.so"))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def changelog(version: str) -> bytes:
    """Return the changelog of the package, whose last line has the time of the sources."""
    when = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(epoch()))
    who = "the authors of raidctl <raidctl@packages.invalid>"
    return (
        f"raidctl ({version}~deb12) bookworm; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {who}  {when}\n".encode()
    )


def licence(name: str, library: str, tree: Mapping[str, bytes]) -> str:
    """Return a paragraph of ``debian/copyright`` with the text of a licence."""
    path = next(path for path in tree if path.startswith(f"{library}-") and "LICENSE" in path)
    text = tree[path].decode().partition("\n")[2].strip()
    return f"License: {name}\n" + textwrap.indent(text, " ", lambda _: True).replace("\n \n", "\n .\n") + "\n"


if __name__ == "__main__":
    sys.exit(main())
