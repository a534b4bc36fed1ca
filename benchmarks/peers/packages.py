# SPDX-License-Identifier: BSD-3-Clause
"""The packages that users have today, each called as its manual demands, on data in its own format.

A peer that is not installed stays in the list, with the reason.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from benchmarks.peers import suitesparse
from benchmarks.timing import Answer, Call, Method, NotApplicableError


def matching_peers() -> list[Method]:
    """Maximum transversal: SciPy, BTF, CXSparse, scikit-sparse, igraph."""
    return [
        Method("SciPy", _scipy_matching, _count_matched),
        Method("BTF", suitesparse.btf_maxtrans, _rank, _failure(suitesparse.btf)),
        Method(
            "CXSparse",
            suitesparse.cs_maxtrans,
            suitesparse.cs_maxtrans_answer,
            _failure(suitesparse.cxsparse),
        ),
        Method("scikit-sparse", _sksparse_maxtrans, _count_matched, _missing("sksparse.btf")),
        Method("igraph", _igraph_matching, _rank, _missing("igraph")),
    ]


def decomposition_peers() -> list[Method]:
    """Block triangular form or Dulmage-Mendelsohn decomposition: what each package has."""
    return [
        Method(
            "btf_order",
            suitesparse.btf_order,
            suitesparse.btf_order_answer,
            _failure(suitesparse.btf),
        ),
        Method(
            "cs_dmperm",
            suitesparse.cs_dmperm,
            suitesparse.cs_dmperm_answer,
            _failure(suitesparse.cxsparse),
        ),
        Method("scikit-sparse", _sksparse_btf, _sksparse_btf_answer, _missing("sksparse.btf")),
        Method("SciPy pieces", _scipy_pieces, _scipy_pieces_answer),
    ]


def _failure(load: Callable[[], Any]) -> str | None:
    try:
        load()
    except OSError as error:
        return str(error)
    return None


def _missing(module: str) -> str | None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        return str(error)
    return None


def _rank(result: int) -> Answer:
    return {"rank": int(result)}


def _count_matched(match: Any) -> Answer:
    return {"rank": int((match >= 0).sum())}


def _scipy_matching(A: sp.csc_array) -> Call:
    """SciPy's matching of a matrix in CSR with int32 indices. Its manual asks for this format, and
    SciPy need not convert it."""
    C = _csr(A)
    return lambda: maximum_bipartite_matching(C, perm_type="column")


def _scipy_pieces(A: sp.csc_array) -> Call:
    """The steps of a user of SciPy: matching, permutation, strong components."""
    m, n = A.shape
    if m != n:
        raise NotApplicableError("square only")
    C = _csr(A)

    def call() -> Any:
        row_of_col = maximum_bipartite_matching(C, perm_type="row")
        rank = int((row_of_col >= 0).sum())
        if rank < n:
            raise NotApplicableError("nonsingular only")
        return rank, connected_components(C[row_of_col], connection="strong")

    return call


def _scipy_pieces_answer(result: tuple[int, tuple[int, Any]]) -> Answer:
    return {"rank": result[0], "blocks": int(result[1][0])}


def _sksparse_maxtrans(A: sp.csc_array) -> Call:
    maxtrans = importlib.import_module("sksparse.btf").maxtrans
    return lambda: maxtrans(A)


def _sksparse_btf(A: sp.csc_array) -> Call:
    if A.shape[0] != A.shape[1]:
        raise NotApplicableError("square only")
    btf = importlib.import_module("sksparse.btf").btf
    return lambda: btf(A)


def _sksparse_btf_answer(result: tuple[Any, Any, Any]) -> Answer:
    """The answer of scikit-sparse. Version 0.5 returns the whole array r; the blocks end where r
    holds n."""
    _, q, r = result
    n = len(q)
    rank = int((q >= 0).sum())
    return {"rank": rank, "blocks": int(np.argmax(r == n))} if rank == n else {"rank": rank}


def _igraph_matching(A: sp.csc_array) -> Call:
    igraph = importlib.import_module("igraph")
    m, n = A.shape
    if A.nnz > IGRAPH_ENTRIES:
        raise NotApplicableError(f"its graph of over {IGRAPH_ENTRIES:,} edges takes long to build")
    C = A.tocoo()
    edges = np.column_stack([C.row, m + C.col])
    kinds = [False] * m + [True] * n
    graph = igraph.Graph(n=m + n, edges=edges)
    return lambda: len(graph.maximum_bipartite_matching(types=kinds))


IGRAPH_ENTRIES = 2_000_000  # maximum of a matrix that igraph is measured on


def _csr(A: sp.csc_array) -> sp.csr_array:
    C = A.tocsr()
    C.sort_indices()
    return sp.csr_array(
        (np.ones(C.nnz), C.indices.astype(np.int32), C.indptr.astype(np.int32)), shape=A.shape
    )
