# SPDX-License-Identifier: BSD-3-Clause
"""Curves and bars show the given numbers; without data there is no figure."""

from __future__ import annotations

import numpy as np
import pytest

from tests.loops import looped

pytest.importorskip("matplotlib")

from benchmarks.figures import BEST, KINDS, performance_profile, scaling, speed_up_profile
from benchmarks.papers.figures import relative_speed

NOTHING = {"rows": [], "matrices": [], "threads": [1, 2], "orders": [], "limit": 1.0}


def race(**times):
    """Rows of section `matching`: for each matrix, the seconds of each method."""
    return {"rows": [{"matrix": name, "median": each} for name, each in times.items()]}


def curve(figure, label):
    (line,) = [each for each in figure.axes[0].lines if each.get_label() == label]
    return line.get_xdata(), line.get_ydata()


def height(x, y, at):
    """The height at `at` of a step curve, which is constant to the right of each point."""
    return y[np.flatnonzero(x <= at)[-1]]


@looped("kind", KINDS, ids=lambda kind: f"{kind.section}-{kind.name}")
def test_no_data_no_figure(kind):
    assert kind.draw(NOTHING) is None


def test_performance_profile_counts_matrices():
    data = race(
        A={"btfperm": 1.0, "SciPy": 2.0},
        B={"btfperm": 4.0, "SciPy": 1.0},
        C={"btfperm": 1.0, "no proof": 0.5},  # SciPy was stopped; "no proof" does not count
        D={"btfperm": 3.0, "SciPy": 3.0},
    )
    figure = performance_profile(data)
    x, y = curve(figure, "btfperm")
    assert [height(x, y, at) for at in (1.0, 3.9, 4.0)] == [0.75, 0.75, 1.0]
    x, y = curve(figure, "SciPy")
    assert [height(x, y, at) for at in (1.0, 2.0, 4.5)] == [0.5, 0.75, 0.75]
    assert "no proof" not in [line.get_label() for line in figure.axes[0].lines]


def test_speed_up_profile_counts_matrices():
    data = race(
        A={"btfperm": 1.0, "SciPy": 8.0, "BTF": 2.0},
        B={"btfperm": 1.0, "SciPy": 0.5, "BTF": 2.0},
    )
    figure = speed_up_profile(data)

    def at_least(label, speed_up):
        x, y = curve(figure, label)
        return y[np.flatnonzero(x >= speed_up)[0]]

    assert at_least("SciPy", 0.5) == 1.0 and at_least("SciPy", 0.6) == 0.5
    assert at_least("BTF", 2.0) == 1.0
    assert at_least(BEST, 1.0) == 0.5
    assert at_least(BEST, 2.0) == 0.5


def scaling_row(matrix, kind, threads, *seconds, algorithm="auto"):
    return {
        "matrix": matrix,
        "nnz": 10_000_000,
        "class": kind,
        "algorithm": algorithm,
        "threads": threads,
        "seconds": list(seconds),
        "stages": {},
    }


def test_scaling_is_the_mean_of_the_class_over_one_thread():
    rows = [scaling_row("A", "mesh", t, 8 / t, 99.0, 8 / t) for t in (1, 2, 4)]
    rows += [scaling_row("B", "mesh", t, 8.0) for t in (1, 2, 4)]
    rows += [scaling_row("C", "mesh", 1, 8.0)]  # not measured for all numbers of threads
    rows += [scaling_row("A", "web", t, 8 / t**2, algorithm="other") for t in (1, 2, 4)]
    figure = scaling({"rows": rows})
    assert [ax.get_title() for ax in figure.axes] == ["auto", "other"]
    x, y = curve(figure, "mesh")
    assert list(x) == [1, 2, 4]
    assert y == pytest.approx([1, 2**0.5, 2])
    (line,) = [each for each in figure.axes[1].lines if each.get_label() == "web"]
    assert line.get_ydata() == pytest.approx([1, 4, 16])


def test_relative_speed_of_the_slowest_is_one():
    rows = [
        {
            "matrix": "M",
            "class": "networks",
            "algorithm": name,
            "threads": 1,
            "options": {},
            "seconds": [seconds],
            "median": seconds,
            "counters": {"edges": 5},
            "overran": False,
        }
        for name, seconds in zip(
            ("ms-bfs-graft", "push-relabel", "pothen-fan"), (1.0, 2.0, 4.0), strict=True
        )
    ]
    matrices = [{"matrix": "M", "class": "networks", "stands_for": None}]
    figure = relative_speed({**NOTHING, "threads": [1], "rows": rows, "matrices": matrices})
    bars = [patch.get_height() for patch in figure.axes[0].patches]
    assert bars == pytest.approx([4.0, 2.0, 1.0])
