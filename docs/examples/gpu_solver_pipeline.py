# SPDX-License-Identifier: BSD-3-Clause
"""Order, permute and solve on a GPU: the matrix never leaves it.

    python docs/examples/gpu_solver_pipeline.py [ROWS]

A circuit-like matrix is made on the device: half of its rows are one irreducible block, and the
other rows are blocks of one row before and after it. `btfperm` finds the block triangular form
there. Then only the large block has to be factored, by cuDSS (``pip install nvmath-python[cu12]``
or ``[cu13]``) where that is installed, else by cuSOLVER through CuPy; the rest is back
substitution.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import btfperm
from btfperm.pattern import permute


def example_matrix(n: int) -> Any:
    """Rows n/4 to 3n/4, the core, are one irreducible block: a grid in which the end of each line
    is also joined to the next line. The rows before it and behind it are blocks of one row, with
    random entries above the diagonal blocks. Then all rows and columns are numbered at random."""
    import cupy
    import cupyx.scipy.sparse as cs

    rng = cupy.random.default_rng(7)
    quarter = n // 4
    j = cupy.arange(n)
    core = cupy.arange(quarter, 3 * quarter)
    side = max(int((2 * quarter) ** 0.5), 1)
    low, high = core[:-side], core[side:]
    next_low, next_high = core[:-1], core[1:]
    k = 2 * n
    a, b = rng.integers(0, n, k), rng.integers(0, n, k)
    a, b = cupy.minimum(a, b), cupy.maximum(a, b)
    outside = (a < quarter) | (b >= 3 * quarter)  # never below the diagonal blocks
    rows = cupy.concatenate([j, low, high, next_low, next_high, a[outside]])
    cols = cupy.concatenate([j, high, low, next_high, next_low, b[outside]])
    values = cupy.concatenate([cupy.full(n, 8.0), rng.uniform(-1, 1, rows.size - n)])
    row_name, col_name = cupy.argsort(rng.random(n)), cupy.argsort(rng.random(n))
    return cs.coo_matrix((values, (row_name[rows], col_name[cols])), shape=(n, n)).tocsc()


def solve_with_a_gpu_solver(A: Any, b: Any) -> tuple[Any, str]:
    """The solution of a square nonsingular system, and the name of the solver."""
    try:
        from nvmath.sparse.advanced import direct_solver
    except ImportError:
        from cupyx.scipy.sparse.linalg import spsolve

        return spsolve(A.tocsr(), b), "cuSOLVER"
    return direct_solver(A.tocsr(), b), "cuDSS"


def solve_by_blocks(A: Any, b: Any) -> tuple[Any, str]:
    """Solves A x = b through the block triangular form; all arrays are CuPy's.

    Blocks of one row are solved by substitution, so this is for matrices with one block of several
    rows, as circuits mostly have.
    """
    import cupy
    from cupyx.scipy.sparse.linalg import spsolve_triangular

    form = btfperm.block_triangular_form(A)
    sizes = cupy.diff(form.blocks)
    large = int(sizes.argmax())
    first, last = int(form.blocks[large]), int(form.blocks[large + 1])
    if form.n_blocks != form.shape[0] - (last - first) + 1:
        raise ValueError("this example takes matrices with one block of several rows")

    # The transversal on the diagonal, so that blocks of one row have their pivots there.
    rows, cols = form.matched_row_perm, form.col_perm
    U = permute(A, rows, cols).tocsr()
    y, x = b[rows].copy(), cupy.empty_like(b)

    below = slice(last, None)
    if last < y.size:
        y[below] = spsolve_triangular(U[last:, last:], y[below], lower=False)
        y[:last] -= U[:last, last:] @ y[below]
    y[first:last], solver = solve_with_a_gpu_solver(U[first:last, first:last], y[first:last])
    if first > 0:
        y[:first] -= U[:first, first:last] @ y[first:last]
        y[:first] = spsolve_triangular(U[:first, :first], y[:first], lower=False)
    x[cols] = y
    return x, solver


def main(n: int = 40_000) -> float:
    """Runs the pipeline, prints the results, and returns the residual."""
    import cupy

    A = example_matrix(n)
    form = btfperm.block_triangular_form(A)
    print(form)
    print("levels that can be solved at once:", form.block_graph().n_levels)
    b = cupy.ones(n)
    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    x, solver = solve_by_blocks(A, b)
    residual = float(cupy.abs(A @ x - b).max())
    seconds = time.perf_counter() - begin
    print(f"solved by blocks with {solver} in {seconds:.3f} s, residual {residual:.1e}")
    return residual


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
