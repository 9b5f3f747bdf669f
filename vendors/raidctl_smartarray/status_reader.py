"""cciss_vol_status: its output, line by line. The forms are those of its source (versions 1.06 to 1.12a).

With ``-V`` it prints how many volumes and drives there are, and ends each controller with its cache; without, it prints
one line for each volume and enclosure, and the output does not show how many there should be.
"""

from __future__ import annotations

import re

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Health
from raidctl.text import attempt, regex
from raidctl.vendor.draft import DETAIL, ROW, Draft
from raidctl.vendor.statuses import put_status
from raidctl_smartarray import status_words
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.drive import drive_model
from raidctl_smartarray.numbers import cache_size, ratio
from raidctl_smartarray.proc_reader import read_level
from raidctl_smartarray.status_errors import error_problem
from raidctl_smartarray.vocabulary import normalized

KIND = "vol_status"
TOOL = "cciss_vol_status"
_NODE = r"(/dev/[\w/?]{1,40})"
# /dev/cciss/c0d0: (Smart Array P800) RAID 5 Volume 4(?) status: OK.   At least one spare drive designated.
_VOLUME = regex(
    _NODE + r": \(([^()]{1,40})\) (?:RAID (\S.{0,12}?)|\(Unknown RAID level .{0,40}?\)) Volume (\d{1,4})(\(\?\))? "
    r"status: ?(.{0,400})"
)
# /dev/sg0: (Smart Array P800) Enclosure MSA60 (S/N: USP6340B3F) on Bus 2, Physical Port 1E status: Fan failed.
_ENCLOSURE = regex(_NODE + r": \(([^()]{1,40})\) (Enclosure .{1,120}?, Physical Port .{1,4}?) status: ?(.{0,250})")
# /dev/sg0(Smart Array P420i:0): Non-Volatile Cache status:
_CACHE = regex(_NODE + r"\(([^():]{1,40}):(\d{1,3})\): Non-Volatile Cache status:")
# connector 1I box 2 bay 1                 HP      EG1200FCVBQ                    KZG21NVD     HPD1 OK
_DRIVE = regex(r"(?:b\d+t\d+ +)?connector (\S\S) box (\d{1,3}|\?\?) bay (\d{1,3}|\?\?) +(\S.{0,200})", re.ASCII)
_DRIVE_STATUS = regex(r"(.*?) +(OK|S\.M\.A\.R\.T\. [\w ]{1,40})\.?")
_TOTAL = regex(r"Total of (\d{1,3}) failed physical drives detected on this logical drive\.")
# connector 1I box ? bay 1 …, /dev/cciss/c0d0: … in another form
_LOST = regex(r"(?:b\d+t\d+ +)?connector \S+ +box\b|Total of .{0,40}failed|/\w+/\S+:|/dev/.*\(|.* status: ")
_MAX_SHOWN = 80
_PAIR = regex(r"([A-Z][\w ]{2,40}): +(\S.{0,80})")
_CISS = regex(r"/dev/cciss/(c\d{1,3})d\d{1,4}")


class StatusReader:
    """A reader of one output. It keeps the current controller, volume, list of drives and cache."""

    def __init__(self, output: Output) -> None:
        """Nothing is read yet."""
        self.output = output
        self.controllers: list[ControllerDraft] = []
        self.volume: Draft | None = None
        self.listed: str | None = None
        """The title of the list of drives that is read."""
        self.cache: ControllerDraft | None = None
        self.verbose: set[int] = set()
        """Controllers (by their place) that the tool described with ``-V``."""
        self.cached: set[int] = set()
        self.expected: dict[int, dict[str, int]] = {}
        self.listed_drives: dict[int, set[str]] = {}
        self.empty_list: str | None = None
        self.unfinished_cache = False
        self.flags: list[str] = []
        """The faults that the tool reports about the current cache."""

    def read(self) -> None:
        """Go through all lines."""
        for line in self.output.lines:
            if not line.stripped:
                self.cache = None  # the tool prints no blank line inside the description of a cache
            elif len(line.text) <= 1000:
                self._line(line, line.text.expandtabs().strip())
        self.output.gap = self._gap()

    def _line(self, line: Line, text: str) -> None:
        if (found := _VOLUME.fullmatch(text)) is not None:
            self._read_volume(line, found)
        elif (found := _ENCLOSURE.fullmatch(text)) is not None:
            self._read_enclosure(line, found)
        elif (found := _CACHE.fullmatch(text)) is not None:
            self._read_cache(line, found)
        elif (found := _DRIVE.fullmatch(text)) is not None:
            self._read_drive(line, found)
        elif normalized(text) in status_words.DRIVE_LISTS:
            self.listed = self.empty_list = normalized(text)
            mark_read(line)
        elif (found := _TOTAL.fullmatch(text)) is not None and self.volume is not None:
            self.volume.detail(line, "Failed physical drives", found[1])
            self.volume.add_problem(
                "warning", "state", f"The tool counts {found[1]} failed drive(s) of the volume.", "Replace them."
            )
        elif (problem := error_problem(text)) is not None:
            self._owner().complain(problem)
            mark_read(line)
        elif _LOST.match(text):
            self._owner().unread("line", text[:_MAX_SHOWN])
        elif not self._cache_line(line, text):
            self._pair(line, text)

    def _owner(self) -> ControllerDraft:
        if not self.controllers:
            self.controllers.append(ControllerDraft())
        return self.controllers[-1]

    def _controller(self, line: Line, node: str, model: str) -> ControllerDraft:
        """Return the controller that a line is about. Another node, or another model, is another controller."""
        match = _CISS.fullmatch(node)
        name = match[1] if match is not None else node.rpartition("/")[2] if "/sg" in node else ""
        last = self.controllers[-1] if self.controllers else None
        own = last is not None and last.get("model") in (None, model) and (not name or last.node in ("", name))
        found = last if own and last is not None else ControllerDraft()
        if found is not last:
            self.controllers.append(found)
        found.node = found.node or name
        found.put(line, "model", model)
        return found

    def _read_volume(self, line: Line, found: re.Match[str]) -> None:
        node, model, level, number, unsure, words = found.groups()
        controller = self._controller(line, node, model)
        if number in controller.volumes:
            controller = ControllerDraft(node=controller.node)
            controller.put(line, "model", model)
            self.controllers.append(controller)
        volume = self.volume = controller.volume(number)
        self.listed = self.cache = None
        if level is not None:
            read_level(volume, line, level)
        if "/sd" in node:
            volume.put(line, "device", node)
        if unsure:
            volume.detail(line, "Volume number", f"{number}, which the tool is not sure of")
        word, *spares = [part.strip() for part in words.split(". ") if part.strip(". ")] or [""]
        self._volume_status(volume, line, word.strip("."), [one.strip(".") for one in spares])

    def _volume_status(self, volume: Draft, line: Line, word: str, spares: list[str]) -> None:
        meaning = status_words.volume_word(word)
        status = meaning.status if meaning is not None else None
        if normalized(status_words.SPARE_REBUILDS) in map(normalized, spares) and status == "ok":
            status = "rebuilding"
        put_status(volume, [line], "volume", status, text=". ".join([word, *spares]), word=word)
        if meaning is not None and (doing := meaning.operation or meaning.queued) is not None:
            volume.put(line, "progress.operation", doing)
            volume.put(None, "progress.state", "queued" if meaning.queued else "running")
        for spare in spares:
            fine = status_words.spare_is_good(spare)
            if fine is None:
                volume.unread("sentence about spares", spare)
            elif not fine:
                volume.add_problem("warning", "state", f"{spare}.", "Replace the failed drive.")

    def _read_drive(self, line: Line, found: re.Match[str]) -> None:
        owner = self._owner()
        connector, box, bay, rest = found.groups()
        known = "?" not in f"{connector}{box}{bay}"
        drive = owner.drive(f"{connector}:{box}:{bay}" if known else f"unknown-{len(owner.drives)}")
        if known:
            drive.put(line, "enclosure", f"{connector}:{box}")
            drive.put(line, "bay", bay)
        self.empty_list = None
        reported = _DRIVE_STATUS.fullmatch(rest)
        columns = (reported[1] if reported is not None else rest).rsplit(maxsplit=2)
        if len(columns) < 3 or " " not in columns[0]:
            if not rest.startswith("unknown-model"):
                drive.unread("model and serial number", rest)  # a column is missing
        else:
            drive.put(line, "firmware", columns[2])
            drive.put(line, "serial", columns[1])
            drive.put(line, "model", drive_model(columns[0]))
        if self.listed is not None:
            status, text = status_words.DRIVE_LISTS[self.listed]
            drive.put(line, "role", "member")
        else:
            self.listed_drives.setdefault(len(self.controllers), set()).add(drive.name)
            text = reported[2] if reported is not None else "none"
            status = status_words.DRIVE_WORDS.get(normalized(text.rstrip(".")), "unknown")
        put_status(drive, [line], "drive", status, text=text, weight=_rank(status))

    def _read_enclosure(self, line: Line, found: re.Match[str]) -> None:
        node, model, what, words = found.groups()
        controller = self._controller(line, node, model)
        self.cache = self.listed = None
        controller.detail(line, what, words.rstrip(". "))
        bad, known = status_words.alarms(words.rstrip(". "))
        if not known:
            controller.unread(f"status of {what}", words)
        for one in bad:
            controller.add_problem("warning", "state", f"{what}: {one}.", "Check the enclosure.")

    def _read_cache(self, line: Line, found: re.Match[str]) -> None:
        self.cache = self._controller(line, found[1], found[2])
        self.cached.add(len(self.controllers))
        self.flags = []
        self.unfinished_cache = True
        self.listed = None
        mark_read(line)

    def _cache_line(self, line: Line, text: str) -> bool:
        """Whether the line is one of the current cache."""
        cache = self.cache
        if cache is None:
            return False
        if (name := normalized(text.rstrip(":"))) in status_words.CACHE_LINES:
            word = status_words.CACHE_LINES[name]
            flag = text.rstrip(":")
            if word is None:
                cache.detail(line, "Cache", flag)
                return True
            self.flags.append(flag)
            put_status(cache, [line], "cache", word, text=flag, prefix="cache.", weight=_rank(word))
            cache.override("cache.status_text", "; ".join(self.flags))
            return True
        pair = _PAIR.fullmatch(text)
        if pair is None or ":  " in text:
            # Temporary disable condition: The posted write cache has been        the reason, over several lines
            cache.detail(line, f"Cache disable reason {len(cache.details)}", text)
            return True
        return self._cache_pair(cache, line, pair[1], pair[2])

    def _cache_pair(self, cache: ControllerDraft, line: Line, label: str, value: str) -> bool:
        """Read a label of the cache. There is no table of fields, as a value not understood leaves the line unread."""
        sizes = {"Total cache memory": "size_bytes", "Read cache memory": "read_bytes",
                 "Write cache memory": "write_bytes"}  # fmt: skip
        if label in sizes:
            size = attempt(cache_size, value.replace("MiB", "MB"))
            if size is None:
                cache.unread(label, value)
                return False
            cache.put(line, f"cache.{sizes[label]}", size)
        elif label == "Cache Ratio":
            shares = attempt(ratio, value)
            if shares is None:
                cache.unread(label, value)
                return False
            cache.put(line, "cache.read_percent", shares[0])
            cache.put(line, "cache.write_percent", shares[1])
        elif label == "Cache configured":
            self.unfinished_cache = value == "Yes"
            if value == "Yes":
                cache.put(line, "cache.present", value=True)
            else:
                put_status(cache, [line], "cache", "ok", text="Not configured", prefix="cache.")
        elif label == "Write cache enabled":
            self.unfinished_cache = False
            known = {"Yes": "ok", "No": "warning"}.get(value)
            put_status(cache, [line], "cache", known, text=f"{label}: {value}", prefix="cache.", weight=ROW)
        else:
            cache.detail(line, f"Cache: {label}", value)
        return True

    def _pair(self, line: Line, text: str) -> None:
        pair = _PAIR.fullmatch(text)
        if pair is None:
            return
        label, value = pair[1], pair[2]
        if label == "Controller":
            self.controllers.append(ControllerDraft())
            self.verbose.add(len(self.controllers))
            self._owner().put(line, "model", value)
        elif label == "Running firmware":
            self._owner().put(line, "firmware", value.strip())
        else:
            self._owner().detail(line, label, value)
            if label in ("Logical drives", "Physical drives") and value.isdecimal():
                wanted = self.expected.setdefault(len(self.controllers), {})
                wanted[label] = wanted.get(label, 0) + int(value)
        self.listed = None

    def _gap(self) -> str:
        last = next((line.text.strip() for line in reversed(self.output.lines) if line.stripped), "")
        # /dev/cciss/c1d0: (Smart Array P800) RAID 1 Volume 0 status: OK.
        if (_VOLUME.fullmatch(last) or _ENCLOSURE.fullmatch(last)) and not last.endswith("."):
            return "its last line has no full stop"
        end = self.output.lines[-1].text if self.output.lines else ""
        if _VOLUME.fullmatch(last) and end != end.rstrip():  # two blanks follow each sentence, then the next or the end
            return "its last line has no end"
        if self.unfinished_cache:
            return "the state of its write cache is missing"
        if self.empty_list is not None:
            return f"nothing follows “{self.empty_list}”"
        for place, controller in enumerate(self.controllers, 1):
            wanted = self.expected.get(place, {})
            counts = {
                "Logical drives": len(controller.volumes),
                "Physical drives": len(self.listed_drives.get(place, ())),
            }
            for label, count in counts.items():
                if count < wanted.get(label, 0):
                    return f"{count} of {wanted[label]} {label.lower()} are listed"
            if place in self.verbose and place not in self.cached:
                return "the state of its cache is missing"
        return ""


def _rank(status: Health) -> int:
    """The weight of a status: of two bad ones, the worse counts."""
    return DETAIL + (status == "critical")
