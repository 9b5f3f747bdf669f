"""The modules of the Ansible collection on real ssh servers: check mode, diff, change, second run, become."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from raidctl.output.json import to_json
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from tests.collection.conftest import PROGRAMS, Site, through
from tests.runners.conftest import free_port

pytestmark = pytest.mark.slow

LOOK = """
- hosts: all
  gather_facts: false
  tasks:
    - name: inventory
      raidctl.raid.raid_info:
      become: "{{ inventory_hostname == 'db2' }}"
    - name: without become
      raidctl.raid.raid_info:
      when: inventory_hostname == 'db2'
    - name: rules
      raidctl.raid.raid_audit_info:
      become: "{{ inventory_hostname == 'db2' }}"
    - name: claims
      raidctl.raid.raid_verify_info:
        target: "{{ 'megaraid:0' if inventory_hostname == 'db3' else 'smartarray:1' }}"
        claims: {battery: true}
      become: "{{ inventory_hostname == 'db2' }}"
"""


def test_what_is_there_is_that_of_raidctl_itself(site: Site) -> None:
    """The inventory is complete and equal to that over raidctl's own ssh; findings and claims fail no task."""
    played = site.play(LOOK)
    assert played.code == 0, played.printed
    assert not played.changed()
    found = played.of("inventory")
    assert set(found) == {"db1", "db2", "db3"}
    families = {name: [one["id"].partition(":")[0] for one in found[name]["inventory"]["controllers"]] for name in found}
    assert all("smartarray" in families[name] for name in ("db1", "db2"))
    assert "megaraid" in families["db3"]
    with site.servers[0].runner() as runner:
        own = json.loads(to_json(survey(runner, vendors()[0]).inventory))
    assert found["db1"]["inventory"]["controllers"] == own["controllers"]
    assert found["db1"]["problems"] == own["problems"]
    assert found["db1"]["complete"] is True
    # its tools are only found as another user
    unseen = played.of("without become")["db2"]["inventory"]
    assert "smartarray" not in [one["id"].partition(":")[0] for one in unseen["controllers"]]
    assert played.of("rules")["db3"]["passes"] is False
    assert {one["rule"] for one in played.of("rules")["db3"]["report"]["hosts"][0]["findings"]}
    assert (played.of("claims")["db1"]["passes"], played.of("claims")["db3"]["passes"]) == (True, False)


SPLIT = """
- hosts: all
  gather_facts: false
  tasks:
    - name: split
      raidctl.raid.raid_cache:
        target: smartarray:1
        split: 50/50
        mode: connection
        state_dir: "{{ playbook_dir }}/journal/{{ inventory_hostname }}"
      become: "{{ inventory_hostname == 'db2' }}"
"""


def test_check_and_diff_then_the_change_then_nothing(site: Site) -> None:
    """Check mode changes nothing and shows what it would; the second run has changed=0."""
    hosts = "db1,db2"
    before = [site.tools[name].state for name in ("db1", "db2")]
    planned = site.play(SPLIT, "--check", "--diff", limit=hosts)
    assert planned.changed() == ["db1: split", "db2: split"], planned.printed
    assert [site.tools[name].state for name in ("db1", "db2")] == before
    assert "-cacheratio: 25/75" in planned.printed
    assert "+cacheratio: 50/50" in planned.printed
    done = site.play(SPLIT, limit=hosts)
    assert done.changed() == ["db1: split", "db2: split"], done.printed
    assert {one["result"] for one in done.of("split").values()} == {"done"}
    assert all(site.tools[name].state != old for name, old in zip(("db1", "db2"), before, strict=True))
    assert all((site.place / "journal" / name / "journal.jsonl").exists() for name in ("db1", "db2"))
    again = site.play(SPLIT, limit=hosts)
    assert again.code == 0
    assert not again.changed()
    assert {one["result"] for one in again.of("split").values()} == {"already"}


REFUSED = """
- hosts: db3
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
        state_dir: "{{ playbook_dir }}/journal/db3"
      ignore_errors: true
    - name: no such object
      raidctl.raid.raid_info: {target: [no-such-object]}
      ignore_errors: true
"""


def test_what_is_refused_fails_with_its_reason_and_changes_nothing(site: Site) -> None:
    """Each has a sentence; nothing is changed."""
    before = site.tools["db3"].state
    played = site.play(REFUSED)
    assert not played.changed()
    assert {one["how"] for one in played.results} == {"failed"}, played.printed
    assert "state_dir" in played.of("no journal")["db3"]["msg"]
    refused = played.of("unsafe")["db3"]
    assert refused["result"] == "refused"
    assert refused["refusals"]
    assert "batter" in refused["msg"].lower()
    assert "no-such-object" in played.of("no such object")["db3"]["msg"]
    assert site.tools["db3"].state == before


INFO = """
- hosts: all
  gather_facts: false
  tasks:
    - name: info
      raidctl.raid.raid_info:
      environment: {MARK: it's set}
"""


def test_hosts_that_fail_are_named_and_the_others_go_on(own_site: Site) -> None:
    """An unreachable host is unreachable; no shell, and a refused become, fail with what was printed."""
    denied = own_site.place / "sudo"
    denied.write_text("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    denied.chmod(0o755)
    own_site.add("fine", through("printf 'Welcome {\\n'; echo motd >&2"))
    own_site.add("closed", "ForceCommand echo This account is closed; exit 1")
    become = f"ansible_become=true ansible_become_user=storage ansible_become_exe={denied}"
    own_site.add("denied", variables=become)
    own_site.lines.append(f"gone ansible_host=127.0.0.1 ansible_port={free_port()}")
    played = own_site.play(INFO)
    found = played.of("info")
    assert {name: one["how"] for name, one in found.items()} == {
        "fine": "ok", "closed": "failed", "denied": "failed", "gone": "unreachable",
    }, played.printed  # fmt: skip
    assert "This account is closed" in found["closed"]["msg"]
    assert "sudo password" in found["denied"]["msg"]


TARGET = """
- hosts: all
  gather_facts: false
  module_defaults:
    group/raidctl.raid.all:
      mode: target
      executable: {program}
      demo: "{{{{ machine | default('p400') }}}}"
      state_dir: "{{{{ playbook_dir }}}}/state"
  tasks:
    - name: there
      raidctl.raid.raid_info:
    - name: set
      raidctl.raid.raid_cache: {{target: smartarray:1, split: 50/50}}
    - name: blink
      raidctl.raid.raid_locate: {{target: {drive}, duration: 10m}}
      when: blinking | default(true)
    - name: end
      raidctl.raid.raid_locate: {{state: "off"}}
      when: not (blinking | default(true))
"""


def test_raidctl_on_the_target_needs_no_python_of_ansible(own_site: Site) -> None:
    """The same over the shell alone; an LED blinks until it is switched off, and each second run changes nothing."""
    # the interpreter that Ansible would use does not exist
    own_site.add("db1", variables="ansible_python_interpreter=/nonexistent")
    drive = "smartarray:1/2I:1:1"
    text = TARGET.format(program=PROGRAMS / "raidctl", drive=drive)
    planned = own_site.play(text, "--check", "--diff")
    assert planned.changed() == ["db1: blink", "db1: set"], planned.printed
    try:
        done = own_site.play(text)
        assert done.changed() == ["db1: blink", "db1: set"], done.printed
        assert [one["on"] for one in done.of("blink")["db1"]["targets"]] == [True]
        again = own_site.play(text)
        assert not again.changed(), again.printed
    finally:
        off = own_site.play(text, "-e", '{"blinking": false}')
    assert off.changed() == ["db1: end"], off.printed


SPECS = """
import json, sys
from importlib import import_module
from ansible.utils.collection_loader._collection_finder import _AnsibleCollectionFinder
_AnsibleCollectionFinder(paths=[sys.argv[1]])._install()
for name in sys.argv[2:]:
    action = import_module(f"ansible_collections.raidctl.raid.plugins.action.{name}").ActionModule
    print(json.dumps([name, action.spec()]))
"""
"""Prints the argument specs of action plugins, in a process of its own: Ansible has its way with imports."""


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
    """Names, types, defaults and choices."""
    path = own_site.place / "collections"
    names = sorted(one.stem for one in (path / "ansible_collections/raidctl/raid/plugins/modules").glob("*.py"))
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(path), "ANSIBLE_HOME": str(own_site.place / "home")}
    documented = subprocess.run(
        [Path(PROGRAMS) / "ansible-doc", "-j", *(f"raidctl.raid.{name}" for name in names)],
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
