# SPDX-License-Identifier: BSD-3-Clause
"""Every public function that takes a matrix accepts it on a GPU, with the same result."""

from __future__ import annotations

import inspect
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import testing
from btfperm.pattern import as_pattern
from tests.dulmage_mendelsohn.digraphs import with_diagonal
from tests.on_device import ARRAYS, COARSE, here, matrix_there, pattern_there


def proven(A):
    t = btfperm.maximum_transversal(A)
    assert t.verified and t.maximum
    return [t.rank_bounds, t.cover().size]


def blocks(d):
    return [getattr(d, name) for name in (*ARRAYS, *COARSE)]


def order(p):
    assert isinstance(p.row_perm, np.ndarray)
    return [p.row_perm, p.col_perm, p.blocks]


def permuted(result, A):
    """The result was computed on the host; the matrix may be on the device."""
    return [dense(result.apply(A))]


def written(A):
    """The matrices that the host reads from files of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        files = [
            Path(folder) / f"a{suffix}" for suffix in (".mtx", ".mtx.gz", ".npz", ".mat", ".rb")
        ]
        for file in files:
            btfperm.write_matrix(file, A)
        return [btfperm.read_matrix(file).toarray() for file in files]


def valued(A):
    if isinstance(A, btfperm.Pattern):
        with pytest.raises(btfperm.InvalidMatrixError, match="a Pattern has no values"):
            btfperm.as_valued(A)
        return []
    V = btfperm.as_valued(A)
    return [V.pattern.indptr, V.pattern.indices, V.values]


def weighted(A):
    if isinstance(A, btfperm.Pattern):
        with pytest.raises(btfperm.InvalidMatrixError, match="a Pattern has no values"):
            btfperm.weighted_transversal(A)
        return []
    w = btfperm.weighted_transversal(A)
    return [w.row_match, w.log_row_scale, w.log_col_scale]


def solved(A):
    if isinstance(A, btfperm.Pattern):
        for call in (lambda: btfperm.solve(A, np.ones(40)), lambda: btfperm.compare_solvers(A)):
            with pytest.raises(btfperm.InvalidMatrixError, match="a Pattern has no values"):
                call()
        return []
    return [btfperm.solve(A, np.ones(40)).x]


def compared(A):
    if isinstance(A, btfperm.Pattern):
        return []
    return [row.nnz for row in btfperm.compare_solvers(A, repeats=1)]


def message_of(fails, *given):
    with pytest.raises(AssertionError) as caught:
        fails(*given)
    return [str(caught.value)]


def dense(A):
    A = A.to_scipy() if isinstance(A, btfperm.Pattern) else A
    return here(A.toarray() if hasattr(A, "toarray") else A)


def reported(A):
    """The figures of a report; its times and its machine differ from call to call."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        btfperm.report(A, page, solvers_within=0)
        return re.findall(r'<dl class="figures">.*?</dl>', page.read_text(encoding="utf-8"))


# A square matrix with a full diagonal, and the same with an empty row and an empty column.
WHOLE = with_diagonal(40, 1.6, 5)
WHOLE.data[:] = np.arange(1.0, WHOLE.nnz + 1)
BROKEN = sp.block_diag([WHOLE, sp.csc_array((1, 1))], format="csc")
# For each public function that takes a matrix: what must not depend on the matrix's device.
TAKERS = {
    "as_pattern": lambda A: [dense(btfperm.as_pattern(A))],
    "as_valued": valued,
    "structural_rank": lambda A: [btfperm.structural_rank(A)],
    "maximum_transversal": proven,
    "dulmage_mendelsohn": lambda A: blocks(btfperm.dulmage_mendelsohn(A)),
    "block_triangular_form": lambda A: blocks(btfperm.block_triangular_form(A)),
    "weighted_transversal": weighted,
    "preorder": lambda A: order(btfperm.preorder(A)),
    "solve": solved,
    "compare_solvers": compared,
    "write_matrix": written,
    "report": reported,
    "diagnose": lambda A: [str(btfperm.diagnose(A))],
    "assert_structurally_nonsingular": testing.assert_structurally_nonsingular,
    "assert_blocks_at_most": lambda A: message_of(testing.assert_blocks_at_most, A, 1),
}
METHODS = {
    "DulmageMendelsohn.apply": lambda A: permuted(btfperm.dulmage_mendelsohn(WHOLE), A),
    "DulmageMendelsohn.block_graph": lambda A: [
        btfperm.dulmage_mendelsohn(A).block_graph(A).indices,
        btfperm.dulmage_mendelsohn(WHOLE).block_graph(A).indices,
    ],
    "Preordering.apply": lambda A: permuted(btfperm.preorder(WHOLE), A),
}


def test_these_are_all_that_take_a_matrix():
    named = [(name, getattr(btfperm, name)) for name in btfperm.__all__]
    named += [(name, getattr(testing, name)) for name in testing.__all__]
    functions = [(name, f) for name, f in named if inspect.isfunction(f)]
    assert {name for name, f in functions if "A" in inspect.signature(f).parameters} == set(TAKERS)


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["csc", "csr", "coo", "dense", "pattern"])
@pytest.mark.parametrize("name", [*TAKERS, *METHODS])
def test_all_that_takes_a_matrix_takes_it_from_a_device(name, kind):
    ask = (TAKERS | METHODS)[name]
    ours = {"dense": WHOLE.toarray(), "pattern": as_pattern(WHOLE)}.get(kind, WHOLE)
    theirs = pattern_there(WHOLE) if kind == "pattern" else matrix_there(WHOLE, kind)
    expected, found = ask(ours), ask(theirs)
    for mine, other in zip(found or [], expected or [], strict=True):
        np.testing.assert_array_equal(here(mine), here(other))


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["csc", "pattern"])
def test_a_singular_matrix_on_a_device_is_blamed_as_on_the_host(kind):
    theirs = pattern_there(BROKEN) if kind == "pattern" else matrix_there(BROKEN)
    for fails in (testing.assert_structurally_nonsingular, btfperm.preorder):
        with pytest.raises(btfperm.StructurallySingularError) as ours:
            fails(BROKEN)
        with pytest.raises(btfperm.StructurallySingularError) as caught:
            fails(theirs)
        assert str(caught.value) == str(ours.value)


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["csc", "csr", "dense", "triple"])
def test_factors_are_the_hosts(kind):
    import cupy

    C = matrix_there(WHOLE)
    theirs = (C.data, C.indices, C.indptr) if kind == "triple" else matrix_there(WHOLE, kind)
    p = btfperm.preorder(WHOLE)
    with pytest.raises(btfperm.InvalidArgumentError, match=r"works on the host: .* A\.get\(\)"):
        p.factor(theirs)
    b = cupy.asarray(WHOLE @ np.ones(WHOLE.shape[0]))
    factors = p.factor(C.get())
    with pytest.raises(btfperm.InvalidArgumentError, match=r"works on the host: .* b\.get\(\)"):
        factors.solve(b)
    np.testing.assert_allclose(factors.solve(b.get()), 1)
