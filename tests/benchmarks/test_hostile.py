# SPDX-License-Identifier: BSD-3-Clause
"""The patterns of the section `hostile`: their ranks, their number, and the figures of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.sparse.csgraph import structural_rank

import btfperm
from benchmarks import hostile
from benchmarks.cases import ALL
from benchmarks.report import Options

# A small member of each family, and its structural rank.
RANKS = {
    "stars_4x9": 8,
    "rivals_3x5": 18,
    "cliques_3x4": 12,
    "nearly_9x1": 9,
    "band_20x2": 20,
    "lines_12x3": 15,
    "hubs_80x6": 6,
    "bowtie_60x2": 60,
    "stairs_20x1": 20,
    "ring_20x3": 20,
    "tree_30x2": 29,
}


@pytest.mark.parametrize("name", RANKS)
@pytest.mark.parametrize("suffix", ["", "_rcp"])
def test_the_rank_follows_from_the_construction(name, suffix):
    A = hostile.make(name + suffix)
    assert A.has_canonical_format and (A.data == 1).all()
    assert structural_rank(A.tocsr()) == RANKS[name]


def test_each_hall_violator_lacks_a_row():
    A = hostile.make("hall_20x5_rcp")
    assert A.shape == (100, 100) and structural_rank(A.tocsr()) <= 80
    assert (A.sum(axis=1) == 0).sum() >= 20


def test_each_family_has_a_rank_above_and_a_pattern_in_the_set():
    families = hostile.FAMILIES.keys()
    assert {name.partition("_")[0] for name in RANKS} | {"hall"} == families
    listed = [case.name for case in hostile.cases(ALL, Path())]
    assert len(listed) == 40 and families <= {name.partition("_")[0] for name in listed}


@pytest.mark.parametrize("family", ["ring", "stairs"])
def test_the_visits_of_each_entry_do_not_grow_with_long_paths(family):
    """Measured on one thread: 4.0 to 6.7 visits of an entry from 10^4 to 10^6 columns."""
    for n in (10_000, 100_000):
        A = hostile.make(f"{family}_{n}x1_rcp")
        t = btfperm.maximum_transversal(A, threads=1, backend="cpu")
        assert t.counters["edges"] < 9 * A.nnz and t.counters["start_edges"] < 2 * A.nnz


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="no hostile pattern"):
        hostile.make("trees_30x2")


def test_a_run_states_the_largest_time_for_an_entry_of_each_method():
    cases = [
        case for case in hostile.cases("tiny", Path()) if case.name in ("hall_5x6", "ladder_18")
    ]
    lines: list[str] = []
    options = Options("tiny", Path(), 1, 60.0, ["auto", "hopcroft-karp"], 1, lines.append)
    section = hostile.run(cases, options)
    assert not section.complaints and len(lines) == 2
    for row in section.data["rows"]:
        assert row["median"].keys() == {"auto", "hopcroft-karp", "decomposition"}
        for name, seconds in row["median"].items():
            assert row["microseconds_per_entry"][name] == pytest.approx(1e6 * seconds / row["nnz"])
    for name in ("auto", "hopcroft-karp", "decomposition"):
        found = [(r["microseconds_per_entry"][name], r["matrix"]) for r in section.data["rows"]]
        value, where = max(found)
        assert f"* {name}: at most {value:.3f} µs for each entry, on `{where}`" in section.markdown
