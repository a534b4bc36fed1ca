# SPDX-License-Identifier: BSD-3-Clause
"""The one command makes every section and every figure; in a process of its own, because workers
are forked from one that has started no threads."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from benchmarks import figures
from benchmarks.cases import SETS, kept, of_set, only, with_permutations
from benchmarks.generators import make
from tests.known_answers import MATRICES, known_answers

ROOT = Path(__file__).parents[2]
TINY = ["--set", "tiny", "--repeats", "1", "--limit", "2"]


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.run", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},  # no spinning beside other tests
    )


@pytest.fixture
def real_folder(tmp_path):
    """Three of the project's matrices, with an index as the larger set has."""
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


@pytest.mark.slow
def test_one_command_makes_all(tmp_path, real_folder):
    out = tmp_path / "out"
    done = run("--all", out, *TINY, "--matrices", real_folder)
    assert done.returncode == 0, done.stderr
    help_text = run("--help").stdout
    made = sections_of(out)
    for name, (path, data) in made.items():
        assert name in help_text
        assert data
        text = path.with_suffix(".md").read_text()
        assert str(tmp_path) not in text + path.read_text(), "a result tells where it was made"
        assert "### Problems" not in text
    assert {
        "matching",
        "decomposition",
        "published",
        "scaling",
        "start-up",
        "memory",
        "whole-set",
    } <= set(made)
    tiny = {case.name for case in with_permutations(of_set("tiny", Path()), 1)}
    assert {row["matrix"] for row in made["matching"][1]["rows"]} == tiny
    assert len(made["whole-set"][1]["rows"]) == 3
    names = [row["matrix"] for row in made["published"][1]["matrices"]]
    assert len(names) == 24 and sum(name.endswith("_rcp") for name in names) == 12
    if importlib.util.find_spec("matplotlib"):
        drawn = {kind for kind in figures.KINDS if kind.section in made}
        for kind in drawn:
            stem = f"{made[kind.section][0].stem}-{kind.module.replace('_', '-')}"
            check_file(out / f"{stem}.svg")
            assert f"({stem}.svg)" in made[kind.section][0].with_suffix(".md").read_text()


def check_file(svg):
    root = ElementTree.parse(svg).getroot()
    assert root.tag.endswith("svg")
    width, height = (float(root.attrib[side].removesuffix("pt")) for side in ("width", "height"))
    assert 400 < width < 800 and 130 < height < 600
    assert 3_000 < svg.stat().st_size < 150_000


@pytest.mark.slow
def test_figures_can_be_drawn_again_the_same(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    done = run("--section", "matching", *TINY, "--out", out)
    assert done.returncode == 0, done.stderr
    (result,) = out.glob("*.json")
    again = tmp_path / "again"
    drawn = subprocess.run(
        [sys.executable, "-m", "benchmarks.figures", str(result), str(again)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert drawn.returncode == 0, drawn.stderr
    names = {path.name for path in out.glob("*.svg")}
    assert names == {path.name for path in again.glob("*.svg")} != set()
    for name in names:
        assert (out / name).read_bytes() == (again / name).read_bytes()


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
    assert "the index says 999999" in done.stdout


def test_permutations_follow_their_matrix(real_folder):
    cases = with_permutations(of_set("tiny", Path()), 2)
    names = [case.name for case in cases]
    plain = {name.removesuffix("_rcp") for name in SETS["tiny"].split()}
    expected = {f"{name}{end}" for name in plain for end in ("_rcp", "_rcp2")}
    assert len(names) == len(set(names))
    assert set(names) == expected | set(SETS["tiny"].split())
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
