# SPDX-License-Identifier: BSD-3-Clause
"""The one command makes the sections that need no GPU, except LEFT_OUT, and most of their figures.
It runs in a process of its own, because workers are forked from a process that has started no
threads."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from benchmarks import run as run_module
from benchmarks.cases import SETS, kept, names, of_set, only, with_permutations
from benchmarks.generators import make
from benchmarks.report import Options
from btfperm.backends.gpu import device
from tests.known_answers import MATRICES, known_answers

ROOT = Path(__file__).parents[2]
GPU_SECTIONS = {
    *("paper-000", "paper-003", "engine", "gpu-answers"),
    *("gpu-decomposition", "gpu-totals", "regret-gpu", "published-choice", "mpi-gpu"),
    "mpi-gpu-scaling",
}
# test_launch.py, test_pages.py, test_solvers.py and tests/mpi/test_sections.py run these on tiny
# matrices; test_serial_shared.py runs its section without the compiler. `published` has the same
# figures as paper-001. mpi-model needs three matrices on four numbers of ranks, so no test runs it
# as a whole.
LEFT_OUT = {
    *("paper-001", "paper-002", "paper-004", "memory", "start-up", "versions", "weights"),
    *("solver-layouts", "solver-newton", "solver-ratios", "solver-overhead", "solver-orders"),
    *("mpi-scaling", "mpi-one-rank", "mpi-local-max", "mpi-model", "mpi-phases", "serial-shared"),
    *("weights-base", "mpi-rules"),
}
TINY = (
    *("--only", "opf_300", "--permutations", 0, "--repeats", 1, "--limit", 5, "--runs", 1),
    *("--threads", 1, "--counts", 1, 2),
)


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.run", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},  # waiting threads do not use the cores
    )


@pytest.fixture
def real_folder(tmp_path):
    """Three of the project's matrices, with an index like that of the larger set."""
    folder = tmp_path / "real"
    folder.mkdir()
    lines = ["name,file,structural_rank,btf_blocks"]
    for known in sorted(known_answers(), key=lambda known: known.entries)[:3]:
        path = MATRICES / known.path.name
        (folder / path.name).write_bytes(path.read_bytes())
        lines.append(f"{known.name},{path.name},{known.structural_rank},")
    (folder / "index.csv").write_text("\n".join(lines) + "\n")
    return folder


def sections_of(folder):
    reports = {}
    for path in folder.glob("*.json"):
        for name, data in json.loads(path.read_text())["sections"].items():
            reports[name] = path, data
    return reports


def checked_sections_of(folder, above):
    """The sections have data and no problems, and name no folder below `above`."""
    result = sections_of(folder)
    for path, data in result.values():
        assert data
        text = path.with_suffix(".md").read_text()
        assert str(above) not in text + path.read_text(), (
            "a result names the folder in which it was made"
        )
        assert "### Problems" not in text
    return result


def test_one_command_makes_all(tmp_path, real_folder, capsys):
    """Makes the sections that need no GPU on one tiny stand-in. Figures can be drawn again."""
    out = tmp_path / "out"
    sections = [f"--section={name}" for name in run_module.SECTIONS if name not in LEFT_OUT]
    done = run("--all", out, *sections, *TINY, "--matrices", real_folder)
    assert done.returncode == 0, done.stderr
    result = checked_sections_of(out, tmp_path)
    assert result.keys() >= run_module.SECTIONS.keys() - GPU_SECTIONS - LEFT_OUT
    for name in ("matching", "published", "regret"):
        rows = result[name][1]["rows"]
        assert {row["matrix"] for row in rows} == {"opf_300"}
    if importlib.util.find_spec("matplotlib"):
        from benchmarks.figures import KINDS

        more = {"scaling", "contributions", "graft-scaling"}  # they need several threads
        more |= {"frontiers"}  # it needs the graph of the paper
        for kind in KINDS:
            if kind.section not in result or kind.name in more:
                continue
            stem = f"{result[kind.section][0].stem}-{kind.name}"
            check_file(out / f"{stem}.svg")
            assert f"({stem}.svg)" in result[kind.section][0].with_suffix(".md").read_text()
        check_drawn_again(result["matching"][0], tmp_path / "again", capsys)


@pytest.mark.parametrize("section", run_module.SECTIONS)
def test_every_section_is_listed_and_has_its_matrices(section, capsys):
    """On a machine without a GPU, the sections for GPUs list their matrices and then report why
    they cannot run."""
    entry = run_module.SECTIONS[section]
    assert run_module.main(["--list"]) == 0
    assert f"{section:18}{entry.measures}" in capsys.readouterr().out
    page = (ROOT / "benchmarks" / "README.md").read_text()
    assert f"| `{section}` |" in page and entry.result in page
    if entry.result:  # a new section has none before its first run on the machine it is for
        assert (ROOT / "benchmarks" / "results" / f"{entry.result}.md").is_file()
    for which in (*SETS, *(["all"] if section.startswith("regret") else [])):
        cases = run_module.cases_of(section, which, Path())
        listed = [case.name for case in cases]
        assert bool(listed) == (section != "rule-support"), "that section only reads results"
        assert len(set(listed)) == len(listed)
        assert which == "all" or len(listed) < 50, "a common set must not be the whole set"


@pytest.mark.parametrize("section", sorted(GPU_SECTIONS))
def test_without_a_gpu_a_section_reports_it(section, monkeypatch):
    monkeypatch.setattr(device, "why_not", lambda: "none was planted")
    options = Options("tiny", Path(), 2, 5.0, ["auto"], None, lambda _: None)
    cases = run_module.cases_of(section, "tiny", Path())
    with pytest.raises(OSError, match="none was planted"):
        run_module.load(section).run(cases, options)


@pytest.mark.gpu
@pytest.mark.parametrize("section", sorted(GPU_SECTIONS))
def test_a_run_on_a_gpu(section, tmp_path):
    result = tmp_path / "made.json"
    words = ["--set", "tiny", "--repeats", "1", "--limit", "5", "--json", str(result)]
    assert run_module.main(["--section", section, *words]) == 0
    (data,) = json.loads(result.read_text())["sections"].values()
    assert data["rows"]


def check_file(svg):
    root = ElementTree.parse(svg).getroot()
    assert root.tag.endswith("svg")
    width, height = (float(root.attrib[side].removesuffix("pt")) for side in ("width", "height"))
    assert 400 < width < 800 and 130 < height < 600
    assert 3_000 < svg.stat().st_size < 150_000


def check_drawn_again(result, again, capsys):
    """`benchmarks.figures` makes the same files from the result."""
    from benchmarks import figures

    assert figures.main([str(result), str(again)]) == 0
    assert str(again) in capsys.readouterr().out
    drawings = {path.name for path in result.parent.glob(f"{result.stem}-*.svg")}
    assert drawings == {path.name for path in again.glob("*.svg")} != set()
    for name in drawings:
        assert (result.parent / name).read_bytes() == (again / name).read_bytes()


def test_a_wrong_name_is_one_sentence(tmp_path):
    done = run("--only", "no_such_family_7", "--out", tmp_path)
    assert done.returncode == 2
    assert "names no generated matrix" in done.stderr and "Traceback" not in done.stderr


def test_a_wrong_answer_is_exit_status_1(real_folder):
    index = real_folder / "index.csv"
    index.write_text(
        "\n".join(
            line if k != 1 else ",".join([*line.split(",")[:2], "999999", ""])
            for k, line in enumerate(index.read_text().splitlines())
        )
    )
    name = index.read_text().splitlines()[1].split(",")[0]
    done = run(
        *("--section", "matching", "--set", "real", "--only", name, "--matrices", real_folder),
        *("--repeats", 1, "--limit", 5),
    )
    assert done.returncode == 1
    assert "the index reports 999999" in done.stdout


def test_permutations_follow_their_matrix(real_folder):
    cases = with_permutations(of_set("tiny", Path()), 2)
    found = [case.name for case in cases]
    plain = {name.removesuffix("_rcp") for name in names("default", "tiny")}
    expected = {f"{name}{end}" for name in plain for end in ("_rcp", "_rcp2")}
    assert len(found) == len(set(found))
    assert set(found) == expected | set(names("default", "tiny"))
    for case in cases[:6]:
        assert (case.load() != make(case.name)).nnz == 0
    real = with_permutations(of_set("real", real_folder), 1)
    assert len(real) == 6
    plain, permuted = real[0].load(), real[1].load()
    assert real[1].name == f"{real[0].name}_rcp" and real[1].expected == real[0].expected
    assert plain.shape == permuted.shape and plain.nnz == permuted.nnz
    assert (plain != permuted).nnz > 0


def test_matrices_by_name(real_folder):
    cases = of_set("real", real_folder)
    chosen = only([cases[1].name, "kron_s5"], cases)
    assert chosen[0] is cases[1]
    assert chosen[1].load().shape == (32, 32)


def test_kept_matrices_are_the_same(tmp_path, real_folder):
    cases = with_permutations(of_set("tiny", Path()) + of_set("real", real_folder), 1)
    for turn in ("made", "read"):
        for case, other in zip(cases, kept(cases, tmp_path / "keep"), strict=True):
            assert (other.name, other.kind, other.expected) == (case.name, case.kind, case.expected)
            A, B = case.load(), other.load()
            assert A.shape == B.shape and (A.indptr == B.indptr).all(), turn
            assert (A.indices == B.indices).all() and A.indices.dtype == B.indices.dtype
    assert len(list((tmp_path / "keep").iterdir())) == len(cases) - 2 * 3


def test_parts_of_a_set_are_measured_beside_each_other(tmp_path):
    """Each of two parts takes every second matrix, and a run with all their
    rows reports them in the order of the set."""
    store = tmp_path / "all"
    words = ["--section", "published", "--set", "tiny", "--permutations", "0", "--threads", "1"]
    words += ["--algorithm", "ms-bfs-graft", "--repeats", "1", "--limit", "5"]
    stands = [case.name for case in run_module.cases_of("published", "tiny", Path())]
    found = []
    for number in (1, 2):
        one = tmp_path / str(number)
        assert run(*words, "--part", f"{number}/2", "--store", one).returncode == 0
        lines = one.read_text()
        found.append([json.loads(line)["matrix"] for line in lines.splitlines()])
        with store.open("a") as file:
            file.write(lines)
    assert found == [stands[k::2] for k in range(2)]
    result = tmp_path / "result.json"
    assert run(*words, "--store", store, "--within", 0, "--json", result).returncode == 0
    data = json.loads(result.read_text())["sections"]["published"]
    assert [facts["matrix"] for facts in data["matrices"]] == stands
    assert len(data["rows"]) == 2 * len(stands)


@pytest.mark.parametrize("word", ["0/2", "3/2", "2", "a/b", "1/0"])
def test_a_part_that_does_not_exist_is_an_error(word, capsys):
    with pytest.raises(SystemExit):
        run_module.main(["--part", word])
    assert "not K/N" in capsys.readouterr().err
