# SPDX-License-Identifier: BSD-3-Clause
"""The section for matchings in graphs: its graphs, a run, its sentences, and wrong results."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import run as run_module
from benchmarks.device import graphs as section
from benchmarks.generators.assemble import SEED
from btfperm.weighted.graph_input import read_graph


def of(seconds, weight=1.0, rounds=3, seed=2):
    return {"seconds": seconds, "weight": weight, "rounds": rounds, "seed": seed}


def row(n, **codes):
    return {"matrix": f"random_{n}", "n": n, "edges": 4 * n, "codes": codes}


@pytest.mark.parametrize("name", ["random_7", "grid_7", "star_40", "path_40"])
def test_the_graphs(name):
    G = section.make(name)
    pattern, weight = read_graph(G, "values")
    assert pattern.nnz == G.nnz and weight.min() > 0
    edges = {"random_7": None, "grid_7": 2 * 11 * 10, "star_40": 40, "path_40": 40}[name]
    assert G.nnz == 2 * edges if edges else 0 < G.nnz <= 8 << 7
    assert (section.make(name) != G).nnz == 0 and SEED is not None
    if name == "path_40":
        assert (np.diff(sorted(set(G.data))) == 1).all()


def test_a_run(capsys, tmp_path):
    how = ["--set", "tiny", "--repeats", "1", "--json", str(tmp_path / "r.json")]
    assert run_module.main(["--section", "graphs", *how]) == 0
    assert "| `star_300` | 301 | 300 |" in capsys.readouterr().out


def test_the_sentences():
    fast = {"local-max, GPU": of(0.01), "local-max": of(0.3), "hem": of(0.2), "gpa": of(2, 1.25)}
    slow = {"local-max, GPU": of(0.01), "local-max": of(0.02), "hem": of(0.02)}
    data = {"gpu": "some GPU", "rows": [row(1 << 20, **fast), row(1 << 10, **slow)]}
    text = section.markdown(data)
    assert "local-max on the GPU is at least 30.0 times as fast as on one core" in text
    assert "From 2^19 vertices on, local-max on the GPU is at least 30.0 times as fast" in text
    assert "Sequential local max takes at most 1.50 times as long as HEM." in text
    assert "| `random_1048576` | 1,048,576 | 4,194,304 | 10.0 | 300 | 200 |" in text
    assert "| 2.38 | 71.5 | 47.7 |" in text, "nanoseconds an edge"
    assert "| 0.800 | 0.800 | 0.800 |" in text, "weights relative to GPA"


def test_other_results_on_the_gpu_are_a_problem():
    def found(**there):
        return section._contradictions(
            row(10, **{"local-max": of(1.0), "local-max, GPU": of(1.0, **there)})
        )

    assert found() == [] == found(seed=1, weight=2.0)
    assert found(weight=1.0 + 1e-6) and found(rounds=4)
