# SPDX-License-Identifier: BSD-3-Clause
"""`WeightedTransversal`: a maximum transversal with the largest entries, and its scalings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidArgumentError
from btfperm.pattern.arrays import IndexArray
from btfperm.results.equality import fields_equal
from btfperm.results.html import html_table
from btfperm.results.read_only import freeze
from btfperm.results.transversal import Counters, Transversal

__all__ = ["WeightedTransversal"]

_LARGEST_EXPONENT = 708.0  # exp() of more overflows


@dataclass(frozen=True, eq=False, repr=False)
class WeightedTransversal:
    """A maximum transversal with large entries, and a proof: no other maximum transversal has an
    objective that is larger by more than `gap`.

    Two results are equal (``==``) if their shapes, kinds, matchings and duals are equal.

    Attributes
    ----------
    shape : (m, n)
    row_match : (m,) column matched to each row, or -1
    col_match : (n,) row matched to each column, or -1
    kind : "product", "sum" or "bottleneck"
    objective : a number for the matched entries. "product": the sum of the logarithms of their
        moduli; "sum": the sum of the moduli; "bottleneck": the smallest modulus, or infinity if
        nothing is matched
    gap : an upper bound on the difference between the largest possible objective and `objective`,
        computed from the duals in one pass over the entries. It consists of rounding errors only,
        unless the algorithm is "heavy-perfect"; it is 0 for "bottleneck". For "product" it is a
        difference of logarithms: a gap of 0.01 is about 1 % of the product
    log_row_scale, log_col_scale : (m,), (n,) natural logarithms of scalings r and c. Each scaled
        entry ``r[i] * abs(A[i, j]) * c[j]`` is at most 1, up to rounding. Scaled matched entries
        are 1; with "heavy-perfect" they may be smaller, and their product is exp(-gap). None unless
        the kind is "product"
    row_dual, col_dual : (m,), (n,) the dual variables u and v of the objective. The contribution of
        an entry is the logarithm of its modulus for "product", and the modulus for "sum". This
        contribution plus u[i] + v[j] is at most 0, up to rounding. At matched entries, it is 0;
        with "heavy-perfect", it may be negative, and the gap is minus the sum of these numbers. For
        "product", the duals are `log_row_scale` and `log_col_scale`; None for "bottleneck"
    structural_rank : number of matched entries
    transversal : the same matching as a `Transversal` with its certificate. Functions that take
        ``transversal=`` also accept the weighted transversal and use this attribute; their results
        have the scalings
    counters : ``edges``, the number of entries that the weighted search visited; ``searches``, the
        number of shortest path searches; ``bids`` and ``rounds`` of the auction. "bottleneck" has
        only ``thresholds``. Over MPI ranks, there are also counters of the data sent
    seconds : time of each stage
    algorithm : "mc64", "heavy-perfect" or "bisection"

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> w = btfperm.weighted_transversal(np.array([[1.0, 10.0], [4.0, 2.0]]))
    >>> w.row_match.tolist(), round(float(np.exp(w.objective)))
    ([1, 0], 40)
    """

    #: whether each MPI rank holds only its part of the arrays
    is_distributed: ClassVar[bool] = False

    shape: tuple[int, int]
    row_match: IndexArray
    col_match: IndexArray
    kind: str
    objective: float
    gap: float
    row_dual: npt.NDArray[np.float64] | None
    col_dual: npt.NDArray[np.float64] | None
    structural_rank: int
    transversal: Transversal | None = field(default=None, kw_only=True)
    counters: Counters = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    algorithm: str = "mc64"

    def __post_init__(self) -> None:
        freeze(self.row_match, self.col_match, self.row_dual, self.col_dual)

    @property
    def log_row_scale(self) -> npt.NDArray[np.float64] | None:
        """(m,) natural logarithms of the row scalings; None unless the kind is "product"."""
        return self.row_dual if self.kind == "product" else None

    @property
    def log_col_scale(self) -> npt.NDArray[np.float64] | None:
        """(n,) natural logarithms of the column scalings; None unless the kind is "product"."""
        return self.col_dual if self.kind == "product" else None

    def scales(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """(r, c): the scalings, not their logarithms. r is multiplied, and c divided, by one
        number that makes the largest and the smallest exponents similar in size, so that fewer
        scalings overflow. O(m + n).

        Raises
        ------
        InvalidArgumentError : the kind is not "product", or a scaling exceeds double precision
        """
        rows, cols = self._scale_logs()
        upper = max((float(a.max()) for a in (rows, -cols) if a.size), default=0.0)
        lower = min((float(a.min()) for a in (rows, -cols) if a.size), default=0.0)
        return self._scaled(rows, cols, upper, lower)

    def _scale_logs(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        rows, cols = self.log_row_scale, self.log_col_scale
        if rows is None or cols is None:
            raise InvalidArgumentError(f'a transversal of kind "{self.kind}" has no scalings')
        return rows, cols

    @staticmethod
    def _scaled(
        rows: npt.NDArray[np.float64],
        cols: npt.NDArray[np.float64],
        upper: float,
        lower: float,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The scalings, from their logarithms and the bounds of `rows` and ``-cols``."""
        middle = (upper + lower) / 2
        if upper - middle > _LARGEST_EXPONENT:
            raise InvalidArgumentError(
                f"the scalings reach e^{upper - middle:.0f}, beyond double precision: use "
                "log_row_scale and log_col_scale"
            )
        return np.exp(rows - middle), np.exp(cols + middle)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedTransversal):
            return NotImplemented
        names = ("shape", "kind", "row_match", "col_match", "row_dual", "col_dual")
        return fields_equal(self, other, names)

    def __hash__(self) -> int:
        return hash(("WeightedTransversal", self.shape, self.kind, self.structural_rank))

    def _facts(self) -> dict[str, Any]:
        return {"objective": f"{self.objective:.6g}", "gap": f"{self.gap:.1e}"}

    def _repr_html_(self) -> str:
        m, n = self.shape
        facts = {"shape": f"{m:,} x {n:,}", "structural rank": self.structural_rank}
        return html_table("WeightedTransversal", {**facts, "kind": self.kind, **self._facts()})

    def __repr__(self) -> str:
        m, n = self.shape
        most = "nearly the largest" if self.algorithm == "heavy-perfect" else "largest"
        facts = ", ".join(f"{name} {value}" for name, value in self._facts().items())
        return (
            f"<WeightedTransversal of a {m:,} x {n:,} matrix: structural rank "
            f"{self.structural_rank:,}, {most} {self.kind}, {facts}>"
        )
