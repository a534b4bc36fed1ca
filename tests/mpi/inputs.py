# SPDX-License-Identifier: BSD-3-Clause
"""Matrices for the tests over ranks, the same on each rank, and smaller bounds."""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module

import numpy as np
import scipy.sparse as sp

import btfperm


def drawn(items):
    """The items to run on this number of ranks: all items on three ranks without a sanitizer, and
    on real GPUs; otherwise every third item. Together, the runs on 1, 2 and 7 ranks cover all
    items. Seven ranks take long on few cores."""
    from mpi4py import MPI

    ranks = MPI.COMM_WORLD.size
    whole = (ranks == 3 and "LD_PRELOAD" not in os.environ) or "BTFPERM_REAL_GPUS" in os.environ
    return list(items) if whole else list(items)[min(ranks, 3) - 1 :: 3]


def random_matrix(seed):
    """A random matrix of any shape, with or without a diagonal, banded or not."""
    rng = np.random.default_rng(seed)
    m, n = (int(size) for size in rng.integers(1, 55, 2))
    if seed % 3 == 0:
        n = m
    count = int(rng.integers(0, 4 * max(m, n)))
    rows, cols = rng.integers(0, m, count), rng.integers(0, n, count)
    if seed % 4 == 1:
        cols = np.clip(rows + rng.integers(-3, 4, count), 0, n - 1)
    if seed % 5 == 0:
        both = np.arange(min(m, n))
        rows, cols = np.concatenate((rows, both)), np.concatenate((cols, both))
    return sp.csc_array((np.ones(rows.size), (rows, cols)), shape=(m, n))


def skewed_matrix(n, seed):
    """Square, with four entries in a column on average: few rows and columns have most of them."""
    rng = np.random.default_rng(seed)
    rows, cols = n * rng.random(4 * n) ** 3, n * rng.random(4 * n) ** 2
    return sp.csc_array((np.ones(4 * n), (rows.astype(int), cols.astype(int))), shape=(n, n))


def forest(seed, size):
    """A random forest, numbered at random, whose vertices are the rows and columns: each vertex is
    a root, or has an edge to one earlier vertex of the other kind."""
    rng = np.random.default_rng(seed)
    is_row = rng.random(size) < rng.uniform(0.3, 0.7)
    ends = []
    for v in range(1, size):
        others = np.flatnonzero(is_row[:v] != is_row[v])
        if others.size and rng.random() < 0.97:
            u = int(others[rng.integers(others.size)])
            ends.append((v, u) if is_row[v] else (u, v))
    rows, cols = (np.array(side, dtype=np.int64) for side in zip(*ends, strict=True))
    shape = (int(is_row.sum()), int(size - is_row.sum()))
    place = np.empty(size, dtype=np.int64)
    place[is_row], place[~is_row] = rng.permutation(shape[0]), rng.permutation(shape[1])
    return sp.csc_array((np.ones(rows.size), (place[rows], place[cols])), shape=shape)


def full(m, n):
    return sp.csc_array(np.ones((m, n)))


def as_distributed_rows(A, comm, *, values=False):
    """The rows of each rank, in uneven blocks, with the values if asked for."""
    A = sp.csr_array(A)
    bounds = np.minimum(np.arange(comm.size + 1) ** 2, A.shape[0])
    bounds[-1] = A.shape[0]
    first, last = int(bounds[comm.rank]), int(bounds[comm.rank + 1])
    own = A[first:last]
    return btfperm.DistributedPattern.from_rows(
        comm, own.indptr, own.indices, A.shape, first=first, values=own.data if values else None
    )


@contextmanager
def changed(module, name, value):
    there = import_module(module)
    before = getattr(there, name)
    setattr(there, name, value)
    try:
        yield
    finally:
        setattr(there, name, before)


def on_one_machine():
    """Whether all ranks are on one machine. The cases also run on ranks of several machines."""
    from mpi4py import MPI

    from btfperm.backends.mpi.exchange import Exchange

    return Exchange.of(MPI.COMM_WORLD).ranks_here == MPI.COMM_WORLD.size


@contextmanager
def nothing_small():
    """No matrix is small enough to be analysed whole on each of several ranks."""
    from btfperm.transversal.auto_table import TABLE

    rules = TABLE["place over ranks"]
    TABLE["place over ranks"] = tuple(rule for rule in rules if rule.name != "small")
    try:
        yield
    finally:
        TABLE["place over ranks"] = rules


def no_search():
    """Replaces the search by one that ends at once, so that the initial matching is the result."""

    def stopped(problem, budget, seed, options):
        budget.stopped_by = "max_work"
        return {}

    return changed("btfperm.transversal.augmenting.ms_bfs_mpi", "ms_bfs", stopped)


def greedy_with_lists():
    """Replaces the matching of karp-sipser by that of greedy, which is further from maximum. The
    row lists that karp-sipser has made remain."""
    from btfperm.transversal.initial.greedy_mpi import greedy
    from btfperm.transversal.initial.karp_sipser_mpi import karp_sipser

    def replaced(problem, budget, seed, options):
        counters = karp_sipser(problem, budget, seed, options)
        problem.reset(keep_matching=False)
        greedy(problem, budget, seed, {"rounds": 3})
        return counters

    return changed("btfperm.transversal.initial.karp_sipser_mpi", "karp_sipser", replaced)


@contextmanager
def small_steps():
    """A rank expands few columns in a step of the search, few columns choose in a step of
    karp-sipser, which sends few lines, and lists are sent in many pieces."""
    start = "btfperm.transversal.initial.karp_sipser_mpi"
    with (
        changed("btfperm.transversal.augmenting.ms_bfs_mpi", "LEAST_STEP", 1),
        changed(start, "LEAST_LINES", 1),
        changed(start, "LEAST_FINE", 1),
        changed(start, "LEAST_CHOICES", 1),
        changed("btfperm.pattern.owned_lists", "LEAST_PIECE", 1),
        changed("btfperm.backends.mpi.halo", "ROUND", 1),
        changed("btfperm.dulmage_mendelsohn.fine_square.digraph_mpi", "_PIECE", 2),
    ):
        yield


def numbers_of_64_bits():
    """Patterns have 64-bit numbers, as those of very large matrices, although 32 bits suffice."""
    return changed("btfperm.pattern.distributed", "index_type", lambda shape, nnz: np.int64)


def long_lists():
    """Lists of two lines are long, so that they do not travel together with their counts."""
    return changed("btfperm.backends.mpi.exchange", "_INLINE", 1)


def small_tables():
    """At first, trees on a GPU have room for only two roots of other ranks."""
    return changed("btfperm.transversal.owned_trees_gpu", "_ROOTS", 2)


def gathered_up_to(edges):
    """Remainders of more edges than this are not gathered."""
    module = "btfperm.dulmage_mendelsohn.fine_square.find_square_mpi"
    return changed(module, "GATHERED", edges)
