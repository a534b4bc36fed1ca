# SPDX-License-Identifier: BSD-3-Clause
"""Push-relabel algorithms, as published."""

from __future__ import annotations

from functools import partial

from btfperm.registry.algorithm import Algorithm, Option

__all__ = ["ROWS"]

row = partial(Algorithm, package="transversal", family="push_relabel")

_RELABEL = Option(
    "relabel",
    "adaptive:0.7",
    "when a global relabelling follows: adaptive:k, after 2 k push kernels for each level of the "
    "last relabelling; fixed:k, after k push kernels",
    forms=("adaptive:k", "fixed:k"),
)

ROWS = (
    row(
        name="push-relabel",
        backend="cpu",
        reference="Kaya, Langguth, Manne, Uçar, Computers & OR 40 (2013)",
        summary="first-in-first-out double pushes with global relabelling",
        prefer="if other published searches take many phases, as on graphs of citations",
        options=(
            Option(
                "relabel",
                0.5,
                "k: global relabelling after k (m + n) pushes that change a label; 0: once",
            ),
        ),
    ),
    row(
        name="push-relabel-mt",
        backend="cpu",
        reference="Langguth, Azad, Halappanavar, Manne, Parallel Computing 40 (2014)",
        summary="push-relabel on several threads, each with a queue of unmatched columns",
        prefer="for comparison with ms-bfs-graft on many cores",
        parallel=True,
        options=(
            Option("queue_limit", 500, "columns that a thread takes at most from the shared queue"),
            Option(
                "relabel_frequency",
                16,
                "k: global relabelling after k (m + n) pushes that change a label; 0: once",
            ),
        ),
    ),
    row(
        name="g-pr-first",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013",
        summary="all unmatched columns push at once, one thread each; periodic global relabelling",
        prefer="for comparison with g-pr-shr",
        parallel=True,
        options=(_RELABEL,),
    ),
    row(
        name="g-pr-noshr",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013",
        summary="g-pr-first with a list of the unmatched columns, one thread for each element",
        prefer="for comparison with g-pr-shr",
        parallel=True,
        options=(_RELABEL,),
    ),
    row(
        name="g-pr-shr",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013",
        summary="g-pr-noshr; the list is compacted after each relabelling",
        prefer="for columns of very different lengths, large irregular matrices, and very long "
        "paths",
        parallel=True,
        options=(_RELABEL,),
    ),
)
