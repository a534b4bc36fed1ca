# SPDX-License-Identifier: BSD-3-Clause
"""EVERY TOOL'S OWN CONVENTION, one tool a file.

Each adapter takes a `DulmageMendelsohn` or a `BlockTriangularForm` and returns a named tuple whose
fields have the tool's own names and order. ``CONVENTIONS`` maps the names that files and the
command line use to the adapters.

=========  ============  ====  ================================  =================================
tool       permutations  base  unmatched                         accepts
=========  ============  ====  ================================  =================================
btfperm    gather        0     -1 in row_match, col_match        everything
matlab     gather        1     columns first, rows last          Dulmage-Mendelsohn, any shape
csparse    gather        0     columns first, rows last          Dulmage-Mendelsohn, any shape
btf        gather        0     Match -1; Q flipped to -j - 2     square; singular when completed
klu        gather        0     Q plain: KLU removes the flips    square; singular when completed
superlu    **scatter**   0     none                              square, structurally nonsingular
=========  ============  ====  ================================  =================================

*Gather*: ``P[k]`` is the original row now in place k, as in ``A[P, :]``. *Scatter*: ``perm_r[i]``
is the place to which row i goes. One is the inverse of the other.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from btfperm.conventions.btf import Btf, as_btf
from btfperm.conventions.btfperm import Btfperm, as_btfperm
from btfperm.conventions.csparse import CSparse, as_csparse
from btfperm.conventions.klu import Klu, as_klu
from btfperm.conventions.matlab import Matlab, as_matlab
from btfperm.conventions.superlu import SuperLU, as_superlu
from btfperm.results import Decomposition

__all__ = [
    "CONVENTIONS",
    "Btf",
    "Btfperm",
    "CSparse",
    "Klu",
    "Matlab",
    "SuperLU",
    "as_btf",
    "as_btfperm",
    "as_csparse",
    "as_klu",
    "as_matlab",
    "as_superlu",
]

CONVENTIONS: Mapping[str, Callable[[Decomposition], Any]] = MappingProxyType(
    {
        "btfperm": as_btfperm,
        "matlab": as_matlab,
        "csparse": as_csparse,
        "btf": as_btf,
        "klu": as_klu,
        "superlu": as_superlu,
    }
)
