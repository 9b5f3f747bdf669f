"""Which hosts ``--hosts`` names: lists, files, Ansible inventories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from raidctl.cli import cli
from raidctl.errors import UsageError
from raidctl.fleet.hosts import Host, file_names, of_text, of_words

INI = """
# the database servers
db[1:2]  ansible_user=admin
10.0.0.9

[web]
web-a ansible_host=10.0.0.5 ansible_port=2222   # moved
web-b

[site:children]
web

[site:vars]
ansible_user=deploy
ansible_become=true
ansible_ssh_common_args='-o ProxyJump=bastion'

[web:vars]
ansible_user = "web"
"""
YAML = """
all:
  hosts:
    db[1:2]: {ansible_user: admin}
    10.0.0.9:
  children:
    site:
      vars: {ansible_user: deploy, ansible_become: true, ansible_ssh_common_args: -o ProxyJump=bastion}
      children:
        web:
          vars: {ansible_user: web, secret: !vault x}
          hosts:
            web-a: {ansible_host: 10.0.0.5, ansible_port: 2222}
            web-b:
"""
SITE = {"ansible_user": "web", "ansible_become": True, "ansible_ssh_common_args": "-o ProxyJump=bastion"}
JSON = json.dumps(
    {
        "_meta": {
            "hostvars": {
                "db1": {"ansible_user": "admin"},
                "db2": {"ansible_user": "admin"},
                "web-a": SITE | {"ansible_host": "10.0.0.5", "ansible_port": 2222},
                "web-b": SITE,
            }
        },
        "all": {"children": ["ungrouped", "site"]},
        "ungrouped": {"hosts": ["db1", "db2", "10.0.0.9"]},
        "site": {"children": ["web"]},
        "web": {"hosts": ["web-a", "web-b"]},
    }
)
JUMP = ("-o", "ProxyJump=bastion")
EXPECTED = {
    Host("db1", "admin@db1"),
    Host("db2", "admin@db2"),
    Host("10.0.0.9", "10.0.0.9"),
    Host("web-a", "ssh://web@10.0.0.5:2222", JUMP, sudo=True),
    Host("web-b", "web@web-b", JUMP, sudo=True),
}


@pytest.mark.parametrize(
    ("text", "name"), [(INI, "hosts"), (YAML, "hosts.yml"), (JSON, "-")], ids=["ini", "yaml", "json"]
)
def test_the_forms_of_an_inventory_mean_the_same(text: str, name: str) -> None:
    """Groups, children, ranges and variables; the innermost value of a variable counts."""
    assert set(of_text(text, name).hosts) == EXPECTED


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("web", ["web-a", "web-b"]), ("site", ["web-a", "web-b"]), ("ungrouped", ["db1", "db2", "10.0.0.9"]),
        ("all,!web", ["db1", "db2", "10.0.0.9"]), ("!web,!db1", ["db2", "10.0.0.9"]), ("site,&*-b", ["web-b"]),
        ("all:!web", ["db1", "db2", "10.0.0.9"]), ("site:&*-b", ["web-b"]),
        ("web-b, db?", ["db1", "db2", "web-b"]), ("we*", ["web-a", "web-b"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("text", "name"), [(INI, "hosts"), (YAML, "hosts.yml"), (JSON, "-")], ids=["ini", "yaml", "json"]
)
def test_groups_and_hosts_of_an_inventory_can_be_chosen(text: str, name: str, limit: str, expected: list[str]) -> None:
    """As Ansible's --limit does: groups with their children, hosts, patterns, and exclusions."""
    chosen = of_text(text, name, limit).hosts
    assert sorted(host.name for host in chosen) == sorted(expected)
    assert set(chosen) <= EXPECTED


@pytest.mark.parametrize(
    ("limit", "words"),
    [("wbe", '"wbe"; did you mean web'), ("web,dbl", '"dbl"; did you mean db'), ("web,!wbe", "did you mean web"),
     ("web,!web", "selects no host"), ("", "selects no host"), (",", "selects no host"), ("!", "no group")],
)  # fmt: skip
def test_a_limit_that_names_nothing_is_refused(limit: str, words: str) -> None:
    """It never means all hosts, nor silently none. Similar names are suggested."""
    with pytest.raises(UsageError, match=words):
        of_text(INI, "hosts", limit)
    if words == "selects no host" and "web" not in limit:
        with pytest.raises(UsageError, match=words):
            of_words("a,b", limit)


def test_the_command_refuses_a_limit_without_hosts(tmp_path: Path) -> None:
    """A limit without hosts is refused with exit code 2.

    So is one with a command that reads one machine, or for a group that does not exist.
    """
    (tmp_path / "hosts").write_text(INI)
    for words, sentence in (
        (["show", "--limit", "web"], "--limit needs --hosts"),
        (["audit", "--builtin", "--limit", "web"], "--limit needs --hosts"),
        (["audit", "--builtin", "--limit", "web", str(tmp_path)], "--limit needs --hosts"),
        (["--limit", "web", "tasks"], "--limit is for show"),
        (["--hosts", str(tmp_path / "hosts"), "--limit", "wbe", "show"], "did you mean web?"),
        (["--hosts", str(tmp_path / "hosts"), "--limit", "wbe", "audit", "--builtin"], "did you mean web?"),
    ):
        done = CliRunner().invoke(cli, words)
        assert (done.exit_code, sentence in done.stderr) == (2, True), (words, done.stderr)


def test_a_plain_list_is_asked_in_its_order_and_each_host_once() -> None:
    """Comments and empty lines are not hosts."""
    found = of_text("b\n\n# c\na  # rack 7\nroot@c\nssh://me@d:22\nb\n", "hosts.txt").hosts
    assert [host.destination for host in found] == ["b", "a", "root@c", "ssh://me@d:22"]
    assert [host.name for host in of_words("b,a, b,c:2222").hosts] == ["b", "a", "c:2222"]
    assert of_words("c:2222").hosts[0].destination == "ssh://c:2222"
    assert of_words("[2001:db8::2]:2022").hosts[0].destination == "ssh://[2001:db8::2]:2022"


def test_two_names_of_one_machine_are_two_hosts() -> None:
    """Hosts are distinguished by the given name, also in file names."""
    found = of_text("a ansible_host=10.0.0.1\nb ansible_host=10.0.0.1\n", "x").hosts
    assert [host.name for host in found] == ["a", "b"]
    assert file_names(found) == {"a": "a", "b": "b"}
    assert file_names(of_words("ssh://a:1,../../x").hosts) == {"ssh://a:1": "ssh_a_1", "../../x": "_.._x"}
    with pytest.raises(UsageError, match="same file name"):
        file_names(of_words("a:1,a_1").hosts)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("a ansible_connection=local", "ansible_connection is local"),
        ("a ansible_host='{{ address }}'", "ansible_host is a template"),
        ("a ansible_port=abc", "port is abc, which is not a port number"),
        ("a:99999", "port is 99999"),
        ("a ansible_become=yes ansible_become_method=doas", "sudo"),
        ("a ansible_become=yes ansible_become_user=storage", "sudo"),
    ],
)
def test_a_host_that_needs_something_else_is_refused_alone(line: str, word: str) -> None:
    """It is never reached otherwise than the inventory requires. The other hosts are still reached."""
    first, second = of_text(f"{line}\nb\n", "x").hosts
    assert word in (first.refused or "")
    assert second.refused is None


def test_passwords_are_not_used_and_that_is_reported() -> None:
    """A user who relies on a password learns why the login fails."""
    notes = " ".join(of_text("a ansible_password=x ansible_become_password=y\n", "x").notes)
    assert "keys" in notes
    assert "sudo" in notes


@pytest.mark.parametrize(
    ("text", "name", "word"),
    [
        ("db[9:1]\n", "x", "not a range"),
        ("db[1:100001]\n", "x", "more than 100,000 hosts"),
        (f"db[0:{'9' * 40}]\n", "x", "more than 100,000 hosts"),
        ("a b\n", "x", "x:1"),
        ("a 'b\n", "x", "x:1"),
        ("a\n[web\nb\n", "x", "x:2: this is not a group"),
        ("[[rule]]\nname=3\n", "x", "x:1: this is not a group"),
        ("a\nname=3\n", "x", 'x:2: "name=3" is not a host'),
        ("a,b\n", "x", 'x:1: "a,b" is not a host'),
        ("", "x", "names no host"),
        ("a:\n  - b: [\n", "x.yml", "x.yml:3"),
        ("- a\n- b\n", "x.yml", "not an inventory"),
        ("all: {hots: {a: }}\n", "x.yml", "not understood"),
        ("all: {hosts: 5}\n", "x.yml", "all has hosts or children that are not names"),
        ("all: {hosts: {a: }, vars: x}\n", "x.yml", "variables of all"),
        ("all: {hosts: {a: x}}\n", "x.yml", "variables of a"),
        ('{"_meta": {"hostvars": {"a": 3}}, "all": ["a"]}', "x.json", "variables of a"),
        ("[a:children]\nb\n[b:children]\na\n[a]\nh\n", "x", "contains itself"),
    ],
)
def test_what_cannot_be_understood_is_refused(text: str, name: str, word: str) -> None:
    """The message names the line, if there is one. A part of the hosts is never taken for all."""
    with pytest.raises(UsageError, match=word):
        of_text(text, name)


def test_a_single_name_is_one_host_or_one_group() -> None:
    """As Ansible reads it. It was read as one host per letter."""
    assert [host.name for host in of_text("all: {hosts: db1}\n", "x.yml").hosts] == ["db1"]
    found = of_text("all: {children: web}\nweb: {hosts: {w1: }}\n", "x.yml")
    assert [host.name for host in found.hosts] == ["w1"]


@given(st.text(max_size=80), st.sampled_from(["x", "x.yml", "x.json"]))
def test_any_text_is_read_without_a_crash(text: str, name: str) -> None:
    """Each host once, or a sentence."""
    try:
        found = of_text(text, name).hosts
    except UsageError:
        return
    assert len({host.name for host in found}) == len(found) > 0
