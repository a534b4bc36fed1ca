# SPDX-License-Identifier: BSD-3-Clause
"""ORDERS FOR DIRECT SOLVERS: order once, then factor and solve as often as the values change.

``preorder(A)`` finds the block triangular form, puts a transversal on the diagonal and orders each
block so that the factors have little fill. The result has the order in the conventions of KLU and
SuperLU, and its method `factor` calls one of these solvers. `solve` orders, factors and solves one
system, and `compare_solvers` measures KLU and SuperLU.
"""

from __future__ import annotations

from typing import Any, get_args

from btfperm.arguments import refuse_unknown_keywords, text
from btfperm.backends.threads import checked_threads
from btfperm.block_triangular import block_triangular_form
from btfperm.diagnosis import diagnose
from btfperm.diagnosis.text import finding_lines
from btfperm.dulmage_mendelsohn import dulmage_mendelsohn
from btfperm.errors import InvalidArgumentError, StructurallySingularError
from btfperm.ordering.inside_blocks import BlockOrdering, order_inside_blocks
from btfperm.path.make_plan import team_size
from btfperm.pattern import (
    DECOMPOSITION,
    Pattern,
    ValuedPattern,
    as_pattern,
    as_valued,
    memory_for,
)
from btfperm.pattern.input import refuse_ranks
from btfperm.preorder.compare import SolverRun, compare_solvers
from btfperm.preorder.factorization import Factorization
from btfperm.preorder.klu_libraries import Solver as InstalledSolver
from btfperm.preorder.klu_libraries import solvers
from btfperm.preorder.preordering import Preordering, Solver
from btfperm.preorder.small import small_preordering
from btfperm.preorder.system import Solution, solve
from btfperm.preorder.weights import Ordered, Weights, choose_weights, finite_values
from btfperm.printable import one_name
from btfperm.results import Transversal, WeightedTransversal
from btfperm.transversal import SEARCH_KEYWORDS

__all__ = [
    "Factorization",
    "InstalledSolver",
    "Preordering",
    "Solution",
    "SolverRun",
    "compare_solvers",
    "preorder",
    "solve",
    "solvers",
]

# Computed once, because get_args takes a tenth of the time of the order of a small matrix.
_SOLVERS, _ORDERINGS, _WEIGHTS = (get_args(kind) for kind in (Solver, BlockOrdering, Weights))
_KEYWORDS = SEARCH_KEYWORDS | {"transversal"}
# Options that have no influence on which transversal is found.
_NO_SEARCH_OPTIONS = {"threads", "drop_zeros", "shape"}


def preorder(
    A: Any,
    *,
    solver: Solver = "superlu",
    block_ordering: BlockOrdering = "auto",
    weights: Weights = "auto",
    **options: Any,
) -> Preordering:
    """Row and column order for a direct solver: block triangular form, matched diagonal, and a
    fill-reducing order inside each block.

    Parameters
    ----------
    A : a square, structurally nonsingular matrix of any type that `as_pattern` accepts.
        weights="product" requires values, and "auto" uses them if there are any. A matrix on a GPU
        is copied to the host, where the orders inside the blocks are computed, and the result is on
        the host
    solver : "superlu" or "klu", the solver that will factor the matrix; "auto" depends on it
    block_ordering : order inside the blocks.

        - "colamd": column approximate minimum degree; for partial pivoting and any pattern
        - "amd": approximate minimum degree on the pattern of B + B' for a block B; for nearly
          symmetric blocks and a solver that prefers pivots on the diagonal. In unsymmetric blocks,
          columns that are eliminated together have ascending numbers for KLU and ascending
          Markowitz counts for SuperLU
        - "minimum-fill": each pivot creates few entries; for pivots on the diagonal of unsymmetric
          blocks. It takes longer than "amd"
        - "rcm": reverse Cuthill-McKee on the pattern of B + B': a small bandwidth, usually with
          more fill than "amd"
        - "natural": in each block, columns have ascending numbers, and each row is at the place of
          its matched column
        - "auto": "natural" if no block has more than two rows. "amd" if at least three quarters of
          the entries off the diagonal inside the blocks have a mirror image. Otherwise, for KLU,
          "minimum-fill" if it saves 5 % of the predicted fill of "amd" and is found within a limit
          on the work, else "amd". For SuperLU, "colamd" if more than 15 % of the columns have a
          diagonal entry below 0.1 of their largest entry in the block, or if this share is unknown
          because `weights` does not use the values. In other cases, "colamd" if there are at least
          500 rows, less than a quarter of the entries off the diagonal have a mirror image, and
          "colamd" has less predicted fill; else "amd"
    weights : which entries are on the diagonal.

        - "none": the entries of a transversal of the pattern
        - "product": the entries with the largest product of moduli, see `weighted_transversal`
        - "auto": "none" or "product". A column is weak if its diagonal entry is below 0.001 of its
          largest entry in the block, for KLU after each row was divided by its largest entry.
          "product" is chosen if it has at most half as many weak columns as "none", and at most 1.2
          times the predicted fill. Two more cases require at least 500 rows and
          block_ordering="auto". For KLU, if "none" has no weak column, "product" is chosen if it
          has 5 % less predicted fill. For SuperLU, "product" is also chosen if it has not more weak
          columns than "none", and in at most 1 % of the columns, and not more predicted fill.
          "none" in all other cases. The values are not used if one is not finite, or if
          `transversal` or another option of the search is given
    options : as for `block_triangular_form`: transversal, algorithm, threads, drop_zeros,
        shape, ...

    Returns
    -------
    Preordering : ``.row_perm``, ``.col_perm``, ``.blocks``, ``.klu``, ``.superlu``,
        ``.apply(A)``, ``.factor(A)``

    Raises
    ------
    InvalidArgumentError : `A` is not square, an option is unknown, or weights="product" is given
        with an option of the search
    InvalidMatrixError : weights="product", and `A` has no values or one is not finite
    StructurallySingularError : the matrix is structurally singular; the message lists the groups of
        rows and columns that cause it, as `diagnose` does

    Notes
    -----
    The cost is that of one or two transversals (see `weights`), O(nnz) for the blocks, and that of
    the orders inside them. The result can be used for all matrices with this pattern, although
    `weights` may have chosen it for the values of this matrix. Sources: P. R. Amestoy,
    T. A. Davis, I. S. Duff, SIAM J. Matrix Anal. Appl. 17, 1996 (amd); T. A. Davis, J. R. Gilbert,
    S. I. Larimore, E. G. Ng, ACM TOMS 30, 2004 (colamd); W. F. Tinney, J. W. Walker, Proc. IEEE 55,
    1967, scheme 3 (minimum-fill).

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse
    >>> import btfperm
    >>> A = scipy.sparse.csc_array([[0.0, 2, 0, 0], [1, 4, 5, 0], [0, 1, 6, 3], [0, 0, 1, 2]])
    >>> p = btfperm.preorder(A)
    >>> p
    <Preordering of a 4 x 4 matrix for superlu: 3 blocks, the largest of 2 rows, natural inside>
    >>> p.factor(A).solve(np.array([2.0, 10, 10, 3]))
    array([1., 1., 1., 1.])
    """
    if text("solver", solver) not in _SOLVERS:
        raise InvalidArgumentError(f"solver {solver!r} is unknown; give one of {_SOLVERS}")
    if text("block_ordering", block_ordering) not in _ORDERINGS:
        raise InvalidArgumentError(
            f"block ordering {block_ordering!r} is unknown; give one of {_ORDERINGS}"
        )
    if text("weights", weights) not in _WEIGHTS:
        raise InvalidArgumentError(f"weights {weights!r} is unknown; give one of {_WEIGHTS}")
    refuse_unknown_keywords("preorder", options, _KEYWORDS)
    refuse_ranks("preorder", A, options)
    set_options = {name for name, value in options.items() if value is not None}
    if set_options <= {"threads"} and weights == block_ordering == "auto":
        if set_options:
            checked_threads(options["threads"])  # a small matrix is ordered on one thread
        small = small_preordering(A, solver)
        if small is not None:
            return small
    given = set_options - _NO_SEARCH_OPTIONS
    if weights == "product" and given:
        raise InvalidArgumentError(f"weights='product' allows no {min(given)}=")
    with memory_for(DECOMPOSITION):
        shape, drop_zeros = options.pop("shape", None), options.get("drop_zeros")
        valued = None
        if weights == "product":
            valued = as_valued(A, shape=shape, drop_zeros=drop_zeros).on_host().require_finite()
        elif weights == "auto" and not given:
            valued = finite_values(A, shape, drop_zeros)
        if valued is None:
            pattern = as_pattern(A, shape=shape, drop_zeros=drop_zeros).on_host()
        else:
            pattern = valued.pattern
        form = block_triangular_form(pattern, **options)
    if form.completed:
        raise _singular(pattern, form.transversal)
    threads = team_size(pattern.nnz, options.get("threads"))
    if valued is None:
        ordered = Ordered(form, order_inside_blocks(pattern, form, block_ordering, solver, threads))
    else:
        ordered = choose_weights(valued, form, weights, block_ordering, solver, threads)
    return _preordering(ordered, solver)


def order_for_solver(
    valued: ValuedPattern, transversal: Transversal, solver: Solver, threads: int | None
) -> tuple[Preordering, WeightedTransversal | None]:
    """(order, weighted transversal). The order is the result of `preorder` with weights="auto" and
    block_ordering="auto", but from a known transversal. The weighted transversal is None unless it
    is on the diagonal. The matrix is square, structurally nonsingular and on the host."""
    pattern = valued.pattern
    form = block_triangular_form(pattern, transversal=transversal, threads=threads)
    team = team_size(pattern.nnz, threads)
    ordered = choose_weights(valued, form, "auto", "auto", solver, team)
    return _preordering(ordered, solver), ordered.weighted


def _preordering(ordered: Ordered, solver: Solver) -> Preordering:
    form, inside, weighted = ordered
    given = form.transversal is not None and form.transversal.weights is not None
    found = Preordering(
        shape=form.shape,
        row_perm=inside.row_perm,
        col_perm=inside.col_perm,
        blocks=form.blocks,
        solver=solver,
        block_ordering=inside.block_ordering,
        form=form,
        weights="product" if given or weighted is not None else "none",
    )
    if inside.fill is not None:
        vars(found)["predicted_fill"] = inside.fill
    return found


def _singular(pattern: Pattern, transversal: Transversal | None) -> StructurallySingularError:
    """The error about a square matrix whose rows and columns cannot all be matched."""
    found = diagnose(dulmage_mendelsohn(pattern, transversal=transversal))
    n, rank = pattern.n, found.structural_rank
    name = one_name(pattern.name) if pattern.name else "the matrix"
    head = f"{name} is structurally singular: rank {rank} of {n} x {n}"
    return StructurallySingularError("\n".join([head, *finding_lines(found)]), found)
