# SPDX-License-Identifier: BSD-3-Clause
"""The main command needs at most about three times the memory of the pattern, in addition to what
it needs for a tiny matrix. These matrices come nearest to this bound in section `memory` of the
benchmarks."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import scipy.io

from benchmarks.generators import make
from benchmarks.launch import measure

BTFPERM = Path(sys.executable).with_name("btfperm")
MOST = 3.2  # times the pattern; the measured peaks are 2.75 to 2.95


def peak(folder, name):
    file = folder / f"{name}.mtx"
    A = make(name)
    scipy.io.mmwrite(file, A.tocoo(), field="pattern")
    command = [str(BTFPERM), str(file), "-o", str(folder / "perm.npz"), "--threads", "1"]
    return measure(command, 60)["peak_bytes"], 4 * (A.nnz + A.shape[1] + 1)


@pytest.fixture(scope="module")
def least(tmp_path_factory):
    """The peak of a command on a tiny matrix."""
    return peak(tmp_path_factory.mktemp("tiny"), "chain_10")[0]


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer takes memory of its own")
@pytest.mark.skipif(not BTFPERM.exists(), reason="the command is not installed")
# In this order: all blocks have one row; almost only a vertical part; one large block.
@pytest.mark.parametrize("name", ["tri_1e6", "er_1e6_d5.0", "grid3d_64_rcp"])
def test_peak_in_patterns(tmp_path, least, name):
    most, pattern = peak(tmp_path, name)
    assert most - least < MOST * pattern, f"{(most - least) / pattern:.2f} patterns"
