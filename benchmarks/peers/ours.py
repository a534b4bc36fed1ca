# SPDX-License-Identifier: BSD-3-Clause
"""btfperm as a competitor: the calls its users make, on a `Pattern` made beforehand.

They run on the CPU, as the peers do, even if `auto` would choose a GPU.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.timing import Answer, Call, Method, NotApplicableError

NAME = "btfperm"
UNPROVEN = "no proof"  # the same call without the time of its certificate, which no peer has


def matching(algorithms: list[str], threads: int | None) -> list[Method]:
    """`btfperm.maximum_transversal`, one method for each algorithm asked for; certificate included.

    The first is the one that the peers are compared with, also without its certificate.
    """
    missing = absent()
    unproven = Method(
        UNPROVEN,
        _call("maximum_transversal", algorithm=algorithms[0], threads=threads),
        lambda t: {"rank": t.structural_rank},
        missing,
        counted=lambda t, seconds: seconds - float(t.seconds["certificate"]),
    )
    proven = [
        Method(
            NAME if k == 0 else algorithm,
            _call("maximum_transversal", algorithm=algorithm, threads=threads),
            lambda t: {"rank": t.structural_rank},
            missing,
        )
        for k, algorithm in enumerate(algorithms)
    ]
    return [proven[0], unproven, *proven[1:]]


def decomposition(algorithms: list[str], threads: int | None) -> list[Method]:
    """`btfperm.dulmage_mendelsohn`, from a pattern without a matching to the blocks, certificate
    included.

    The last method is `block_triangular_form`, which computes only what btf_order computes.
    """
    missing = absent()
    methods = [
        Method(
            NAME if k == 0 else algorithm,
            _call("dulmage_mendelsohn", algorithm=algorithm, threads=threads),
            decomposition_answer,
            missing,
        )
        for k, algorithm in enumerate(algorithms)
    ]
    form = _call("block_triangular_form", square=True, algorithm=algorithms[0], threads=threads)
    return [*methods, Method(f"{NAME} BTF", form, _form_answer, missing)]


def decomposition_answer(d: Any) -> Answer:
    """Rank and fine blocks of the square part."""
    first, end = int(d.coarse_rows[1]), int(d.coarse_rows[2])
    r = np.asarray(d.row_blocks)
    square = (r[:-1] >= first) & (r[:-1] < end) & (r[1:] > r[:-1])
    return {"rank": int(d.structural_rank), "blocks": int(square.sum())}


def _form_answer(f: Any) -> Answer:
    """The rank and the blocks. The blocks of a singular matrix are left out, because they depend on
    how the matching was completed."""
    rank = int(f.structural_rank)
    return {"rank": rank, "blocks": f.n_blocks} if rank == f.shape[0] else {"rank": rank}


def _call(function: str, *, square: bool = False, **options: Any) -> Callable[[Any], Call]:
    def prepare(A: Any) -> Call:
        if square and A.shape[0] != A.shape[1]:
            raise NotApplicableError("square only")
        btfperm = importlib.import_module("btfperm")
        run = getattr(btfperm, function)
        pattern = importlib.import_module("btfperm.pattern").as_pattern(A)
        return lambda: run(pattern, backend="cpu", **options)

    return prepare


def absent() -> str | None:
    """The reason why the core cannot run. It is not started here, because its threads would not
    survive a fork."""
    if importlib.util.find_spec("btfperm._core") is None:
        return "btfperm's core is not built here (pip install -e .)"
    return None
