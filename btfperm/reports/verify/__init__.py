# SPDX-License-Identifier: BSD-3-Clause
"""Is this permutation file right for this matrix? Plain NumPy, sharing nothing with the algorithms.

Every check is a function from a `Subject` (the matrix, the arrays of the file) to the violations
that it finds. `CHECKS` lists the checks in order, each with its preconditions. A check with a
precondition that failed is reported as skipped.

The mathematics: a matching is maximum if the alternating search from its unmatched columns reaches
no unmatched row. The rows that the search reaches, and the columns that it does not reach, are then
a cover with as many lines as the matching has entries (Kőnig). The coarse parts are the vertices
that the searches from both sides reach, whichever maximum matching is given. A square block is
irreducible if one of its matched entries reaches all others, and all others reach it.
The scalings of a weighted transversal are dual variables: if they are feasible, and tight at the
matched entries, no other perfect matching has a larger product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.reports.verify.blocks import check_irreducible, check_order, check_triangular
from btfperm.reports.verify.form import check_arrays, check_boundaries, check_permutations
from btfperm.reports.verify.proof import check_coarse, check_matching, check_rank
from btfperm.reports.verify.scalings import SCALES, check_scalings, check_unmatched
from btfperm.reports.verify.subject import KEYS, Subject, Violation

if TYPE_CHECKING:
    from btfperm.pattern import Pattern

__all__ = ["CHECKS", "Verdict", "Violation", "verify"]


@dataclass(frozen=True)
class Verdict:
    """What `verify` found.

    Attributes
    ----------
    violations : in the order of `CHECKS`; empty when the file is right
    passed : names of the checks that held
    skipped : names of the checks whose preconditions failed; also "scalings" if no values were
        given
    """

    violations: tuple[Violation, ...]
    passed: tuple[str, ...]
    skipped: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no violation and no check was skipped."""
        return not self.violations and not self.skipped


_Check = Callable[[Subject], Iterator[Violation]]

#: The name of each check, its function, and its preconditions: the names of arrays that must be #:
#: usable, and of checks that must have passed.
CHECKS: dict[str, tuple[_Check, tuple[str, ...]]] = {
    "arrays": (check_arrays, ()),
    "permutations": (check_permutations, ("row_perm", "col_perm")),
    "boundaries": (check_boundaries, KEYS[2:6]),
    "matching": (check_matching, ("row_match", "col_match")),
    "rank": (check_rank, ("matching", "structural_rank")),
    "coarse": (check_coarse, ("permutations", "boundaries", "rank")),
    "triangular": (check_triangular, ("permutations", "boundaries")),
    "irreducible": (check_irreducible, ("matching", "coarse", "triangular")),
    "order": (check_order, ("triangular",)),
    "scalings": (check_scalings, ("matching",)),
    "unmatched": (check_unmatched, ("scalings", "coarse")),
}

_OF_BLOCKS = ("boundaries", "triangular", "irreducible", "order")


def verify(
    pattern: Pattern,
    arrays: Mapping[str, Any],
    *,
    kind: str = "dulmage_mendelsohn",
    canonical: bool = True,
    names: Mapping[str, str] | None = None,
    missing: tuple[str, ...] = (),
    values: npt.ArrayLike | None = None,
    gap: float = 0.0,
) -> Verdict:
    """Verify the arrays of a permutation file against the matrix they claim to describe.

    Parameters
    ----------
    pattern : the matrix
    arrays : arrays under the keys of `perm.npz`; may be wrong in any way
    kind : ``"dulmage_mendelsohn"``; ``"block_triangular_form"``, where unmatched rows and
        columns are paired, both ascending; ``"solver"``, where the diagonal holds the
        pairs, blocks may be absent, and without `row_match` the entries on the diagonal are
        the matching; or ``"matching"``, where there is a matching only
    canonical : whether the canonical order and connected blocks in the rectangular parts are
        promised; files of other tools promise neither
    names : the names of the arrays in the file, if they differ from the keys; for the messages
    missing : other fields that the file should have and that are missing
    values : the values of the entries, in the order of the pattern. Without them, scalings in
        `arrays` are not checked, but reported as skipped
    gap : the sum of the logarithms of the scaled matched entries may be as low as ``-gap``. Then
        the logarithm of another matching's product may exceed that of this one by at most `gap`

    Returns
    -------
    Verdict : every violation, and the checks that passed or were skipped

    O(m + n + nnz log nnz) time and O(m + n + nnz) space. Where the search has narrow frontiers, it
    runs vertex by vertex in Python.

    >>> import numpy as np
    >>> from btfperm.pattern import as_pattern
    >>> one = dict(row_perm=[0], col_perm=[0], row_blocks=[0, 1], col_blocks=[0, 1],
    ...            coarse_rows=[0, 0, 1, 1, 1], coarse_cols=[0, 0, 0, 1, 1],
    ...            row_match=[0], col_match=[0], structural_rank=1)
    >>> verify(as_pattern(np.eye(1)), one).ok
    True
    >>> verify(as_pattern(np.eye(1)), one | {"structural_rank": 2}).violations[0].text
    'structural_rank is 2, but 1 rows are matched'
    """
    indptr, indices = np.asarray(pattern.indptr), np.asarray(pattern.indices)
    m, n = pattern.shape
    subject = Subject(
        m,
        n,
        indptr.astype(np.int64),
        indices.astype(np.int64),
        arrays,
        kind,
        canonical,
        names or {},
        missing=missing,
        values=None if values is None else np.asarray(values),
        gap=gap,
    )
    left_out = set() if canonical else {"order"}
    scaled = any(key in arrays for key in SCALES)
    if not (scaled and canonical and kind == "dulmage_mendelsohn"):
        left_out.add("unmatched")  # the check needs blocks that only these files have
    if not scaled:
        left_out.add("scalings")
    if kind == "solver":
        left_out |= {"coarse"} if "row_blocks" in arrays else {"coarse", *_OF_BLOCKS}
    if kind == "matching":
        left_out |= {"permutations", "coarse", *_OF_BLOCKS}
    violations: list[Violation] = []
    passed: list[str] = []
    skipped: list[str] = []
    for name, (check, needs) in CHECKS.items():
        if name in left_out:
            continue
        if kind == "solver" and name == "matching":  # the diagonal is known now, if at all
            needs = (*needs, "permutations")
            if "row_match" not in arrays and "permutations" in passed:
                subject.match_diagonal()
        if not all(need in passed or need in subject.good or need in left_out for need in needs):
            skipped.append(name)
            continue
        if name == "scalings" and values is None:
            skipped.append(name)
            continue
        hits = list(check(subject))
        violations += hits
        if not hits:
            passed.append(name)
    return Verdict(tuple(violations), tuple(passed), tuple(skipped))
