"""The Ansible collection on real ssh servers.

Covered are the playbooks of the manual, check mode, diff, second run and become.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from raidctl.output.json import to_json
from raidctl.simulation.executables import install
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from tests.collection.conftest import PROGRAMS, Site, executable, through
from tests.collection.page import playbook
from tests.runners.conftest import free_port, program

pytestmark = pytest.mark.slow


def families(inventory: dict[str, list[dict[str, str]]]) -> set[str]:
    """The families of the controllers."""
    return {one["id"].partition(":")[0] for one in inventory["controllers"]}


def test_what_is_there_is_that_of_raidctl_itself(site: Site) -> None:
    """The inventory is complete and equal to that over raidctl's own ssh."""
    played = site.play(playbook("Read the storage"))
    assert played.code == 0, played.printed
    assert not played.changed()
    found = played.of("Read the inventory")
    assert {name: bool(families(one["inventory"]) & {"smartarray", "megaraid"}) for name, one in found.items()} == {
        "db1": True, "db2": True, "db3": True,
    }  # fmt: skip
    with site.servers[0].runner() as runner:
        own = json.loads(to_json(survey(runner, vendors()[0]).inventory))
    assert found["db1"]["inventory"]["controllers"] == own["controllers"]
    assert found["db1"]["problems"] == own["problems"]
    assert found["db1"]["complete"] is True


def test_findings_fail_no_task_and_a_failed_claim_does_where_it_is_asked_for(site: Site) -> None:
    """The failed battery of db3 fails no task, a failed claim does.

    One of its volumes is a mirror; the others have RAID 5.
    """
    played = site.play(playbook("Check the storage"))
    audits, claims = played.of("Check the built-in rules"), played.of("Check what was promised")
    assert {one["how"] for one in audits.values()} == {"ok"}, played.printed
    assert "battery_failed" in {one["rule"] for one in audits["db3"]["report"]["hosts"][0]["findings"]}
    assert audits["db3"]["passes"] is False
    assert {name: (one["how"], one["passes"]) for name, one in claims.items()} == {
        "db1": ("ok", True), "db2": ("ok", True), "db3": ("failed", False),
    }  # fmt: skip


def test_check_and_diff_then_the_change_then_nothing(site: Site) -> None:
    """Check mode changes nothing and shows what it would. The second run has changed=0; db2's tools need become."""
    task, hosts = "Half of the cache for reads", "db1,db2"
    both = [f"{name}: {task}" for name in ("db1", "db2")]
    text = playbook("Split the caches")
    before = [site.tools[name].state for name in ("db1", "db2")]
    planned = site.play(text, "--check", "--diff", limit=hosts)
    assert planned.changed() == both, planned.printed
    assert [site.tools[name].state for name in ("db1", "db2")] == before
    assert "--- before: smartarray:1\n+++ after: smartarray:1\n@@ -1 +1 @@\n-cacheratio: 25/75\n+cacheratio: 50/50" in (
        planned.printed
    )
    done = site.play(text, limit=hosts)
    assert done.changed() == both, done.printed
    assert {one["result"] for one in done.of(task).values()} == {"done"}
    assert all(site.tools[name].state != old for name, old in zip(("db1", "db2"), before, strict=True))
    assert all((site.place / "journals" / name / "journal.jsonl").exists() for name in ("db1", "db2"))
    again = site.play(text, limit=hosts)
    assert again.code == 0
    assert not again.changed()
    assert {one["result"] for one in again.of(task).values()} == {"already"}


REFUSED = """
- hosts: db2,db3
  gather_facts: false
  tasks:
    - name: no journal
      raidctl.raid.raid_cache: {target: megaraid:0, write: protected-write-back, mode: connection}
      ignore_errors: true
    - name: unsafe
      raidctl.raid.raid_cache:
        target: megaraid:0
        write: unprotected-write-back
        mode: connection
        state_dir: "{{ raidctl_journals }}/db3"
      ignore_errors: true
    - name: no such object
      raidctl.raid.raid_info: {target: [no-such-object]}
      ignore_errors: true
    - name: no LED
      raidctl.raid.raid_locate: {target: /dev/nvme0n1, demo: nvme, mode: connection}
      ignore_errors: true
    - name: no level
      raidctl.raid.raid_verify_info: {claims: {raid_level: []}}
      ignore_errors: true
    - name: without become
      raidctl.raid.raid_info:
"""


def test_what_is_refused_fails_with_its_reason_and_changes_nothing(site: Site) -> None:
    """Each has a sentence; nothing is changed."""
    before = site.tools["db3"].state
    played = site.play(REFUSED)
    assert not played.changed()
    tasks = ("no journal", "unsafe", "no such object", "no LED", "no level")
    assert {one["how"] for task in tasks for one in played.of(task).values()} == {"failed"}, played.printed
    assert "state_dir" in played.of("no journal")["db3"]["msg"]
    refused = played.of("unsafe")["db3"]
    assert refused["result"] == "refused"
    assert refused["refusals"]
    assert "batter" in refused["msg"].lower()
    assert "no-such-object" in played.of("no such object")["db3"]["msg"]
    assert "cannot be located: the enclosure (SES): the kernel shows no enclosure" in played.of("no LED")["db3"]["msg"]
    assert '"--raid-level" is empty' in played.of("no level")["db3"]["msg"]
    assert site.tools["db3"].state == before
    # its tools are only there for another user
    assert "smartarray" not in families(played.of("without become")["db2"]["inventory"])


INFO = """
- hosts: all
  gather_facts: false
  tasks:
    - name: info
      raidctl.raid.raid_info:
      environment: {MARK: it's set}
"""


def test_hosts_that_fail_are_named_and_the_others_go_on(own_site: Site) -> None:
    """An unreachable host is reported as such. A missing shell and a refused become fail with what was printed."""
    text = "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n"
    denied = executable(own_site.place / "denied-sudo", text)
    own_site.add("fine", through("printf 'Welcome {\\n'; echo motd >&2"))
    own_site.add("closed", "ForceCommand echo This account is closed; exit 1")
    own_site.add("denied", variables=f"ansible_become=true ansible_become_exe={denied}")
    own_site.lines.append(f"gone ansible_host=127.0.0.1 ansible_port={free_port()}")
    played = own_site.play(INFO)
    found = played.of("info")
    assert {name: one["how"] for name, one in found.items()} == {
        "fine": "ok", "closed": "failed", "denied": "failed", "gone": "unreachable",
    }, played.printed  # fmt: skip
    assert "This account is closed" in found["closed"]["msg"]
    assert "sudo password" in found["denied"]["msg"]


OWN_POLICIES = """
- hosts: db1,db3
  gather_facts: false
  tasks:
    - name: audit
      raidctl.raid.raid_audit_info: {policy: "{{ playbook_dir }}/{{ inventory_hostname }}.toml"}
"""


def test_a_policy_that_is_missing_fails_its_host_alone(site: Site) -> None:
    """With the path in its message; the other host is audited."""
    (site.place / "db1.toml").write_text('raid_level = "raid5"\n')
    found = site.play(OWN_POLICIES).of("audit")
    assert {name: one["how"] for name, one in found.items()} == {"db1": "ok", "db3": "failed"}
    assert "db3.toml" in found["db3"]["msg"]


CUT = """#!/bin/sh
case "$*" in *cacheratio=*) ;; *) exec {tool} "$@" ;; esac
{tool} "$@"
parent=$PPID
until [ "$(cat /proc/$parent/comm)" = sshd ]; do parent=$(ps -o ppid= -p "$parent" | tr -d ' '); done
kill -KILL "$parent"
"""
"""A tool whose change takes effect, and ends the connection."""


def test_a_connection_that_breaks_in_a_change_leaves_the_change(own_site: Site) -> None:
    """A change whose connection breaks is called neither done nor unreachable.

    The machine has changed, and could not be read again.
    """
    tools = install("p400", own_site.place / "db1")
    before = tools.state
    place = own_site.place / "cut"
    place.mkdir()
    executable(place / "hpacucli", CUT.format(tool=tools.programs / "hpacucli"))
    variables = f"storage_controller=smartarray:1 raidctl_journals={own_site.place}/journals"
    own_site.add("db1", through(f"PATH={place}:$PATH; export PATH"), variables=variables)
    played = own_site.play(playbook("Split the caches"))
    [found] = played.results
    assert (found["how"], found["result"], found["changed"]) == ("failed", "stands", True), played.printed
    assert tools.state != before
    assert found["msg"]
    # the remedy of the manual, over raidctl's own ssh
    (place / "hpacucli").unlink()
    (place / "hpacucli").symlink_to(tools.programs / "hpacucli")
    client, words = program("ssh", "openssh-client"), f"-F {own_site.place}/db1/config -o HostName=127.0.0.1"
    executable(place / "ssh", f'#!/bin/sh\nexec {client} {words} "$@"\n')
    journal = own_site.place / "journals" / "db1"
    restored = subprocess.run(
        [PROGRAMS / "raidctl", "--host", "db1", "--state-dir", journal, "restore"],
        env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert tools.state == before


def test_raidctl_on_the_target_needs_no_python_of_ansible(own_site: Site) -> None:
    """The same works over the shell alone. An LED blinks until switched off, and the second run changes nothing."""
    # the interpreter that Ansible would use does not exist
    variables = "drive=smartarray:1/2I:1:1 storage_controller=smartarray:1 ansible_python_interpreter=/nonexistent"
    own_site.add("db1", variables=variables)
    on_target = {"mode": "target", "executable": str(PROGRAMS / "raidctl"), "demo": "p400",
                 "state_dir": "{{ playbook_dir }}/state"}  # fmt: skip
    defaults = {"module_defaults": {"group/raidctl.raid.all": on_target}}
    tasks = [
        {"name": "look", "raidctl.raid.raid_info": {}},
        {"name": "set", "raidctl.raid.raid_cache": {"target": "smartarray:1", "split": "50/50"}},
        {"name": "end", "raidctl.raid.raid_locate": {"state": "off"}},
    ]
    blink, rest = playbook("Find a drive", **defaults), playbook("Find a drive", **defaults, tasks=tasks)
    assert own_site.play(blink, "--check").changed() == ["db1: Let it blink"]
    try:
        done = own_site.play(blink + blink.replace("Let it blink", "Again"))
        assert done.changed() == ["db1: Let it blink"], done.printed
        assert [one["on"] for one in done.of("Let it blink")["db1"]["targets"]] == [True]
    finally:
        off = own_site.play(rest)
    assert off.changed() == ["db1: end", "db1: set"], off.printed
    assert families(off.of("look")["db1"]["inventory"]) == {"smartarray"}
    again = own_site.play(rest)
    assert (again.code, again.changed()) == (0, []), again.printed


SPECS = """
import json, sys
from importlib import import_module
from ansible.utils.collection_loader._collection_finder import _AnsibleCollectionFinder
_AnsibleCollectionFinder(paths=[sys.argv[1]])._install()
for name in sys.argv[2:]:
    action = import_module(f"ansible_collections.raidctl.raid.plugins.action.{name}").ActionModule
    print(json.dumps([name, action.spec()]))
"""
"""A script that prints the argument specs of action plugins. It runs in a separate process, because Ansible changes how
modules are imported."""


def _facts(options: dict[str, dict[str, object]]) -> dict[str, object]:
    """What documentation and argument spec must agree on."""
    return {
        name: (
            one.get("type", "str"), one.get("elements"), one.get("default"), one.get("choices"),
            bool(one.get("required")), _facts(one.get("suboptions") or one.get("options") or {}),  # type: ignore[arg-type]
        )
        for name, one in options.items()
    }  # fmt: skip


def test_the_documented_options_are_those_that_are_taken(own_site: Site) -> None:
    """Names, types, defaults and choices; every module has examples and return values."""
    path = own_site.place / "collections"
    names = sorted(one.stem for one in (path / "ansible_collections/raidctl/raid/plugins/modules").glob("*.py"))
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(path), "ANSIBLE_HOME": str(own_site.place / "home")}
    documented = subprocess.run(
        [PROGRAMS / "ansible-doc", "-j", *(f"raidctl.raid.{name}" for name in names)],
        capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    taken = subprocess.run(
        [sys.executable, "-c", SPECS, str(path), *names], capture_output=True, text=True, check=True, env=environment
    )
    pages = json.loads(documented.stdout)
    specs = [json.loads(line) for line in taken.stdout.splitlines()]
    assert [name for name, _ in specs] == names
    for name, spec in specs:
        page = pages[f"raidctl.raid.{name}"]
        assert _facts(page["doc"]["options"]) == _facts(spec), name
        assert page["examples"]
        assert page["return"]


@pytest.mark.skipif(os.geteuid() != 0, reason="the units belong to root")
def test_the_roles_install_what_raidctl_prints_and_only_once(own_site: Site) -> None:
    """The second run changes nothing. Nothing has systemd itself start anything."""
    own_site.lines.append(f"here ansible_connection=local ansible_python_interpreter={sys.executable}")
    (own_site.place / "units").mkdir()
    words = ["-e", f"raid_export_output={own_site.place}/node/raidctl.prom"]
    for role in ("raid_export", "raid_watch"):
        words += ["-e", f"{role}_raidctl={PROGRAMS}/raidctl", "-e", f"{role}_units={own_site.place}/units"]
        words += ["-e", f'{{"{role}_enable": false}}']
    text = playbook("Watch the storage")
    done = own_site.play(text, *words)
    assert done.code == 0, done.printed
    units = {path.name: path.read_text() for path in (own_site.place / "units").iterdir()}
    assert set(units) == {f"raidctl-{name}.{kind}" for name in ("export", "watch") for kind in ("service", "timer")}
    assert f"raidctl export --rules --output {own_site.place}/node/raidctl.prom\n" in units["raidctl-export.service"]
    assert "raidctl watch --once --mail root --alive 604800s\n" in units["raidctl-watch.service"]
    assert all(text.startswith("[Unit]\n") and text.count("[Unit]") == 1 for text in units.values())
    again = own_site.play(text, *words)
    assert (again.code, again.changed()) == (0, []), again.printed
