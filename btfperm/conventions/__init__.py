# SPDX-License-Identifier: BSD-3-Clause
# ruff: isort: skip_file
"""The conventions of other tools, and btfperm's own, one convention in each file.

A convention is the way in which a tool stores its permutations. An *adapter* converts a
decomposition to a convention; some adapters also accept the result of `preorder`. It returns a
named tuple whose fields have the tool's own names and order. ``CONVENTIONS`` maps the names that
files and the command line use to the adapters. `rows.py` describes each convention: its arrays,
direction, base, and what its adapter accepts; docs/conventions.md shows these rows as a table.

*Gather*: ``P[k]`` is the original row now in place k, as in ``A[P, :]``. *Scatter*: ``perm_r[i]``
is the place to which row i goes. One is the inverse of the other.

``register(row)`` adds a `Convention` for the rest of the process. Its module may be any that Python
can import. Afterwards, ``btfperm.as_NAME`` is its adapter, and `save` and the commands accept its
name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from btfperm.conventions.rows import Convention, conventions as _table

# isort would write one import for each name.
if TYPE_CHECKING:  # the same names, with their types
    from btfperm.conventions.btf import Btf as Btf, as_btf as as_btf
    from btfperm.conventions.btfperm import Btfperm as Btfperm, as_btfperm as as_btfperm
    from btfperm.conventions.casadi import CasADi as CasADi, as_casadi as as_casadi
    from btfperm.conventions.csparse import CSparse as CSparse, as_csparse as as_csparse
    from btfperm.conventions.klu import Klu as Klu, as_klu as as_klu
    from btfperm.conventions.matlab import Matlab as Matlab, as_matlab as as_matlab
    from btfperm.conventions.petsc import Petsc as Petsc, as_petsc as as_petsc
    from btfperm.conventions.scipy import SciPy as SciPy, as_scipy as as_scipy
    from btfperm.conventions.superlu import SuperLU as SuperLU, as_superlu as as_superlu
    from btfperm.conventions.umfpack import Umfpack as Umfpack, as_umfpack as as_umfpack
    from btfperm.results import Decomposition


class _Adapters(Mapping[str, Callable[["Decomposition"], Any]]):
    """The adapters by name; a module is imported when its adapter is used."""

    def __getitem__(self, name: str) -> Callable[[Decomposition], Any]:
        return _table[name].adapter

    def __iter__(self) -> Iterator[str]:
        return iter(_table)

    def __len__(self) -> int:
        return len(_table)

    def __contains__(self, name: object) -> bool:
        return name in _table


CONVENTIONS: Mapping[str, Callable[[Decomposition], Any]] = _Adapters()
register = _table.register
unregister = _table.unregister

__all__ = ["CONVENTIONS", "Convention", "register", "unregister"]
__all__ += [f"as_{row.stem}" for row in _table.values()]
__all__ += [row.result for row in _table.values()]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    for row in _table.values():
        if name == f"as_{row.stem}":
            return row.adapter
        if name == row.result:
            return getattr(row.load(), name)
        if name == row.stem and not row.module:
            return row.load()
    raise AttributeError(f"module 'btfperm.conventions' has no attribute {name!r}")
