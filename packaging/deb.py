"""Builder of a Debian package with private libraries. Debian 12 has no msgspec.

    packaging/deb [--output DIRECTORY] [--wheels DIRECTORY] [--no-build-isolation]
    packaging/deb --unstable [--output DIRECTORY]

DEBFULLNAME and DEBEMAIL name the maintainer.

The libraries are those of the single file. The source package is assembled first; dpkg-buildpackage then needs no
network. ``--unstable`` makes another source package, which uses Debian's libraries.
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
from collections.abc import Iterable, Mapping
from pathlib import Path

from single_file import HERE, ROOT, check, download, epoch, members, own_wheel
from units import units

PYTHON = "cpython-311"
"""The Python of Debian 12."""
PROGRAMS = {"raidctl": "raidctl.__main__", "raidctl-mfi": "raidctl_mfi.cli"}
PROGRAM = """\
#!/usr/bin/python3 -I
import sys

sys.path.insert(0, "/usr/lib/raidctl")
from {module} import main

sys.exit(main())
"""
LICENCES = {"BSD-3-Clause": "click", "MIT": "rich"}
"""Licences without a common text in Debian. Each is taken from the wheel of a library (without its copyright line)."""
OPTIONS = "/etc/default/raidctl"
NOBODY = ("the authors of raidctl", "raidctl@packages.invalid")
"""The default maintainer, with a reserved address (RFC 2606). The project publishes no packages."""


def main() -> int:
    """Build, and print the path of the package. Return the exit code of dpkg-buildpackage if it fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="default: dist")
    parser.add_argument("--wheels", type=Path, help="keep the libraries here, and use those that are here")
    parser.add_argument("--no-build-isolation", action="store_true", help="build with the setuptools of this Python")
    parser.add_argument("--unstable", action="store_true", help="only the source package for Debian unstable")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch())
    if options.unstable:
        return unstable(options.output)
    with tempfile.TemporaryDirectory() as work:
        wheels = options.wheels or Path(work) / "wheels"
        if not wheels.is_dir() or not any(wheels.glob("*.whl")):
            download(wheels)
        check(wheels)
        own = own_wheel(Path(work), isolated=not options.no_build_isolation)
        place = Path(work) / "raidctl"
        source(place, members([own, *sorted(wheels.glob("*.whl"))]))
        done = subprocess.run(["dpkg-buildpackage", "-b", "-us", "-uc"], cwd=place, check=False)
        keep(Path(work).glob("raidctl_*.deb"), options.output)
    return done.returncode


def unstable(output: Path) -> int:
    """Make the source package for unstable from the last commit. Return the exit code of dpkg-source."""
    version = re.findall(r"\((.+)-\d+\)", (HERE / "unstable" / "changelog").read_text(encoding="utf-8"))[0]
    with tempfile.TemporaryDirectory() as work:
        orig, place = Path(work) / f"raidctl_{version}.orig.tar", Path(work) / f"raidctl-{version}"
        git = ["git", "-C", str(ROOT), "archive", f"--prefix={place.name}/", f"--output={orig}", "HEAD"]
        subprocess.run(git, check=True)
        subprocess.run(["tar", "-C", work, "-xf", str(orig)], check=True)
        subprocess.run(["xz", "-6", str(orig)], check=True)
        shutil.copytree(HERE / "unstable", place / "debian")
        name_maintainer(place / "debian")
        done = subprocess.run(["dpkg-source", "-b", place.name], cwd=work, check=False)
        keep(Path(work).glob("raidctl_*"), output)
    return done.returncode


def keep(made: Iterable[Path], output: Path) -> None:
    """Copy the built files, and print their paths."""
    for path in made:
        shutil.copy(path, output)
        print(output / path.name)


def source(place: Path, tree: Mapping[str, bytes]) -> None:
    """Write the package's source: libraries, programs, man pages, and ``debian``."""
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
    name_maintainer(place / "debian")
    for name, text in units(OPTIONS).items():
        _write(place / "debian" / f"raidctl.{name}", text.encode())
    version = next(found[1] for name in tree if (found := re.match(r"raidctl-(.+)\.dist-info/METADATA", name)))
    _write(place / "debian" / "changelog", changelog(version))
    with (place / "debian" / "copyright").open("a", encoding="utf-8") as file:
        file.write("\n".join(licence(name, library, tree) for name, library in LICENCES.items()))


def _wanted(name: str) -> bool:
    """Whether the package contains a file.

    The package has compiled modules for one Python and processor only, and its licences in one place.
    """
    if name.startswith(("bin/", "tomli")) or "/licenses/" in name:  # Python 3.11 has a TOML parser
        return False
    return not name.endswith(".so") or name.endswith((f".{PYTHON}-{os.uname().machine}-linux-gnu.so", ".abi3.so"))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def changelog(version: str) -> bytes:
    """Return the changelog of the package. Its last line has the time of the sources."""
    when = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(epoch()))
    head = f"raidctl ({version}~deb12) bookworm; urgency=medium"
    return f"{head}\n\n  * See CHANGELOG.md.\n\n -- {maintainer()}  {when}\n".encode()


def maintainer() -> str:
    """Return the maintainer from the builder's DEBFULLNAME and DEBEMAIL, as all Debian tools do."""
    name, address = (os.environ.get(variable, "").strip() for variable in ("DEBFULLNAME", "DEBEMAIL"))
    return f"{name or NOBODY[0]} <{address}>" if address else f"{NOBODY[0]} <{NOBODY[1]}>"


def name_maintainer(debian: Path) -> None:
    """Write the maintainer in place of the undeliverable address."""
    for path in (debian / "control", debian / "changelog"):
        if path.exists():
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(f"{NOBODY[0]} <{NOBODY[1]}>", maintainer()), encoding="utf-8")


def licence(name: str, library: str, tree: Mapping[str, bytes]) -> str:
    """Return a paragraph of ``debian/copyright`` with the text of a licence."""
    path = next(path for path in tree if path.startswith(f"{library}-") and "LICENSE" in path)
    text = tree[path].decode().partition("\n")[2].strip()
    return f"License: {name}\n" + textwrap.indent(text, " ", lambda _: True).replace("\n \n", "\n .\n") + "\n"


if __name__ == "__main__":
    sys.exit(main())
