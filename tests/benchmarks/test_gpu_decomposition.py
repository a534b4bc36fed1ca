# SPDX-License-Identifier: BSD-3-Clause
"""The section for decompositions on a GPU: inputs and tables; and a run, if there is a GPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import btfperm
from benchmarks.cases import names
from benchmarks.device import decomposition as section
from benchmarks.generators.planted import planted
from benchmarks.report import Options

DATA = {
    "gpu": "some GPU (device 0)",
    "rows": [
        {
            "matrix": name,
            "n": 1000,
            "nnz": 5000,
            "blocks": 7,
            "gpu": seconds,
            "cpu": 0.1,
            "cpu_threads": 16,
            "stages": {"coarse": 0.001, **stages},
        }
        for name, seconds, stages in (
            ("tri:3e6", 0.0014, {"peel": 0.0004}),
            ("er:22:3", 0.005, {section.RECTANGULAR: 0.003}),
            ("band:1e6", 0.2, {}),
        )
    ],
}


def options():
    return Options("tiny", Path(), 2, 5.0, ["auto"], None, lambda _: None)


def test_the_recorded_times_are_of_the_large_set():
    assert set(section.RECORDED) <= set(names("gpu-decomposition", "large"))


@pytest.mark.parametrize("name", names("gpu-decomposition", "quick"))
def test_the_known_pairs_are_entries(name):
    if name.split(":")[0] == "er":
        return
    graph = planted(name)
    P = btfperm.Pattern.from_coo(graph.rows, graph.cols, (graph.n, graph.n))
    known = graph.col_match[graph.col_match >= 0]
    assert known.size == (0 if name.startswith("kkt") else graph.n)
    if known.size:
        # Pairs that are no entries are dropped; then the result is another matching.
        t = btfperm.maximum_transversal(P, initial=graph.col_match)
        np.testing.assert_array_equal(t.col_match, graph.col_match)


@pytest.mark.parametrize(
    ("name", "blocks", "largest", "levels"),
    [
        ("tri:3e4", (30_000, 30_000), (1, 1), (15, 40)),
        ("wide:300:3e4", (30_000, 30_000), (1, 1), (700, 1_100)),
        ("band:3e3", (3_000, 3_000), (1, 1), (3_000, 3_000)),
        ("g3:12:nat", (1, 1), (1_728, 1_728), (1, 1)),
        ("circ:3e4", (3_000, 5_000), (18_000, 18_000), (5, 30)),
        ("blk:30:3e4", (1_400, 2_000), (25, 30), (300, 900)),
        ("erd:3:3e4", (2_500, 4_500), (25_000, 28_000), (5, 30)),
        ("kkt:3e4", (100, 1_000), (18_000, 26_000), (3, 20)),
    ],
)
def test_they_have_the_blocks_that_their_names_state(name, blocks, largest, levels):
    graph = planted(name)
    d = btfperm.dulmage_mendelsohn(
        btfperm.Pattern.from_coo(graph.rows, graph.cols, (graph.n, graph.n))
    )
    sizes = np.diff(d.col_blocks)
    for found, (at_least, at_most) in (
        (d.n_blocks, blocks),
        (sizes.max(), largest),
        (d.block_graph().n_levels, levels),
    ):
        assert at_least <= found <= at_most


def test_the_tables_show_what_was_measured():
    text = section.markdown(DATA)
    assert "| `tri:3e6` | 1,000 | 5,000 | 7 | 1.40 | 1.40 | 2.8 | 1.4 | 100 | 71.4 |" in text
    assert "| `er:22:3` | 1,000 | 5,000 | 7 | 5.00 | 2.00 | 3.8 | 2 | 100 | 20.0 |" in text
    assert "| `band:1e6` | 1,000 | 5,000 | 7 | 200 | 200 |  |  | 100 | 0.5 |" in text
    assert "geometric mean: 1.00." in text
    assert "CPU: 16 threads" in text and "| `tri:3e6` | 1.00 | 0.400 |  |" in text


@pytest.mark.gpu
def test_a_run():
    found = section.run(section.cases("tiny", Path()), options())
    assert not found.complaints
    assert found.markdown == section.markdown(found.data)
    for row in found.data["rows"]:
        assert row["gpu"] > 0 and {"coarse", "order"} <= set(row["stages"])
