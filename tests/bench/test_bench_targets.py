"""A measured file is created, filled, locked, and removed at the end."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from array import array
from pathlib import Path

import pytest

from raidctl.bench.blocks import Checker, State
from raidctl.bench.targets import Handled, refuse_outside
from raidctl.bench.targets.file import FileTarget, _confounders, leftovers, room
from raidctl.bench.targets.handle import JOURNALS_DATA, attributes_of
from raidctl.bench.targets.place import Place, place_in
from raidctl.bench.work import Op, Stream, Work
from raidctl.errors import AccessMissing, BenchError
from tests.support.processes import alive, killed_on_error
from tests.support.waiting import until

MIB = 1 << 20
RUN = 5
MEMORY = "/dev/shm"  # noqa: S108 - the one tmpfs that every Linux has


def test_a_file_is_created_filled_and_removed(tmp_path: Path) -> None:
    """Every block can be verified, and none is a hole. Nothing is left."""
    with FileTarget(str(tmp_path), 3 * MIB + 1, run_id=RUN) as target:
        (path,) = tmp_path.iterdir()
        data = path.read_bytes()
        assert len(data) == target.size == 4 * MIB
        assert path.stat().st_blocks * 512 >= target.size
        checker = Checker(MIB, RUN)
        assert {checker.check(data[at : at + MIB], at) for at in range(0, len(data), MIB)} == {State.OK}
        assert isinstance(target, Handled)
        assert (target.kind, target.base, target.writable) == ("file", 0, True)
        assert path.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == []


def test_the_name_contains_the_program_and_the_process(tmp_path: Path) -> None:
    """The file's name shows its program and process."""
    with FileTarget(str(tmp_path), MIB) as target:
        assert Path(target.path).name.startswith(f"raidctl-bench-{os.getpid()}-")
        assert target.name == target.path


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_whatever_happens_the_file_is_removed(tmp_path: Path, kind: type[BaseException]) -> None:
    """The file is removed after an error, Ctrl-C and the program's end."""
    with pytest.raises(kind), FileTarget(str(tmp_path), MIB):
        raise kind
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_removed_is_named(tmp_path: Path) -> None:
    """A file that cannot be removed is reported with its path."""
    place, messages = tmp_path / "place", list[str]()
    place.mkdir()
    with FileTarget(str(place), MIB, warn=messages.append) as target:
        place.rename(tmp_path / "elsewhere")
        place.write_text("no directory any more")
    assert messages == [f"{target.path} could not be removed (Not a directory): remove it by hand."]


def test_ctrl_c_while_it_is_filled_removes_it(tmp_path: Path) -> None:
    """The file is removed before it is complete."""

    def stop(_done: int, _size: int) -> None:
        assert len(list(tmp_path.iterdir())) == 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), FileTarget(str(tmp_path), 4 * MIB, progress=stop):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_the_program_removes_it(tmp_path: Path, number: signal.Signals) -> None:
    """The signal handlers of the command line remove the file."""
    script = (
        "import sys, time\n"
        "from raidctl.cli import _handle_signals\n"
        "from raidctl.bench.targets.file import FileTarget\n"
        "_handle_signals()\n"
        f"with FileTarget({str(tmp_path)!r}, 1 << 20):\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    with killed_on_error(
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        assert len(list(tmp_path.iterdir())) == 1
        child.send_signal(number)
        child.wait()
    assert list(tmp_path.iterdir()) == []


def test_another_file_of_that_name_is_kept(tmp_path: Path) -> None:
    """A file that replaced it is not removed."""
    with FileTarget(str(tmp_path), MIB) as target:
        path = Path(target.path)
        path.unlink()
        path.write_text("mine")
    assert path.read_text() == "mine"


def test_a_killed_program_leaves_no_file(tmp_path: Path) -> None:
    """After signal 9 to the whole process group, the file is removed."""
    script = (
        "import os\n"
        "from raidctl.bench.targets.file import FileTarget\n"
        f"FileTarget({str(tmp_path)!r}, 1 << 20).__enter__()\n"
        "print(len(os.listdir(os.curdir)))\n"
        "os.killpg(0, 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-uc", script], check=False, cwd=tmp_path, capture_output=True, start_new_session=True
    )
    assert done.stdout == b"1\n"
    until(lambda: not list(tmp_path.iterdir()))


def test_another_file_of_that_name_is_kept_after_a_kill(tmp_path: Path) -> None:
    """Only the original file is removed."""
    script = (
        "import os\n"
        "from raidctl.bench.targets.file import FileTarget\n"
        f"target = FileTarget({str(tmp_path)!r}, 1 << 20).__enter__()\n"
        "os.rename(target.path, 'elsewhere')\n"
        "open(target.path, 'w').close()\n"
        "pid = int(open(f'/proc/self/task/{os.getpid()}/children').read())\n"
        "print(pid)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-uc", script], check=False, cwd=tmp_path, capture_output=True)
    until(lambda: not alive(int(done.stdout)))
    assert len(list(tmp_path.iterdir())) == 2


def test_files_of_killed_runs_are_found(tmp_path: Path) -> None:
    """Only files of killed runs are listed. The file of a running process and other files of similar names are not."""
    left = tmp_path / "raidctl-bench-1-89abcdef.tmp"
    with FileTarget(str(tmp_path), MIB) as target:
        left.write_bytes(Path(target.path).read_bytes())
    (tmp_path / "raidctl-bench-1-0123abcd.tmp").write_text("a letter")
    (tmp_path / "raidctl-bench-notes.tmp").write_text("")
    with FileTarget(str(tmp_path), MIB):
        assert leftovers(str(tmp_path)) == [str(left)]


def test_a_file_is_locked_while_it_is_used(tmp_path: Path) -> None:
    """Other runs see that it is in use."""
    with (
        FileTarget(str(tmp_path), MIB) as target,
        Path(target.path).open("rb") as other,
        pytest.raises(BlockingIOError),
    ):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """A quarter of the free space is the maximum. The message has the figures and removable files."""
    (tmp_path / "raidctl-bench-1-0123abcd.tmp").write_bytes(b"")
    with pytest.raises(BenchError, match=r"free; .*25% of that.*raidctl-bench-1-0123abcd.tmp"):
        FileTarget(str(tmp_path), room(str(tmp_path)) // 2).__enter__()
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(("name", "words"), [("none", "not a directory"), ("file", "not a directory")])
def test_a_place_that_is_no_directory_is_refused(tmp_path: Path, name: str, words: str) -> None:
    """The message has the path."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(BenchError, match=words):
        FileTarget(str(tmp_path / name), MIB).__enter__()


def test_a_place_without_permission_or_read_only_is_refused() -> None:
    """Not even root can create files in sysfs."""
    with pytest.raises((BenchError, AccessMissing), match="/sys/kernel"):
        FileTarget("/sys/kernel", 64 << 10, share=1e18).__enter__()


def test_an_error_while_it_is_filled_removes_it(tmp_path: Path) -> None:
    """At a size limit there is a message, and nothing is left."""
    script = (
        "import resource\n"
        "from raidctl.bench.targets.file import FileTarget\n"
        "from raidctl.errors import BenchError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "try:\n"
        f"    FileTarget({str(tmp_path)!r}, 4 << 20).__enter__()\n"
        "except BenchError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert "cannot be used: a limit on the size of files is reached (ulimit -f" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_file_on_tmpfs_is_in_memory() -> None:
    """New kernels accept O_DIRECT on tmpfs, but it is memory."""
    with FileTarget(MEMORY, MIB) as target:
        path = target.path
        assert not target.direct
        assert {item.name for item in target.confounders if item.forbids} == {"memory"}
    assert not Path(path).exists()


def test_the_alignment_is_accepted_by_the_file(tmp_path: Path) -> None:
    """A read at an odd multiple of the alignment succeeds."""
    import mmap  # noqa: PLC0415 - only here

    with FileTarget(str(tmp_path), MIB) as target, mmap.mmap(-1, target.alignment) as buffer:
        assert os.preadv(target.fileno(), [buffer], 3 * target.alignment) == target.alignment


MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
30 22 0:40 / /srv rw - btrfs /dev/sdb rw,nobarrier
31 22 0:41 / /srv/data rw - xfs /dev/sdc rw
32 22 0:42 / /srv/data rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("path", "filesystem"),
    [("/srvx", "ext4"), ("/srv", "btrfs"), ("/srv/a", "btrfs"), ("/srv/data/x", "tmpfs"), ("/", "ext4")],
)
def test_the_uppermost_mount_counts(path: str, filesystem: str) -> None:
    """The longest mount point counts. Of two on one path, the later one counts."""
    assert place_in(path, MOUNTS).filesystem == filesystem


def test_copy_on_write_is_recognised() -> None:
    """Options are parsed too, and an unknown file system is None."""
    place = place_in("/srv/x", MOUNTS)
    assert place.copies_on_write
    assert "nobarrier" in place.options
    assert place_in("/x", "").filesystem is None


class Plain:
    """A target without operations."""

    name, kind, size, alignment, direct = "t", "file", 8192, 512, True

    def __init__(self, *, writable: bool = True) -> None:
        self.writable = writable


def one(op: Op, offset: int, size: int = 512) -> Work:
    """A single operation."""
    return Work(streams=[Stream(ops=bytes([op]), offsets=array("Q", [offset]), size=size)])


@pytest.mark.parametrize(
    ("op", "offset", "size"),
    [(Op.READ, 8192, 512), (Op.WRITE, 7680, 1024), (Op.READ, 100, 512), (Op.READ, 0, 100), (Op.WRITE, 1 << 63, 512)],
)
def test_operations_outside_or_unaligned_are_refused(op: Op, offset: int, size: int) -> None:
    """The error is raised before the first operation."""
    with pytest.raises(BenchError):
        refuse_outside(Plain(), one(op, offset, size))


@pytest.mark.parametrize("op", [Op.WRITE, Op.WRITE_DURABLE])
def test_a_read_only_target_is_not_written(op: Op) -> None:
    """Writes are refused for every engine."""
    with pytest.raises(BenchError, match="only be read"):
        refuse_outside(Plain(writable=False), one(op, 0))


@pytest.mark.parametrize(("op", "offset"), [(Op.READ, 7680), (Op.WRITE, 0), (Op.FLUSH, 0)])
def test_operations_inside_are_accepted(op: Op, offset: int) -> None:
    """Operations up to the last byte are accepted."""
    refuse_outside(Plain(), one(op, offset))


def test_an_unknown_operation_is_refused() -> None:
    """An unknown operation code is an error."""
    work = Work(streams=[Stream(ops=bytes([9]), offsets=array("Q", [0]), size=512)])
    with pytest.raises(BenchError):
        refuse_outside(Plain(), work)


def test_the_progress_is_reported(tmp_path: Path) -> None:
    """The progress is reported up to the end."""
    progress: list[tuple[int, int]] = []
    with FileTarget(str(tmp_path), 3 * MIB, progress=lambda done, size: progress.append((done, size))):
        pass
    assert progress == [(MIB, 3 * MIB), (2 * MIB, 3 * MIB), (3 * MIB, 3 * MIB)]


@pytest.mark.parametrize(("attributes", "found"), [(JOURNALS_DATA, {"page_cache"}), (0, set())])
def test_a_file_whose_data_ext4_journals_goes_through_the_page_cache(attributes: int, found: set[str]) -> None:
    """A directory passes the attribute on to its files (chattr +j), and no mount option shows it."""
    named = {
        one.name: one.forbids
        for one in _confounders(Place("ext4", "/srv"), direct=True, sparse=False, attributes=attributes)
    }
    assert named == dict.fromkeys(found, True)


def test_the_attributes_of_a_file_are_read(tmp_path: Path) -> None:
    """Set attributes are found, such as "no dump", which any owner may set; without attributes, the value is 0."""
    nodump, set_attributes = 0x40, 0x40086602
    with (tmp_path / "file").open("w") as file:
        before = attributes_of(file.fileno())
        try:
            fcntl.ioctl(file, set_attributes, array("l", [before | nodump]))
        except OSError:  # a file system without attributes
            assert before == 0
        else:
            assert attributes_of(file.fileno()) == before | nodump
    assert before & JOURNALS_DATA == 0
