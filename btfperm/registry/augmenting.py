# SPDX-License-Identifier: BSD-3-Clause
"""Searches for augmenting paths."""

from __future__ import annotations

from functools import partial

from btfperm.registry.algorithm import Algorithm, Option

__all__ = ["ROWS"]

row = partial(Algorithm, package="transversal", family="augmenting")

_THREADS = Option(
    "threads",
    "ct",
    "ct: 256 x 256 threads; mt: one thread for each column",
    forms=("ct", "mt"),
)

ROWS = (
    row(
        name="pothen-fan",
        backend="cpu",
        reference="Pothen, Fan, ACM TOMS 16 (1990); Duff, Kaya, Uçar, ACM TOMS 38 (2011)",
        summary="disjoint depth-first searches in phases, with lookahead and fairness",
        prefer="for dense patterns, and columns of some sixty entries or more",
        parallel=True,
        options=(Option("fairness", 1, "1: every second phase visits the lists backwards"),),
    ),
    row(
        name="hopcroft-karp",
        backend="cpu",
        reference="Hopcroft, Karp, SIAM J. Computing 2 (1973)",
        summary="maximal sets of disjoint shortest augmenting paths, O(nnz sqrt(n))",
        prefer="if a bound on the time is needed; otherwise ms-bfs is nearly always faster",
    ),
    row(
        name="hkdw",
        backend="cpu",
        reference="Duff, Wiberg, ACM TOMS 14 (1988)",
        summary="hopcroft-karp with depth-first searches from the unmatched rows after each phase",
        prefer="for chains, permuted meshes and roads, where hopcroft-karp takes many phases",
    ),
    row(
        name="ss-dfs",
        backend="cpu",
        reference="Duff, ACM TOMS 7 (1981), algorithm 575 (MC21)",
        summary="one depth-first search at a time, with lookahead",
        prefer="for comparison with MC21, BTF and CXSparse",
        options=(
            Option("close", 0, "1: as in ss-bfs, rows of failed searches are not visited again"),
        ),
    ),
    row(
        name="ss-bfs",
        backend="cpu",
        reference="Azad, Buluç, Pothen, IPDPS 2015 (SS-BFS)",
        summary="one breadth-first search at a time; rows of failed searches are not visited again",
        prefer="if few columns are unmatched and augmenting paths are short",
    ),
    row(
        name="ms-bfs",
        backend="cpu",
        reference="Azad, Buluç, Pothen, IPDPS 2015 (MS-BFS)",
        summary="in phases, breadth-first trees from all unmatched columns",
        prefer="usually on one thread if a published algorithm is needed",
    ),
    row(
        name="p-dbfs",
        backend="cpu",
        reference="Azad, Halappanavar, Rajamanickam, Boman, Khan, Pothen, IPDPS 2012",
        summary="disjoint breadth-first trees, one thread for each tree",
        prefer="on 16 cores, for about a million entries",
        parallel=True,
    ),
    row(
        name="ms-bfs-graft",
        backend="cpu",
        reference="Azad, Buluç, Pothen, IPDPS 2015",
        summary="ms-bfs, top-down or bottom-up, that keeps trees by grafting",
        prefer="on many cores for large matrices, and if many columns remain unmatched",
        parallel=True,
        options=(
            Option(
                "alpha",
                5,
                "bottom-up if the frontier has at least 1/alpha as many columns as there are "
                "unvisited rows; grafting if the trees that remain have more than 1/alpha as many "
                "columns as there are rows to graft",
            ),
            Option("direction", 1, "0: always top-down"),
            Option("graft", 1, "0: each phase builds all trees again"),
            Option(
                "whole",
                0,
                "1: top-down steps visit whole columns, also in trees that contain an augmenting "
                "path",
            ),
            Option("frontiers", 0, "1: report the size of the frontier in each level"),
        ),
    ),
    row(
        name="apfb",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013",
        summary="breadth-first searches, one launch for each level, then all paths at once",
        prefer="for comparison with apfb-wr",
        parallel=True,
        options=(_THREADS,),
        file="apfb",
    ),
    row(
        name="apfb-wr",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013",
        summary="apfb; a tree stops growing when it contains an augmenting path",
        prefer="for columns of nearly equal lengths if a published algorithm is needed",
        parallel=True,
        options=(_THREADS,),
        file="apfb",
    ),
    row(
        name="apsb",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013",
        summary="apfb; a search ends at the first level that reaches an unmatched row",
        prefer="for comparison with apsb-wr",
        parallel=True,
        options=(_THREADS,),
        file="apsb",
    ),
    row(
        name="apsb-wr",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013",
        summary="apsb; a tree stops growing when it contains an augmenting path",
        prefer="for short augmenting paths, as on meshes in natural order",
        parallel=True,
        options=(_THREADS,),
        file="apsb",
    ),
    row(
        name="meeting-trees",
        backend="gpu",
        reference="btfperm",
        summary="trees grow from unmatched columns and rows until they meet; they remain between "
        "phases",
        prefer="on a GPU nearly always, except if augmenting paths are long",
        parallel=True,
        options=(
            Option(
                "pairs",
                "any",
                "same is deprecated: use the algorithm ordered-trees",
                forms=("any",),
                old_forms=("same",),
            ),
        ),
        starts_itself=True,
    ),
    row(
        name="ms-bfs",
        backend="mpi",
        reference="Azad, Buluç, Pothen, IEEE Trans. Parallel Distrib. Syst. 28 (2017)",
        summary="over MPI ranks: trees from all unmatched columns, with grafting",
        prefer="for matrices over several ranks",
        deterministic=True,
        options=(
            Option("alpha", 5, "grafting if fewer than alpha rows are to graft per tree column"),
            Option(
                "direction",
                0,
                "0: trees grow from their columns; 1: after karp-sipser, a rank extends its trees "
                "from unvisited rows if it expects fewer entries there, which needs about 5 bytes "
                "for each entry; 2: always from unvisited rows. GPUs: always from columns",
            ),
        ),
    ),
    row(
        name="first-rank",
        backend="mpi",
        reference="btfperm",
        summary="over MPI ranks: the first rank holds the matrix and searches on all cores, or on "
        "its GPU",
        prefer="if all ranks are on one machine whose memory suffices for one process",
        starts_itself=True,
    ),
    row(
        name="ordered-trees",
        backend="gpu",
        reference="btfperm",
        summary="trees from unmatched columns in phases; of several columns, the first gets a row",
        prefer="if each run on a GPU must give the same matching; otherwise meeting-trees",
        parallel=True,
        starts_itself=True,
        deterministic=True,
    ),
)
