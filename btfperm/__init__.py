# SPDX-License-Identifier: BSD-3-Clause
# ruff: isort: skip_file
"""btfperm: the structure of a sparse matrix, before a direct solver factors it.

>>> import numpy as np
>>> import btfperm
>>> A = np.array([[0, 2, 0], [1, 4, 5], [0, 1, 3]])
>>> btfperm.structural_rank(A)
3
>>> btfperm.dulmage_mendelsohn(A)
<DulmageMendelsohn of a 3 x 3 matrix: structural rank 3, square 3 x 3, 3 fine blocks>
"""

from __future__ import annotations

import importlib
import os
import sys
from _thread import RLock  # avoids the import of `threading`
from types import ModuleType
from typing import TYPE_CHECKING, Any

# isort would write one import for each name.
if TYPE_CHECKING:  # the same names, for type checkers
    from btfperm.block_triangular import (
        block_triangular_form as block_triangular_form,
    )
    from btfperm.conventions import (
        as_btf as as_btf,
        as_casadi as as_casadi,
        as_csparse as as_csparse,
        as_klu as as_klu,
        as_matlab as as_matlab,
        as_petsc as as_petsc,
        as_scipy as as_scipy,
        as_superlu as as_superlu,
        as_umfpack as as_umfpack,
    )
    from btfperm.diagnosis import (
        Diagnosis as Diagnosis,
        diagnose as diagnose,
    )
    from btfperm.dulmage_mendelsohn import (
        dulmage_mendelsohn as dulmage_mendelsohn,
    )
    from btfperm.errors import (
        BackendUnavailableError as BackendUnavailableError,
        BackendWarning as BackendWarning,
        BlockTooLargeError as BlockTooLargeError,
        BtfpermError as BtfpermError,
        CheckFailedError as CheckFailedError,
        DefectError as DefectError,
        DefectWarning as DefectWarning,
        IllConditionedWarning as IllConditionedWarning,
        InitialMatchingWarning as InitialMatchingWarning,
        InvalidArgumentError as InvalidArgumentError,
        InvalidMatrixError as InvalidMatrixError,
        LargeMatrixWarning as LargeMatrixWarning,
        LimitReachedError as LimitReachedError,
        NumericallySingularError as NumericallySingularError,
        ResourceMissingError as ResourceMissingError,
        SolverMissingWarning as SolverMissingWarning,
        StoredZerosWarning as StoredZerosWarning,
        StructurallySingularError as StructurallySingularError,
        UnorderedBlocksWarning as UnorderedBlocksWarning,
        UnreadableInputError as UnreadableInputError,
    )
    from btfperm.io import (
        load as load,
        peek as peek,
        read as read,
        read_matrix as read_matrix,
        read_valued as read_valued,
        save as save,
        write_matrix as write_matrix,
    )
    from btfperm.pattern import (
        DevicePattern as DevicePattern,
        DistributedPattern as DistributedPattern,
        Pattern as Pattern,
        ValuedPattern as ValuedPattern,
        as_pattern as as_pattern,
        as_valued as as_valued,
    )
    from btfperm.preorder import (
        Preordering as Preordering,
        Solution as Solution,
        SolverRun as SolverRun,
        compare_solvers as compare_solvers,
        preorder as preorder,
        solve as solve,
        solvers as solvers,
    )
    from btfperm.registry import (
        Algorithm as Algorithm,
        algorithms as algorithms,
    )
    from btfperm.reports.page import (
        report as report,
    )
    from btfperm.results import (
        Block as Block,
        BlockGraph as BlockGraph,
        BlockTriangularForm as BlockTriangularForm,
        CoarsePart as CoarsePart,
        Cover as Cover,
        Decomposition as Decomposition,
        DistributedDecomposition as DistributedDecomposition,
        DistributedGraphMatching as DistributedGraphMatching,
        DistributedTransversal as DistributedTransversal,
        DistributedWeightedTransversal as DistributedWeightedTransversal,
        DulmageMendelsohn as DulmageMendelsohn,
        GraphMatching as GraphMatching,
        Transversal as Transversal,
        WeightedTransversal as WeightedTransversal,
    )
    from btfperm.transversal import (
        maximum_transversal as maximum_transversal,
        structural_rank as structural_rank,
    )
    from btfperm.weighted import (
        weighted_transversal as weighted_transversal,
    )
    from btfperm.weighted.match import (
        match as match,
    )

__version__ = "0.1.0"

# The public names, and the module from which each name is imported at its first use. `__version__`
# and the modules in _MODULES are public, too.
_MODULE_OF = {
    "Algorithm": "registry",
    "BackendUnavailableError": "errors",
    "BackendWarning": "errors",
    "Block": "results",
    "BlockGraph": "results",
    "BlockTooLargeError": "errors",
    "BlockTriangularForm": "results",
    "BtfpermError": "errors",
    "CheckFailedError": "errors",
    "CoarsePart": "results",
    "Cover": "results",
    "Decomposition": "results",
    "DefectError": "errors",
    "DefectWarning": "errors",
    "DevicePattern": "pattern",
    "Diagnosis": "diagnosis",
    "DistributedDecomposition": "results",
    "DistributedGraphMatching": "results",
    "DistributedPattern": "pattern",
    "DistributedTransversal": "results",
    "DistributedWeightedTransversal": "results",
    "DulmageMendelsohn": "results",
    "GraphMatching": "results",
    "IllConditionedWarning": "errors",
    "InitialMatchingWarning": "errors",
    "InvalidArgumentError": "errors",
    "InvalidMatrixError": "errors",
    "LargeMatrixWarning": "errors",
    "LimitReachedError": "errors",
    "NumericallySingularError": "errors",
    "Pattern": "pattern",
    "Preordering": "preorder",
    "ResourceMissingError": "errors",
    "Solution": "preorder",
    "SolverMissingWarning": "errors",
    "SolverRun": "preorder",
    "StoredZerosWarning": "errors",
    "StructurallySingularError": "errors",
    "Transversal": "results",
    "UnorderedBlocksWarning": "errors",
    "UnreadableInputError": "errors",
    "ValuedPattern": "pattern",
    "WeightedTransversal": "results",
    "algorithms": "registry",
    "as_btf": "conventions",
    "as_casadi": "conventions",
    "as_csparse": "conventions",
    "as_klu": "conventions",
    "as_matlab": "conventions",
    "as_pattern": "pattern",
    "as_petsc": "conventions",
    "as_scipy": "conventions",
    "as_superlu": "conventions",
    "as_umfpack": "conventions",
    "as_valued": "pattern",
    "block_triangular_form": "block_triangular",
    "compare_solvers": "preorder",
    "diagnose": "diagnosis",
    "dulmage_mendelsohn": "dulmage_mendelsohn",
    "load": "io",
    "match": "weighted.match",
    "maximum_transversal": "transversal",
    "peek": "io",
    "preorder": "preorder",
    "read": "io",
    "read_matrix": "io",
    "read_valued": "io",
    "report": "reports.page",
    "save": "io",
    "solve": "preorder",
    "solvers": "preorder",
    "structural_rank": "transversal",
    "weighted_transversal": "weighted",
    "write_matrix": "io",
}

# Modules that are loaded when a user names them as attributes.
_MODULES = ("conventions", "diagnosis", "io", "reports", "testing")

__all__ = [*_MODULE_OF, "__version__", "testing"]


# A package and its modules import each other. If two threads import them at the same time, one of
# the threads may receive a module that is not complete.
_ONE_IMPORT_AT_A_TIME = RLock()

# If another thread held the lock during a fork, the child process would wait for the lock forever.
# So a fork waits until that thread has imported its module.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_ONE_IMPORT_AT_A_TIME.acquire,
        after_in_parent=_ONE_IMPORT_AT_A_TIME.release,
        after_in_child=_ONE_IMPORT_AT_A_TIME.release,
    )


def __getattr__(name: str) -> Any:
    with _ONE_IMPORT_AT_A_TIME:
        if name in _MODULES:
            return importlib.import_module(f"btfperm.{name}")
        module = _MODULE_OF.get(name)
        if module is None:
            if name.startswith("as_"):
                conventions = importlib.import_module("btfperm.conventions")
                if hasattr(conventions, name):
                    return getattr(conventions, name)
            raise AttributeError(f"module 'btfperm' has no attribute {name!r}")
        value = getattr(importlib.import_module(f"btfperm.{module}"), name)
        globals()[name] = value
        return value


class _PublicApi(ModuleType):
    """The class of this module. Some functions, such as `preorder`, have the name of the module
    that defines them. Python's import of such a module must not replace the function by the
    module."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _MODULE_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _PublicApi


def __dir__() -> list[str]:
    return sorted(__all__)
