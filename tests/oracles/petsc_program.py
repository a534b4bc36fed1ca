# SPDX-License-Identifier: BSD-3-Clause
"""A program that loads index sets with PETSc and uses them. It imports only petsc4py and NumPy.

The test starts it with an interpreter that has petsc4py, which may be another one than that of the
tests: ``python petsc_program.py FOLDER``. For each case NAME the folder contains NAME.npz (a sparse
matrix in compressed rows and a right-hand side) and NAME.petsc (the index sets of rows and of
columns). The program permutes the matrix by `MatPermute`, factors the result by `MatLUFactor` in
its natural order, and solves. It writes NAME.out.npz: the index sets as PETSc holds them, the
permuted matrix, the solution of the original system, and how many numbers the factors hold; if
PETSc fails, its error code instead of the last two. It also writes NAME.again.petsc, the index sets
written by PETSc itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

__all__ = ["run"]


def run(folder: Path) -> None:
    from petsc4py import PETSc

    def stored(path, mode):
        return PETSc.Viewer().createBinary(str(path), mode, comm=PETSc.COMM_SELF)

    for file in sorted(folder.glob("*.npz")):
        with np.load(file) as content:
            case = {name: content[name] for name in content.files}
        n = case["b"].size
        arrays = (case["indptr"].astype(PETSc.IntType), case["indices"].astype(PETSc.IntType))
        matrix = PETSc.Mat().createAIJ((n, n), csr=(*arrays, case["data"]), comm=PETSc.COMM_SELF)
        viewer = stored(file.with_suffix(".petsc"), "r")
        rows, cols = (PETSc.IS().load(viewer) for _ in range(2))
        again = stored(file.with_suffix(".again.petsc"), "w")
        for index_set in (rows, cols):
            index_set.setPermutation()
            index_set.view(again)
        again.destroy()
        permuted = matrix.permute(rows, cols)
        indptr, indices, data = (array.copy() for array in permuted.getValuesCSR())
        found = {"rperm": rows.indices, "cperm": cols.indices}
        found |= {"indptr": indptr, "indices": indices, "data": data}
        solution, b = permuted.createVecs()
        b.setArray(case["b"][rows.indices])
        x = np.empty(n)
        try:
            permuted.factorLU(*permuted.getOrdering("natural"))  # in place
            permuted.solve(b, solution)
            x[cols.indices] = solution.getArray()
            found |= {"x": x, "fill": permuted.getInfo()["nz_used"]}
        except PETSc.Error as error:
            found["error"] = np.array(error.ierr)
        np.savez(file.with_suffix(".out"), **found)


if __name__ == "__main__":
    run(Path(sys.argv[1]))
