# SPDX-License-Identifier: BSD-3-Clause
"""Digests of matchings with ``deterministic=True``: ``mpiexec -n P python -m tests.mpi.matchings``.

The first rank prints a JSON object for each matrix: the digests of the matching of ranks that share
the matrix, in several runs; that of ranks that analyse it whole; that of the permutations; and
those of one process. In each run, another rank is slower than the others.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import contextmanager

import numpy as np
from mpi4py import MPI

import btfperm
from btfperm.backends.mpi.ranks import Ranks
from tests import families
from tests.mpi import inputs

COMM = MPI.COMM_WORLD
RUNS = 3


def digest(*arrays):
    text = b"".join(np.asarray(array, dtype=np.int64).tobytes() for array in arrays)
    return hashlib.sha256(text).hexdigest()[:16]


def of_matching(t):
    assert t.maximum and t.verified
    return digest(t.row_match, t.col_match)


def of_blocks(d):
    return digest(d.row_perm, d.col_perm, d.row_blocks, d.col_blocks)


@contextmanager
def slower(rank):
    """Each fifth wait of a rank takes a millisecond longer."""
    wait, count = Ranks.wait, 0

    def delayed(self, request, **how):
        nonlocal count
        count += 1
        if COMM.rank == rank and count % 5 == 0:
            time.sleep(1e-3)
        wait(self, request, **how)

    Ranks.wait = delayed
    try:
        yield
    finally:
        Ranks.wait = wait


def matrices():
    yield "skewed", inputs.skewed_matrix(400, seed=1)
    yield "square", inputs.skewed_matrix(300, seed=2)[:, ::-1]
    yield "dead ends", families.deadtree(60, 1).A
    yield "rectangle", inputs.random_matrix(43)


def main():
    how = {"deterministic": True}
    for name, A in matrices():
        apart = []
        for run in range(RUNS):
            with slower(run % COMM.size):
                t = btfperm.maximum_transversal(A, comm=COMM, backend="mpi", **how)
            apart.append(of_matching(t))
        whole = of_matching(btfperm.maximum_transversal(A, comm=COMM, **how))
        blocks = of_blocks(btfperm.dulmage_mendelsohn(A, comm=COMM, backend="mpi"))
        if COMM.rank == 0:
            found = {"matrix": name, "apart": apart, "whole": whole, "blocks": blocks}
            found["whole in one process"] = of_matching(btfperm.maximum_transversal(A, **how))
            found["blocks in one process"] = of_blocks(btfperm.dulmage_mendelsohn(A))
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
