"""Foreign configurations, preserved cache and learn cycles: outputs, previews, plans, replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.change.expectations import known_words, unmet
from raidctl.host import HostView
from raidctl.model import Controller, Drive, ForeignGroup, Host, Inventory, PreservedCache, Tool
from raidctl.request import Run, RunAnswer
from raidctl.vendor.plan import Action, Deed, Plan, Verb
from raidctl.vendor.protocol import Document
from raidctl.vendor.shapes import outside
from raidctl_megaraid import foreign, operate, read
from raidctl_megaraid.read_document import read_document
from raidctl_megaraid.tools import MEGACLI, STORCLI
from tests.vendors.megaraid.megaraid_deeds import CONTROLLER, Bench

VERBS: tuple[Verb, ...] = ("import_foreign", "clear_foreign", "discard_preserved", "start_learn")
CONFIGURATION = {"DG": 0, "EID:Slot": "-", "Type": "RAID5", "State": "Frgn", "Size": "3.637 TB", "NoVDs": 1}


def answer(data: Any = None, description: str = "None", status: str = "Success") -> str:
    """A JSON output of storcli 7 about controller 0."""
    head = {"CLI Version": "007.2707.0000.0000", "Controller": 0, "Status": status, "Description": description}
    whole = {"Command Status": head} | ({"Response Data": data} if data is not None else {})
    return json.dumps({"Controllers": [whole]})


def controller_of(*documents: tuple[str, str, str]) -> Controller:
    """The controller of some outputs: command, kind, text."""
    [found] = read([Document(*document) for document in documents]).controllers
    return found


def fall(text: str) -> Controller:
    """The controller of ``/c0/fall show all``."""
    return controller_of(("storcli64 /c0/fall show all nolog J", STORCLI, text))


def test_foreign_groups_are_read_from_the_rows() -> None:
    """Groups are read from the rows, whatever the status. An unknown level is None."""
    found = fall(answer({"FOREIGN CONFIGURATION": [CONFIGURATION], "Total foreign Drive Groups": 1}, status="Failure"))
    [group] = found.foreign_groups
    assert (group.number, group.raid_level, group.volumes, group.status_text) == ("0", "raid5", 1, "Frgn")
    assert (found.foreign, group.size_bytes) == (True, int(3.637 * 2**40))
    odd = fall(answer({"FOREIGN CONFIGURATION": [CONFIGURATION | {"Type": "Nytro1", "DG": 1}, CONFIGURATION]}))
    assert [(one.number, one.raid_level) for one in odd.foreign_groups] == [("0", "raid5"), ("1", None)]


def test_a_failure_may_mean_no_foreign_configuration() -> None:
    """The failure "Couldn't find any foreign Configuration" is read. Drives without groups mean one exists."""
    text = answer(description="Couldn't find any foreign Configuration", status="Failure")
    found = read([Document("storcli64 /c0/fall show all nolog J", STORCLI, text)])
    assert not [problem for problem in found.problems if problem.kind == "unread"]
    assert not any(one.foreign for one in found.controllers)
    lacking = fall(answer({"Total Foreign PDs": 15}, "Incomplete foreign configuration", "Failure"))
    assert (lacking.foreign, lacking.foreign_groups) == (True, ())


def test_preserved_cache_names_its_volumes() -> None:
    """The volumes come from storcli's table or MegaCli's sentences. There are none only if the tool reports none."""
    rows = {"Preserved Cache": [{"VD": 6, "State": "Missing"}, {"VD": 11, "State": "Offline"}]}
    found = controller_of(("storcli64 /c0 show preservedcache nolog J", STORCLI, answer(rows)))
    assert found.preserved == (
        PreservedCache(volume=f"{CONTROLLER}/v6", status_text="Missing"),
        PreservedCache(volume=f"{CONTROLLER}/v11", status_text="Offline"),
    )
    assert found.cache is not None
    assert found.cache.preserved_data is True
    text = "\nAdapter #0\n\nVirtual Drive(Target ID 06): Missing.\n\nExit Code: 0x00\n"
    old = controller_of(("MegaCli64 -GetPreservedCacheList -aALL -NoLog", MEGACLI, text))
    assert old.preserved == (PreservedCache(volume=f"{CONTROLLER}/v6", status_text="Missing"),)
    none = controller_of(
        ("storcli64 /c0 show preservedcache J", STORCLI, answer({}, "No Virtual Drive has Preserved Cache Data."))
    )
    assert (none.preserved, none.cache and none.cache.preserved_data) == ((), False)


def previewed(text: str, kind: str = STORCLI) -> Any:
    """The preview of an output."""
    command = "MegaCli64 -CfgForeign -Preview -a0 -NoLog" if kind == MEGACLI else "storcli64 /c0/fall import preview J"
    found = read_document(Document(command, kind, text))
    return foreign.of_text(text, list(found.controllers.by_number.values()))


@pytest.mark.parametrize(
    ("state", "complete"),
    [("Optl", True), ("Dgrd", True), ("Pdgd", True), ("OfLn", False), ("Frgn", None), ("?", None)],
)
def test_a_preview_is_complete_only_if_every_volume_could_be_read(state: str, complete: bool | None) -> None:
    """A preview with a volume in an unknown state is not complete."""
    row = {"DG/VD": "0/0", "TYPE": "RAID5", "State": "Optl", "Size": "1.0 TB", "Name": "db"}
    rows = [row, row | {"DG/VD": "0/1", "State": state}]
    found = previewed(answer({"VD LIST": rows}, "Operation on foreign configuration Succeeded"))
    assert (found.complete, len(found.volumes)) == (complete, 2)
    assert found.volumes[0].name == "db"


def test_a_preview_without_volumes_is_unknown() -> None:
    """Error 59 means missing drives; any other preview without volumes is unknown."""
    assert previewed(answer({"Total Foreign PDs": 15}, "Incomplete foreign configuration", "Failure")).complete is False
    assert previewed(answer({"FOREIGN CONFIGURATION": [CONFIGURATION]})).complete is None
    assert previewed(answer(status="Failure", description="un-supported command")).complete is None
    assert previewed("").complete is None
    assert previewed("Exit Code: 0x00\n", MEGACLI).complete is None


# --- plans

FOREIGN = Drive(id=f"{CONTROLLER}/32:9", serial="S9", role="unassigned", foreign=True)
MACHINE = Controller(
    id=CONTROLLER, serial="SV1", told_by="storcli64",
    drives=(FOREIGN, Drive(id=f"{CONTROLLER}/32:1", serial="S1", foreign=False)),
    foreign_groups=(ForeignGroup(number="0"),), preserved=(PreservedCache(volume=f"{CONTROLLER}/v6"),),
)  # fmt: skip


def planned(verb: Verb, machine: Controller = MACHINE, part: str | None = None) -> Plan:
    """Plan a deed on a controller with the tool that reported it."""
    tools = [Tool(name=machine.told_by or "", path=f"/opt/x/{machine.told_by}")]
    return operate.plan_deeds(machine, [Deed(object_id=CONTROLLER, verb=verb, part=part)], tools, HostView())


def test_commands_have_no_force_and_name_what_was_read() -> None:
    """No command of storcli or MegaCli has a force option. All are in the table."""
    words = {
        ("import_foreign", "storcli64"): "/c0/fall import nolog J",
        ("clear_foreign", "storcli64"): "/c0/fall delete nolog J",
        ("discard_preserved", "storcli64"): "/c0/v6 delete preservedcache nolog J",
        ("import_foreign", "MegaCli64"): "-CfgForeign -Import -a0 -NoLog",
        ("clear_foreign", "MegaCli64"): "-CfgForeign -Clear -a0 -NoLog",
        ("discard_preserved", "MegaCli64"): "-DiscardPreservedCache -L6 -a0 -NoLog",
    }
    for (verb, tool), line in words.items():
        machine = replace(MACHINE, told_by=tool)
        part = f"{CONTROLLER}/v6" if verb == "discard_preserved" else None
        [step] = planned(verb, machine, part).steps  # type: ignore[arg-type]
        assert " ".join(step.action.argv[1:]) == line
        known = known_words(Inventory(host=Host(), controllers=(machine,)), HostView())
        assert outside(step.action, operate.SHAPES, known) is None
        assert (step.way_back, bool(step.no_way_back), bool(step.expects)) == ("none", True, True)
        assert CONTROLLER in {one.object_id for one in step.subjects}


def test_what_cannot_be_identified_or_selected_is_denied() -> None:
    """A deed without serial numbers is denied. With MegaCli, one of several configurations is denied too."""
    two = replace(MACHINE, foreign_groups=(ForeignGroup(number="0"), ForeignGroup(number="1")))
    assert planned("import_foreign", two).steps
    assert planned("import_foreign", two, "1").denials
    [denial] = planned("clear_foreign", replace(two, told_by="MegaCli64"), "1").denials
    assert "-CfgForeign -Clear 1 -a0" in (denial.alternative or "")
    nameless = replace(MACHINE, drives=(replace(FOREIGN, serial=None),))
    assert planned("import_foreign", nameless).denials[0].guard == "X1"
    assert planned("import_foreign", replace(MACHINE, serial=None)).denials[0].guard == "X1"
    assert planned("import_foreign", replace(MACHINE, told_by="storcli2")).denials
    assert planned("discard_preserved", part=f"{CONTROLLER}/v7").denials
    assert (foreign.selects(MACHINE), foreign.selects(replace(MACHINE, told_by="MegaCli64"))) == (False, True)


def test_an_import_and_a_clear_have_the_expected_result(tmp_path: Path) -> None:
    """What the plan expects is true only after the simulated deed."""
    bench = Bench("h730-foreign", tmp_path)
    [step] = bench.plan("import_foreign").steps
    assert len(unmet(bench.read(), step.expects)) == len(step.expects)
    assert bench.do("import_foreign")
    imported = bench.controller()
    assert [(one.id.rpartition("/")[2], one.unique_id is not None) for one in imported.volumes][-1] == ("v6", True)
    assert {drive.array for drive in imported.drives if drive.id.endswith(("32:9", "32:10"))} == {f"{CONTROLLER}/g2"}
    again = Bench("h730-foreign", tmp_path / "again")
    assert again.do("clear_foreign")
    cleared = again.controller()
    assert [drive.foreign for drive in cleared.drives if drive.id.endswith("32:9")] == [False]
    assert cleared.preserved


def test_storcli_starts_a_learn_cycle_of_a_cachevault(tmp_path: Path) -> None:
    """The command names the kind of the pack. The firmware rejects it while the pack learns."""
    bench = Bench("9271", tmp_path)
    [step] = bench.plan("start_learn").steps
    assert step.action.argv[1:] == ("/c0/cv", "start", "learn", "nolog", "J")
    assert bench.do("start_learn")
    action = Action(argv=step.action.argv)
    [reply] = bench.machine.carry_out([Run(action.argv, changes=True)])
    assert isinstance(reply, RunAnswer)
    assert operate.judge(action, reply) is not None
    bench.machine.pass_time(5 * 3600)
    assert [pack.status for pack in bench.controller().batteries] == ["ok"]


def test_megacli_starts_a_learn_cycle_of_a_good_battery(tmp_path: Path) -> None:
    """A learn cycle is started, and rejected while one is running."""
    bench = Bench("perc5i", tmp_path)
    bench.machine.keep({**bench.machine.state(), "megaraid 0/battery": "Operational"})
    [step] = bench.plan("start_learn").steps
    assert step.action.argv[1:] == ("-AdpBbuCmd", "-BbuLearn", "-a0", "-NoLog")
    assert bench.do("start_learn")
    [reply] = bench.machine.carry_out([Run(step.action.argv, changes=True)])
    assert operate.judge(step.action, reply) is not None


def test_abilities_claim_what_was_recorded() -> None:
    """Only verbs with recorded replies have the proof ``captures``."""
    tools = [Tool(name=name, path=f"/opt/x/{name}") for name in ("storcli64", "MegaCli64")]
    known = operate.abilities(MACHINE, tools[:1])
    assert [known[verb].proof for verb in VERBS] == ["captures", "captures", "manual", "manual"]
    old = operate.abilities(replace(MACHINE, told_by="MegaCli64"), tools[1:])
    assert [old[verb].proof for verb in VERBS] == ["manual", "captures", "captures", "manual"]
