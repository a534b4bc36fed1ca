# SPDX-License-Identifier: BSD-3-Clause
"""MATLAB's convention and its files, compared with `dmperm` and `sprank` of GNU Octave."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import btfperm
from btfperm.conventions import as_matlab
from tests.conventions.permuted import blocks
from tests.known_answers import known_answers, read
from tests.oracles import suitesparse

PROGRAM = Path(suitesparse.__file__).with_name("octave_program.m")
RANDOM = 60


def matrices():
    """The matrices of the project and random ones of all shapes, without stored zeros, which Octave
    does not keep."""
    found = {known.name: sp.csc_array(read(known.name)) for known in known_answers()}
    for seed in range(RANDOM):
        rng = np.random.default_rng(seed)
        m, n = rng.integers(1, 12, 2)
        mask = rng.random((m, n)) < rng.uniform(0.5, 3) / max(m, n)
        found[f"random_{seed}"] = sp.csc_array(mask.astype(float))
    for A in found.values():
        A.eliminate_zeros()
    return found


@pytest.fixture(scope="module")
def by_octave(tmp_path_factory):
    """Each matrix, its decomposition, and what Octave makes of both; one process for all."""
    octave = shutil.which("octave-cli")
    if octave is None:
        pytest.skip("Octave is not installed")
    folder = tmp_path_factory.mktemp("octave")
    given = {}
    for name, A in matrices().items():
        given[name] = A, btfperm.dulmage_mendelsohn(A)
        btfperm.write_matrix(folder / f"{name}.A.mat", A)
        btfperm.save(given[name][1], folder / f"{name}.perm.mat")
    program = [octave, "--no-init-file", "--no-window-system", PROGRAM, folder]
    done = subprocess.run(program, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    out = {name: scipy.io.loadmat(folder / f"{name}.out.mat") for name in given}
    return {name: (*pair, out[name]) for name, pair in given.items()}


def test_the_parts_and_blocks_are_those_of_dmperm(by_octave):
    for name, (A, d, found) in by_octave.items():
        ours = as_matlab(d)
        p, q, r, s, cc, rr = (found[key].ravel().astype(int) for key in ours._fields)
        np.testing.assert_array_equal(ours.rr, rr, err_msg=name)
        np.testing.assert_array_equal(ours.cc, cc, err_msg=name)
        assert d.structural_rank == found["rank"].item(), name
        own = blocks(ours.p, ours.q, ours.r - 1, ours.s - 1)
        theirs = blocks(p, q, r - 1, s - 1)
        assert set(own) == set(theirs), name
        if cc[2] > 1:  # a horizontal part, which comes first
            assert own[0] == theirs[0], name
        if rr[2] <= A.shape[0]:
            assert own[-1] == theirs[-1], name


def test_the_file_permutes_the_matrix_to_its_blocks(by_octave):
    for name, (A, d, found) in by_octave.items():
        assert found["below"].item() == 0, name
        order = as_matlab(d)
        permuted = A[order.p - 1, :][:, order.q - 1]
        assert found["permuted"].shape == A.shape
        assert abs(sp.csc_array(found["permuted"]) - permuted).sum() == 0, name


def test_the_matrices_have_all_parts(by_octave):
    """The comparison is worth little unless the matrices have all parts, and some of them a rank
    that is not full."""
    parts = np.array([np.diff(d.coarse_rows) > 0 for _, d, _ in by_octave.values()])
    assert (parts.sum(axis=0) >= 5).all()
    assert sum(d.structural_rank < min(A.shape) for A, d, _ in by_octave.values()) >= 10
