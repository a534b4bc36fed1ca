# SPDX-License-Identifier: BSD-3-Clause
"""The fuzzer finds planted defects, reduces inputs and keeps its record."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.fuzz import __main__ as fuzz_command
from tests.fuzz import campaign, worker
from tests.fuzz.__main__ import main
from tests.fuzz.draw import Case, Draw, integer, mutated_bytes, token
from tests.fuzz.planted import DEFECTS, OTHER_DEFECTS
from tests.fuzz.readers import READERS, case_of
from tests.fuzz.record import Record
from tests.fuzz.reduce import reduced

COUNT = 60
WITHOUT_MUTATIONS = frozenset(range(100))
each_reader = pytest.mark.parametrize("reader", READERS)

limits_memory = worker.can_measure()

SEED = 1


@each_reader
def test_an_index_determines_its_input(reader):
    for index in range(20):
        one, two = case_of(reader, 3, index), case_of(reader, 3, index)
        assert (one.data, one.log, one.pipe) == (two.data, two.log, two.pipe)
    assert case_of(reader, 3, 0).data != case_of(reader, 4, 1).data


@each_reader
def test_a_mutation_can_be_left_out(reader):
    """The reducer needs the other mutations to stay the same."""
    several = [index for index in range(60) if len(case_of(reader, 3, index).log) > 1]
    for index in several:
        every = case_of(reader, 3, index).log
        fewer = case_of(reader, 3, index, frozenset({int(every[0].split()[0])})).log
        assert [line.split()[0] for line in fewer] == [line.split()[0] for line in every[1:]]


@pytest.mark.parametrize(
    ("kind", "jobs"),
    [*((kind, 2 if kind == "hang" else 1) for kind in sorted(DEFECTS)), ("crash", 2)],
)
def test_a_planted_defect_is_found(kind, jobs, monkeypatch, tmp_path):
    if kind in ("memory", "leak") and not limits_memory:
        pytest.skip("memory cannot be measured here")
    if kind == "hang":
        monkeypatch.setattr(campaign, "HANG_SECONDS", 0.5)
    monkeypatch.setattr(campaign, "REDUCE_SECONDS", 0.1)
    monkeypatch.setattr(campaign, "MOST_FINDINGS", 1)  # each is reduced in its own processes
    count = {"leak": 600, "memory": 10}.get(kind, 40)
    report = campaign.run("matrix_market", 2, count, jobs=jobs, keep=tmp_path, check=DEFECTS[kind])
    assert report.failures[kind] > 0
    assert report.tried == count, "the run continues after a failure"
    saved = sorted(tmp_path.glob(f"*-{kind}.json"))
    assert saved
    record = json.loads(saved[0].read_text())
    case = case_of(record["reader"], record["seed"], record["index"])
    whole = tmp_path / f"{saved[0].stem}-{case.name}"
    assert whole.read_bytes() == case.data
    assert record["mutations"] == case.log
    assert len(record["mutations_min"]) <= len(case.log)


@pytest.mark.skipif(not limits_memory, reason="memory cannot be measured here")
def test_memory_is_measured_although_freed_memory_serves_it(tmp_path):
    """The allocator keeps what the tests before freed below an array in use. A worker inherits it,
    and a reader that uses it does not enlarge the process."""
    np.ones(3 << 20)  # after this array is freed, malloc takes arrays of this size from its heap
    freed = [np.ones((3 << 20) - 1024) for _ in range(12)]
    in_use = [np.ones(1 << 14) for _ in range(20)]
    freed.clear()
    report = campaign.run("matrix_market", 2, 3, keep=tmp_path, check=DEFECTS["memory"])
    assert report.failures["memory"] == 3 and len(in_use) == 20


@pytest.mark.parametrize(("reader", "kind", "check"), OTHER_DEFECTS)
def test_a_defect_of_another_reader_is_found(reader, kind, check, monkeypatch, tmp_path):
    if kind == "memory" and not limits_memory:
        pytest.skip("memory cannot be measured here")
    monkeypatch.setattr(campaign, "REDUCE_SECONDS", 0.1)
    monkeypatch.setattr(campaign, "MOST_FINDINGS", 2)
    count = 12 if kind == "crash" else 60
    report = campaign.run(reader, 2, count, keep=tmp_path, check=check)
    assert report.failures[kind] > 0
    assert report.tried == count and sorted(tmp_path.glob(f"{reader}-*-{kind}.json"))


def test_the_reducer_keeps_the_failure():
    case = case_of("matrix_market", 3, 7)
    case.data = b"x" * 1000 + b"needle" + b"y" * 1000
    case.log = []
    small = reduced(case, 3, 7, lambda smaller: b"needle" in smaller.data, 10.0)
    assert small.data == b"needle"


def test_the_command(tmp_path, capsys):
    words = ["--reader", "npz", "--reader", "perm", "--count", "50", "--seed", "3", "--json"]
    code = main([*words, "--keep", str(tmp_path)])
    content = json.loads(capsys.readouterr().out)
    assert code == (0 if content["passed"] else 1)
    assert [reader["tried"] for reader in content["readers"]] == [50, 50]
    code = main(["--reader", "harwell_boeing", "--count", "20", "--seconds", "60"])
    assert code == 0 and "20 tried" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--seconds", "0"], ["--count", "0"]], ids=["seconds", "count"])
def test_a_run_that_tries_nothing_is_a_failure(words, capsys):
    assert main(["--reader", "npz", "--reader", "perm", "--json", *words]) == 1
    printed = capsys.readouterr()
    assert not json.loads(printed.out)["passed"]
    assert printed.err.startswith("no input was tried of npz, perm: ")


def test_a_record_is_continued(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(fuzz_command, "_SLICE", 20)
    record = tmp_path / "fuzz.json"
    words = ["--reader", "names", "--reader", "vectors", "--record", str(record), "--seed", "9"]
    assert main([*words, "--count", "30", "--seconds", "0"]) == 1  # no time for a slice
    assert not record.exists()
    assert "no input was tried of names, vectors: " in capsys.readouterr().err
    assert main([*words, "--count", "30"]) == 0
    started = []
    run = campaign.run

    def remembered(reader, seed, count, **options):
        started.append((reader, seed, options["first"], count))
        return run(reader, seed, count, **options)

    monkeypatch.setattr(campaign, "run", remembered)
    assert main([*words[:-2], "--count", "65", "--jobs", "2"]) == 0
    assert sorted(started) == [("names", 9, 30, 35), ("vectors", 9, 30, 35)]
    content = json.loads(record.read_text())
    assert {name: row["tried"] for name, row in content["readers"].items()} == {
        "names": 65,
        "vectors": 65,
    }
    assert [run["inputs"] for run in content["runs"]] == [
        {"names": 30, "vectors": 30},
        {"names": 35, "vectors": 35},
    ]
    assert str(tmp_path) not in content["command"]
    text = record.with_suffix(".md").read_text()
    assert "| `names` | 65 |" in text and "seed 9" in text and str(tmp_path) not in text
    capsys.readouterr()
    assert main([*words[:-1], "8", "--count", "99"]) == 2
    assert "a campaign with the seed 9" in capsys.readouterr().err
    assert main([*words, "--first", "5"]) == 2


def test_the_record_adds_failures_up(tmp_path):
    record = Record(tmp_path / "fuzz.json", None)
    one = campaign.Report("npz", tried=10, worst_seconds=0.5, worst_index=3)
    two = campaign.Report("npz", tried=5, accepted=2, worst_seconds=0.2, worst_index=12)
    two.failures["hang"] += 2
    two.findings.append({"index": 12, "kind": "hang", "what": "/tmp/x/job0/a.npz: more than 10 s"})
    record.add(one)
    record.add(two)
    content = json.loads((tmp_path / "fuzz.json").read_text())
    (tmp_path / "fuzz.json").write_text(json.dumps(content | {"notes": ["The hang is repaired."]}))
    again = Record(tmp_path / "fuzz.json", None)
    assert again.markdown().endswith("\n\nThe hang is repaired.\n")
    report = again.reports["npz"]
    assert again.tried("npz") == 15 and again.tried("tar") == 0 and again.seed == 1
    assert (report.accepted, report.worst_index, report.failures) == (2, 3, {"hang": 2})
    assert "* `npz`, input 12: hang: a.npz: more than 10 s" in again.markdown()


def test_a_saved_case_is_run_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(worker, "run_apart", lambda *_: [["crash", "signal 11"]])
    record = {"reader": "npz", "name": "a.npz", "pipe": False, "block": None}
    (tmp_path / "x.json").write_text(json.dumps(record))
    (tmp_path / "x-a.npz").write_bytes(b"PK\3\4")
    (tmp_path / "x-min-a.npz").write_bytes(b"PK")
    assert main(["--replay", str(tmp_path / "x.json")]) == 1
    assert capsys.readouterr().out.count("crash: signal 11") == 2


def test_a_child_ends_by_itself_or_is_killed(tmp_path):
    case = Case("npz", b"PK\3\4", "a.npz")
    assert worker.run_apart(case, str(tmp_path), 10.0) == []
    assert worker.run_apart(case, str(tmp_path), 10.0, DEFECTS["crash"]) == []


def test_random_parts_end():
    draw = Draw("npz", 1, 1)
    for _ in range(200):
        integer(draw.random, 3), token(draw.random), mutated_bytes(b"abc", draw.random, b"xyz")
    assert np.array(draw.log).size == 0


def test_failures_are_counted_by_kind_in_json(monkeypatch, capsys):
    report = campaign.run("perm", 3, 1)
    report.failures["hang"] += 2
    monkeypatch.setattr(campaign, "run", lambda *_, **__: report)
    assert main(["--reader", "perm", "--count", "1", "--seed", "3", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["readers"][0]["failures"] == {"hang": 2}
