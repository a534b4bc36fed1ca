# SPDX-License-Identifier: BSD-3-Clause
"""The table of conventions: one row for each module of this package that defines a convention.

``--convention``, `btfperm.io.save`, `btfperm check`, ``btfperm.as_NAME`` and the table in the
documentation follow from these rows. This file imports no NumPy, so that ``--help`` is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from btfperm.fields import FIELDS
from btfperm.rows import Row, Table

if TYPE_CHECKING:
    from btfperm.results import Decomposition, SolverOrder

__all__ = ["Convention", "conventions"]


@dataclass(frozen=True, kw_only=True)
class Convention(Row):
    """The convention of one tool. Its module defines these functions, where NAME is the `name`:

    * ``as_NAME(result)``: the adapter; it returns a named tuple of arrays and whole numbers
    * ``read_NAME(fields, *, completed)``: the reader for `btfperm check`. `fields` are the arrays
      of a file, which may be wrong; `completed` states whether the permutation was completed. It
      returns the arrays under the keys of `perm.npz`, and a dictionary that gives the file's own
      name of each key. It raises ValueError with one clause if it cannot continue. It shares no
      code with the adapter, so that `check` finds an error in one of them.
    * ``write_NAME(result)`` (optional): the arrays of a file, by name, if these differ from the
      fields of the named tuple

    Attributes
    ----------
    summary : the function or program that returns or takes these arrays, in one line
    result : name of the named tuple
    arrays : names of its fields, in order
    direction : "gather" or "scatter"; "scatter, gather" if the first array, of the rows, scatters
        and the second one, of the columns, gathers
    base : number of the first row and column, 0 or 1
    unmatched : how unmatched rows and columns are marked
    accepts : which decompositions the adapter accepts
    recognised_by : arrays by which `check` recognises a file that does not name its convention
    pairs_diagonal : whether the file describes a square matrix with the matching on the diagonal;
        `check` then verifies the diagonal instead of the Dulmage-Mendelsohn parts
    triangle : "upper" or "lower": the block triangular form to which the first two arrays permute
        the matrix; "none" if they do not
    matching_only : whether the arrays hold a matching and no permutations; `check` then verifies
        only that it is maximum
    takes_solver_orders : whether the adapter accepts a `SolverOrder`, that is the result of
        `preorder`, which has a fill-reducing order inside the blocks
    """

    home: ClassVar[str] = "btfperm.conventions."

    summary: str
    result: str
    arrays: tuple[str, ...]
    direction: str
    base: int
    unmatched: str
    accepts: str
    recognised_by: tuple[str, ...] = ()
    pairs_diagonal: bool = False
    triangle: str = "upper"
    matching_only: bool = False
    takes_solver_orders: bool = True

    @property
    def adapter(self) -> Callable[[Decomposition], Any]:
        """The function ``as_NAME``."""
        return getattr(self.load(), f"as_{self.stem}")  # type: ignore[no-any-return]

    def file_arrays(self, result: Decomposition | SolverOrder) -> Mapping[str, Any]:
        """The arrays of a permutation file in this convention, by name."""
        write = getattr(self.load(), f"write_{self.stem}", None)
        return (write or self._fields_of)(result)

    def _fields_of(self, result: Any) -> Mapping[str, Any]:
        return self.adapter(result)._asdict()  # type: ignore[no-any-return]

    def read(
        self, fields: Mapping[str, Any], *, completed: bool
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """The result of ``read_NAME``."""
        read = getattr(self.load(), f"read_{self.stem}")
        return read(fields, completed=completed)  # type: ignore[no-any-return]


_ENDS = "columns first, rows last"
_DMPERM = "a Dulmage-Mendelsohn decomposition of any shape"
_CASADI = ("rowperm", "colperm", "rowblock", "colblock", "coarse_rowblock", "coarse_colblock")
_COMPLETED = "square matrices; structurally singular ones from `block_triangular_form`"

conventions = Table(
    Convention,
    "convention",
    Convention(
        name="btfperm",
        summary="the arrays of `perm.npz`",
        result="Btfperm",
        arrays=tuple(field.name for field in FIELDS[2:]),
        direction="gather",
        base=0,
        unmatched="-1 in `row_match`, `col_match`",
        accepts="every decomposition",
        takes_solver_orders=False,
    ),
    Convention(
        name="matlab",
        summary="`dmperm` of MATLAB and Octave",
        result="Matlab",
        arrays=("p", "q", "r", "s", "cc", "rr"),
        direction="gather",
        base=1,
        unmatched=_ENDS,
        accepts=_DMPERM,
        recognised_by=("p", "q", "r", "s", "cc", "rr"),
        takes_solver_orders=False,
    ),
    Convention(
        name="csparse",
        summary="the struct `csd` of `cs_dmperm` of CSparse and CXSparse",
        result="CSparse",
        arrays=("p", "q", "r", "s", "nb", "rr", "cc"),
        direction="gather",
        base=0,
        unmatched=_ENDS,
        accepts=_DMPERM,
        takes_solver_orders=False,
    ),
    Convention(
        name="btf",
        summary="`btf_order`, and `Match` of `btf_maxtrans`",
        result="Btf",
        arrays=("P", "Q", "R", "nblocks", "nmatch", "Match"),
        direction="gather",
        base=0,
        unmatched="-1 in `Match`; column j is `-j - 2` in `Q`",
        accepts=_COMPLETED,
        recognised_by=("P", "Q"),
        pairs_diagonal=True,
    ),
    Convention(
        name="klu",
        summary="`P`, `Q` for `klu_analyze_given`, and the `R` it finds",
        result="Klu",
        arrays=("P", "Q", "R"),
        direction="gather",
        base=0,
        unmatched="not marked",
        accepts=_COMPLETED,
        pairs_diagonal=True,
    ),
    Convention(
        name="superlu",
        summary="SuperLU, SuperLU_DIST and SciPy's `splu`",
        result="SuperLU",
        arrays=("perm_r", "perm_c"),
        direction="scatter",
        base=0,
        unmatched="not marked",
        accepts=_COMPLETED,
        recognised_by=("perm_r", "perm_c"),
        pairs_diagonal=True,
    ),
    Convention(
        name="casadi",
        summary="`Sparsity.btf` of CasADi",
        result="CasADi",
        arrays=_CASADI,
        direction="gather",
        base=0,
        unmatched="rows first, columns last",
        accepts=_DMPERM,
        recognised_by=_CASADI,
        triangle="lower",
    ),
    Convention(
        name="petsc",
        summary="the index sets of PETSc's `MatPermute`, in the form of `MatGetOrdering`",
        result="Petsc",
        arrays=("rperm", "cperm"),
        direction="gather",
        base=0,
        unmatched="not marked",
        accepts=_COMPLETED,
        recognised_by=("rperm", "cperm"),
        pairs_diagonal=True,
    ),
    Convention(
        name="umfpack",
        summary="`Qinit` of `umfpack_di_qsymbolic`, for the matrix `A[P, :]`",
        result="Umfpack",
        arrays=("P", "Qinit"),
        direction="gather",
        base=0,
        unmatched="not marked",
        accepts=_COMPLETED,
        recognised_by=("P", "Qinit"),
        pairs_diagonal=True,
        triangle="none",
    ),
    Convention(
        name="scipy",
        summary="`maximum_bipartite_matching` of SciPy for both values of `perm_type`",
        result="SciPy",
        arrays=("row", "column", "structural_rank"),
        direction="gather",
        base=0,
        unmatched="-1",
        accepts="every decomposition",
        recognised_by=("row", "column"),
        triangle="none",
        matching_only=True,
        takes_solver_orders=False,
    ),
)
"""All conventions by name, in the order of the help and the documentation."""
