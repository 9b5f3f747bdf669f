"""``raidctl export`` for Prometheus and node_exporter."""

from __future__ import annotations

import contextlib
import json
import resource
import select
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from raidctl import model
from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.errors import UsageError
from raidctl.model import Inventory
from raidctl.output.http_server import CONNECTIONS, Page, Probes, Refresher, _server, address
from raidctl.output.json import schema
from raidctl.output.metrics import Export, families
from raidctl.output.metrics_table import INVENTORY, of_rules, of_scan, seconds
from raidctl.output.prometheus import number, text
from tests.output.inventories import DEGRADED, EVERY, HEALTHY
from tests.support.command_line import command_line
from tests.support.machines import FIXTURES, MACHINES, replayed
from tests.support.processes import serving

run = command_line()

Series = dict[tuple[str, frozenset[tuple[str, str]]], float]
HOSTILE_TEXT = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    ['"', "\\", "\n", '\\"', "a\x00b", "}", "\ud800"]
)


def written(inventory: Inventory) -> str:
    """All metrics of an inventory, as text."""
    return text(families([*INVENTORY, of_scan(0.25), *of_rules(diagnose(inventory, rules()))], inventory))


def series(exposition: str) -> Series:
    """Every series as the Prometheus client library parses it. Duplicates are an error."""
    found: Series = {}
    for family in text_string_to_metric_families(exposition):
        assert family.type == "gauge"
        assert family.documentation
        for sample in family.samples:
            key = (sample.name, frozenset(sample.labels.items()))
            assert key not in found
            found[key] = sample.value
    return found


def value(found: Series, name: str, **labels: str) -> float | None:
    """The value of a series, or None."""
    return found.get((f"raidctl_{name}", frozenset(labels.items())))


def promtool(*words: str | Path, given: str = "") -> tuple[int, str]:
    """Exit code and output of Prometheus's own checker. A missing checker is an error (``tests/run`` installs it)."""
    argv = ["promtool", *map(str, words)]
    done = subprocess.run(argv, input=given.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode("utf-8")


def documented(mark: str, path: Path) -> Path:
    """Write a block of the manual to a file. The block follows a mark."""
    page = (FIXTURES.parent / "docs" / "export.md").read_text(encoding="utf-8")
    path.write_text(page.split(f"<!-- {mark} -->\n```yaml\n")[1].split("```")[0], encoding="utf-8")
    return path


@pytest.mark.slow  # needs a Debian package
def test_promtool_accepts_every_machine() -> None:
    """Names, units, help and escapes of every machine follow the conventions."""
    for machine in MACHINES:
        assert promtool("check", "metrics", given=written(replayed(machine).inventory)) == (0, ""), machine


@pytest.mark.slow  # as above
def test_the_documented_configuration_is_valid(tmp_path: Path) -> None:
    """The configurations of the manual are valid."""
    for mark in ("scrape", "probe"):
        code, output = promtool("check", "config", "--syntax-only", documented(mark, tmp_path / "prometheus.yml"))
        assert code == 0, output


@pytest.mark.slow  # as above
def test_promtool_accepts_every_metric() -> None:
    """Every metric is checked, because each has a series here."""
    samples = [f"# HELP {one.name} {one.help}\n# TYPE {one.name} gauge\n{one.name} 1\n" for one in every_metric()]
    assert promtool("check", "metrics", given="".join(samples)) == (0, "")


def every_metric() -> list[Any]:
    """All metrics."""
    return [*INVENTORY, of_scan(0.0), *of_rules(diagnose(HEALTHY, rules()))]


def test_no_two_metrics_have_the_same_name() -> None:
    """Each metric has its own name."""
    names = [metric.name for metric in every_metric()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine_is_parsed_by_the_client_library(machine: str) -> None:
    """Labels distinguish all series. Each controller, volume and drive has an info series."""
    inventory = replayed(machine).inventory
    found = series(written(inventory))
    controllers = inventory.controllers
    drives = [drive for controller in controllers for drive in controller.drives]
    expected = {
        "controller": {controller.id for controller in controllers},
        "volume": {volume.id for controller in controllers for volume in controller.volumes},
        "drive": {drive.id for drive in drives if not drive.backing},
        "member": {drive.id for drive in drives if drive.backing},
    }
    for kind, ids in expected.items():
        assert {dict(labels)[kind] for name, labels in found if name == f"raidctl_{kind}_info"} == ids


def test_figures_are_in_base_units() -> None:
    """Values are in base units. These are bytes, ratios from 0 to 1, seconds, degrees Celsius and bytes per second."""
    found = series(written(HEALTHY))
    drive = HEALTHY.controllers[0].drives[0]
    assert value(found, "cache_size_bytes", controller="smartarray:1") == 512 * 1024**2
    assert value(found, "cache_read_ratio", controller="smartarray:1") == 0.25
    assert value(found, "drive_temperature_celsius", drive=drive.id) == drive.temperature_celsius
    assert value(found, "drive_link_bytes_per_second", drive=drive.id) == 750_000_000
    assert value(found, "collected_timestamp_seconds") == 1772600767
    assert value(found, "scan_duration_seconds") == 0.25


def test_a_status_has_one_series_per_word() -> None:
    """A status has one series per word. Only the current one is 1."""
    found = series(written(DEGRADED))
    states = {
        dict(labels)["status"]: held for (name, labels), held in found.items() if name == "raidctl_battery_status"
    }
    assert {word for word, held in states.items() if held} == {"failed"}
    assert set(states) == {"ok", "charging", "learning", "degraded", "failed", "missing", "unknown"}


def test_unknown_values_have_no_series() -> None:
    """An unknown value has no series instead of a 0."""
    found = series(written(DEGRADED))
    silent = next(drive for drive in DEGRADED.controllers[0].drives if drive.temperature_celsius is None)
    assert value(found, "drive_temperature_celsius", drive=silent.id) is None
    assert value(found, "drive_errors", drive=silent.id, kind="media") == 12
    assert value(found, "drive_errors", drive=silent.id, kind="other") is None
    (info,) = (
        dict(labels) for name, labels in found if name == "raidctl_drive_info" and ("drive", silent.id) in labels
    )
    assert "device" not in info
    assert info["serial"] == silent.serial


def test_what_could_not_be_read_is_counted() -> None:
    """Each kind of problem has a series, 0 if there is none. Here two controllers have no tool."""
    done = run("--replay", FIXTURES / "host-raid-card-no-tool", "export")
    found = series(done.stdout)
    assert value(found, "problems", kind="no_tool") == 2
    assert value(found, "problems", kind="unread") == 0
    assert done.exit_code == 4
    assert done.stderr


def test_rules_adds_the_findings() -> None:
    """``--rules`` adds the findings of ``diagnose``."""
    words = ("--replay", FIXTURES / "areca-arc1210")
    without, given_ = (series(run(*words, "export", *more).stdout) for more in ((), ("--rules",)))
    assert not [name for name, _ in without if name.startswith("raidctl_rule")]
    found = json.loads(run(*words, "--json", "diagnose").stdout)
    exported = {
        (row["rule"], row["object"], row["outcome"])
        for name, labels in given_
        if name == "raidctl_rule_finding" and (row := dict(labels))
    }
    diagnosed = [*found["findings"], *found["unknown"]]
    assert exported == {(one["rule"], one["where"], one["outcome"]) for one in diagnosed}
    assert value(given_, "rule_checks") == found["checked"]


@pytest.mark.parametrize("machine", MACHINES)
def test_each_finding_has_a_series(machine: str) -> None:
    """Two faults of one object are two series; only rules with a topic have several findings on one object."""
    whole = replayed(machine).inventory
    more = tuple(
        model.Problem("error", one.id, f"{part}: failed.", kind="state")
        for one in whole.controllers for part in ("Fan 3", "Fan 4")
    )  # fmt: skip
    found = diagnose(msgspec.structs.replace(whole, problems=(*whole.problems, *more)), rules())
    listed = [*found.findings, *found.unknown]
    (metric,) = [one for one in of_rules(found) if one.name == "raidctl_rule_finding"]
    families_ = families([metric], whole)
    assert sum(len(family.samples) for family in families_) == len(listed)


@given(HOSTILE_TEXT)
@hypothesis_settings(deadline=None)
def test_no_text_of_hardware_breaks_the_format(nasty: str) -> None:
    """Quotes, backslashes, line ends and surrogates are escaped or replaced. Other text is unchanged."""
    controller = HEALTHY.controllers[0]
    host = msgspec.structs.replace(HEALTHY.host, hostname=nasty)
    twins = tuple(msgspec.structs.replace(drive, id=nasty, model=nasty) for drive in controller.drives)
    hostile = msgspec.structs.replace(
        HEALTHY, host=host, controllers=(msgspec.structs.replace(controller, model=nasty, drives=twins),)
    )
    found = series(written(hostile))
    (info,) = (dict(labels) for name, labels in found if name == "raidctl_controller_info")
    if nasty.isprintable():
        assert info.get("model", "") == nasty


def test_labels_are_added_to_each_series() -> None:
    """Labels of the command line are escaped. A reserved or invalid name is wrong usage."""
    words = ("--replay", FIXTURES / "areca-arc1210", "export", "--rules")
    plain, labelled = (
        series(run(*words, *more).stdout) for more in ((), ("--label", "host=db7", "--label", 'rack=a"1'))
    )
    more = frozenset({("host", "db7"), ("rack", 'a"1')})
    timed = {"raidctl_scan_duration_seconds"}
    assert {(name, labels | more) for name, labels in plain} == set(labelled)
    assert {key[0] for key, found in labelled.items() if plain[key[0], key[1] - more] != found} <= timed
    for wrong in ("host", "=x", "1a=x", "drive=x", "object=x", "__name__=x", "because=x"):
        assert run(*words, "--label", wrong).exit_code == 2


def test_json_follows_its_schema() -> None:
    """``export --json`` has the same metrics, and ``raidctl schema export`` describes it."""
    words = ("--replay", FIXTURES / "smartarray-gen9-degraded", "export")
    data = json.loads(run("--json", *words).stdout)
    jsonschema.Draft202012Validator(schema("Export", Export)).validate(data)
    names = {family.name for family in text_string_to_metric_families(run(*words).stdout)}
    assert {one["name"] for one in data["metrics"]} == names
    assert json.loads(run("schema", "export").stdout)["title"] == "Export of raidctl"


@pytest.mark.parametrize("inventory", EVERY.values(), ids=EVERY)
def test_figures_survive_the_text(inventory: Inventory) -> None:
    """Each value is parsed back unchanged."""
    metrics = families(INVENTORY, inventory)
    found = series(text(metrics))
    for family in metrics:
        for sample in family.samples:
            assert found[family.name, frozenset(sample.labels.items())] == sample.value


def test_whole_numbers_have_no_point() -> None:
    """Whole numbers have no decimal point, and large ones keep all digits."""
    assert [number(one) for one in (2**60 + 1, 3.0, 0.1, True)] == [str(2**60 + 1), "3", "0.1", "1"]


def test_a_time_without_a_zone_is_unknown() -> None:
    """A time without a zone has no value. It could be any time."""
    assert [seconds(one) for one in ("2026-03-04T05:06:07Z", "2026-03-04T05:06:07", "soon", None)] == [
        1772600767, None, None, None,
    ]  # fmt: skip


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    """The file is readable by the exporter's user. Nothing is left beside it, and a symlink stays one."""
    real, link = tmp_path / "real.prom", tmp_path / "raidctl.prom"
    real.write_text("old\n", encoding="utf-8")
    link.symlink_to(real)
    before = real.stat().st_ino
    done = run("--replay", FIXTURES / "md-healthy", "export", "--output", link)
    assert (done.exit_code, done.stdout) == (0, "")
    assert value(series(real.read_text(encoding="utf-8")), "problems", kind="unread") == 0
    assert real.stat().st_ino != before, "it was written in place"
    assert real.stat().st_mode & 0o777 == 0o644
    assert {path.name for path in tmp_path.iterdir()} == {"real.prom", "raidctl.prom"}
    assert link.is_symlink()


def test_a_failed_scan_keeps_the_old_file(tmp_path: Path) -> None:
    """A failed scan leaves the old file, whose timestamp shows its age."""
    path = tmp_path / "raidctl.prom"
    path.write_text("old\n", encoding="utf-8")
    assert run("--host", "raidctl-no-such-host.invalid", "export", "--output", path).exit_code == 8
    assert path.read_text(encoding="utf-8") == "old\n"


def test_a_reading_without_contents_replaces_the_old_file(tmp_path: Path) -> None:
    """If a reading found nothing but problems, the file counts these instead of the old drives."""
    path, strange = tmp_path / "raidctl.prom", tmp_path / "strange.txt"
    path.write_text("old\n", encoding="utf-8")
    strange.write_text("no output of a tool\n", encoding="utf-8")
    assert run("--replay", strange, "export", "--output", path).exit_code == 3
    assert value(series(path.read_text(encoding="utf-8")), "problems", kind="unread") == 1


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """The reason is printed, and the exit code is 3."""
    done = run("--replay", FIXTURES / "md-healthy", "export", "--output", tmp_path / "none" / "x.prom")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "cannot be written: No such file or directory" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--output", "x", "--listen", "0"),
        ("--interval", "5"),
        ("--json", "--listen", "0"),
        ("--listen", "somewhere"),
        ("--listen", "1:2:3"),
        ("--listen", "70000"),
    ],
)
def test_options_that_exclude_each_other_are_wrong_usage(words: tuple[str, ...]) -> None:
    """The exit code is 2, and no machine is read."""
    assert run("--demo", "p440", "export", *words).exit_code == 2


def test_a_port_alone_is_one_of_the_loopback() -> None:
    """A port without a host listens on the loopback address only."""
    wanted = {
        "9809": ("127.0.0.1", 9809), ":9809": ("127.0.0.1", 9809), "0.0.0.0:1": ("0.0.0.0", 1),  # noqa: S104 - as asked
        "[::1]:9809": ("::1", 9809), "localhost:0": ("localhost", 0),
    }  # fmt: skip
    assert {word: address(word) for word in wanted} == wanted
    with pytest.raises(UsageError):
        address("::1:9809")


def probes_of(scan: Callable[[str], Page], *targets: str, interval: float = 600) -> Probes:
    """Pages of some targets."""
    return Probes(scan, targets, interval)


def test_simultaneous_requests_of_a_target_share_a_scan() -> None:
    """Two requests share one scan. Another target is scanned meanwhile, and pages are reused in the interval."""
    begun, go_on, scans = threading.Event(), threading.Event(), []

    def scan(target: str) -> Page:
        scans.append(target)
        if target == "db1":
            begun.set()
            assert go_on.wait(60)
        return Page(target.encode(), "text/plain")

    probes = probes_of(scan, "db1", "db2")
    pages: list[Page] = []
    asking = [threading.Thread(target=lambda: pages.append(probes.page("target=db1"))) for _ in range(2)]
    for one in asking:
        one.start()
    assert begun.wait(60)
    assert probes.page("target=db2").body == b"db2"
    go_on.set()
    for one in asking:
        one.join()
    assert [page.body for page in (*pages, probes.page("target=db1"))] == [b"db1"] * 3
    assert sorted(scans) == ["db1", "db2"]
    again = probes_of(scan, "db2", interval=0)
    assert [again.page("target=db2").status for _ in range(2)] == [200, 200]
    assert scans.count("db2") == 3


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 400), ("target=", 400), ("target=a&target=b", 400), ("host=a", 400), ("target=c", 403),
     ("target=root%40a", 403), ("target=a%20-oProxyCommand=x", 403), ("target=a", 200)],
)  # fmt: skip
def test_only_targets_of_the_list_are_read(query: str, status: int) -> None:
    """Any target outside the list is refused without a connection."""
    read: list[str] = []

    def scan(target: str) -> Page:
        read.append(target)
        return Page(b"", "text/plain")

    probes = probes_of(scan, "a", "b")
    assert probes.page(query).status == status
    assert read == ["a"] * (status == 200)


def test_targets_over_http(tmp_path: Path) -> None:
    """An unreachable host is a failed scrape, an unlisted one is refused. raidctl has its own page."""
    hosts = tmp_path / "hosts"
    hosts.write_text("# two\nroot@raidctl-no-such-host.invalid\ndb[1:2]  # the first\nhere ansible_connection=local\n")
    words = ["export", "--listen", "0", "--targets", str(hosts), "--timeout", "5"]
    with serving(*words) as (_, url):
        base = url.removesuffix("/metrics")
        status, _, page = get(f"{base}/probe?target=root@raidctl-no-such-host.invalid")
        assert (status, page.startswith("raidctl: ")) == (503, True)
        assert get(f"{base}/probe?target=db9")[0] == 403
        status, _, page = get(f"{base}/probe?target=here")
        assert (status, "ansible_connection is local" in page) == (503, True)
        assert {name for name, _ in series(get(url)[2])} == {"raidctl_build_info"}


@pytest.mark.parametrize("text_of_file", ["", "# none\n", "db1 db2\n", "-oProxyCommand=x\n", "a;b\n"])
def test_an_invalid_list_of_targets_is_wrong_usage(text_of_file: str, tmp_path: Path) -> None:
    """The line is named and nothing is served. Options that name a machine are refused too."""
    hosts = tmp_path / "hosts"
    hosts.write_text(text_of_file)
    assert run("export", "--listen", "0", "--targets", hosts).exit_code == 2
    hosts.write_text("db1\n")
    for words in (("--demo", "p440"), ("--hosts", "db1"), ("--limit", "db1"), ("--jobs", "2")):
        assert run(*words, "export", "--listen", "0", "--targets", hosts).exit_code == 2
    assert run("export", "--targets", hosts).exit_code == 2


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A simulated machine, served by the command line."""
    words = ["--demo", "p440", "--state-dir", str(tmp_path), "export", "--listen", "0", "--interval", "600"]
    with serving(*words) as started:
        yield started


_WAIVER = """
[[waiver]]
rule = "battery_failed"
where = "*"
until = 2999-12-31
because = "A battery is ordered."
"""


def get(url: str) -> tuple[int, str, str]:
    """Status, type and text of a page."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - our own server
            return answer.status, answer.headers["Content-Type"], answer.read().decode("utf-8")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Content-Type"], error.read().decode("utf-8")


def test_one_scan_is_served_until_sigterm(served: tuple[subprocess.Popen[str], str]) -> None:
    """Within the interval there is no second scan. SIGTERM ends the process."""
    started, url = served
    first, second = get(url), get(url)
    assert first[:2] == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert first == second
    assert value(series(first[2]), "scan_duration_seconds")
    assert get(url.replace("/metrics", "/other"))[0] == 404
    assert url in get(url.replace("/metrics", "/"))[2] or "/metrics" in get(url.replace("/metrics", "/"))[2]
    started.send_signal(signal.SIGTERM)
    assert started.wait(60) == 128 + signal.SIGTERM


def test_a_waiver_that_is_added_while_it_serves_counts(tmp_path: Path) -> None:
    """The file is read for each page. A damaged one waives nothing, and metrics are still served."""
    file = tmp_path / "waivers.toml"
    file.write_text("")
    words = ["--replay", str(FIXTURES / "adaptec-5405-failed-battery"), "export", "--rules", "--waivers", str(file)]
    with serving(*words, "--listen", "0", "--interval", "0") as (_, url):
        assert _battery_findings(url) == 1
        file.write_text(_WAIVER)
        assert _battery_findings(url) is None
        file.write_text(_WAIVER.replace("until", "untl"))
        assert _battery_findings(url) == 1


_BATTERY = frozenset(
    {("rule", "battery_failed"), ("severity", "warning"), ("outcome", "fail"), ("object", "adaptec:1/battery0")}
)


def _battery_findings(url: str) -> float | None:
    status, _, page = get(url)
    assert status == 200
    return series(page).get(("raidctl_rule_finding", _BATTERY))


def test_on_the_loopback_only_its_own_names_are_answered(served: tuple[subprocess.Popen[str], str]) -> None:
    """A request with another host name is refused, which blocks DNS rebinding."""
    _, url = served
    port = url.split(":")[2].partition("/")[0]
    names = {
        "localhost": 200,
        f"127.0.0.1:{port}": 200,
        f"[::1]:{port}": 200,
        "evil.example": 403,
        f"10.0.0.1:{port}": 403,
    }
    for name, status in names.items():
        with socket.create_connection(("127.0.0.1", int(port))) as client:
            client.sendall(f"GET /metrics HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
            assert int(client.makefile().readline().split()[1]) == status, name


@pytest.fixture
def answering() -> Iterator[Callable[[], tuple[str, int]]]:
    """Start a server of an empty page in this process; its address."""
    with contextlib.ExitStack() as running:

        def start() -> tuple[str, int]:
            server = running.enter_context(
                _server(("127.0.0.1", 0), "/metrics", Refresher(lambda: Page(b"", "text/plain"), 1))
            )
            threading.Thread(target=server.serve_forever, daemon=True).start()
            running.callback(server.shutdown)
            return "127.0.0.1", server.server_address[1]

        yield start


def test_clients_beyond_the_limit_are_turned_away(answering: Callable[[], tuple[str, int]]) -> None:
    """Connections beyond the limit get 503 until another one closes."""
    place = answering()
    with contextlib.ExitStack() as clients:
        for _ in range(CONNECTIONS):
            clients.enter_context(socket.create_connection(place))
        with socket.create_connection(place) as another:
            assert another.makefile().readline().split()[1:2] == ["503"]
    while get(f"http://127.0.0.1:{place[1]}/")[0] == 503:
        pass


def test_a_slow_request_is_closed(answering: Callable[[], tuple[str, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit is for the whole request, however slow its bytes."""
    monkeypatch.setattr("raidctl.output.http_server._PATIENCE", 0.3)
    with socket.create_connection(answering()) as client, contextlib.suppress(OSError):
        client.sendall(b"GET / HTTP/1.1\r\n")
        while not select.select([client], [], [], 0.1)[0]:
            client.sendall(b"A")
        assert client.recv(100) == b""


def test_without_a_free_descriptor_the_server_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a free descriptor for accept, the server pauses instead of spinning."""
    pauses: list[float] = []
    with _server(("127.0.0.1", 0), "/metrics", Refresher(lambda: Page(b"", "text/plain"), 1)) as server:
        host, port = server.server_address[:2]
        with socket.create_connection((str(host), port)):
            monkeypatch.setattr("raidctl.output.http_server.time.sleep", pauses.append)
            before = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
            try:
                with pytest.raises(OSError, match="Too many open files"):
                    server.get_request()
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert len(pauses) == 1


def test_an_unreachable_machine_is_a_failed_scrape(tmp_path: Path) -> None:
    """The scrape gets status 503 with the reason, and raidctl keeps running."""
    path = tmp_path / "machine"
    words = ["--host", "raidctl-no-such-host.invalid", "export", "--listen", "0"]
    with serving(*words, environment={"HOME": str(path)}) as (started, url):
        status, _, page = get(url)
        assert (status, page.startswith("raidctl: ")) == (503, True)
        assert started.poll() is None
