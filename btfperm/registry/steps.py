# SPDX-License-Identifier: BSD-3-Clause
"""The steps of a call that are no algorithms: the function of each package, step and backend.

====================  ==========================================================================
step                  function: (arguments) -> result
====================  ==========================================================================
problem               (session, threads) -> a problem in which nothing is matched; for packages
                      whose problems have values
certificate           (problem, view, stopped_by, threads, size) -> `Proof`, or None if the host
                      must check. A GPU without this step leaves the check to the host. mpi: the
                      proof for one rank
recertification       (pattern, transversal) -> the transversal, certified for this pattern; on a
                      GPU, None if the host must check
legality              (problem) -> whether the matching is legal: entries, no two in a row or column
cover                 (problem, threads) -> whether the matching is maximum; marks a minimum cover
rank bound            (session) -> an upper bound on the structural rank
trees of a rank       (problem, direction) -> the trees of one rank in a search over ranks. This
                      step and the next four run on the CPU or the GPU of the rank
own rows              (problem) -> entries visited; matches columns of a rank to rows of the rank
whole matrix          (problem) -> the whole matrix on the first rank or its GPU, None on the other
                      ranks; and the function that hands out the results
search threads        (pattern, number that the caller set or None) -> the number of threads of the
                      search by the first rank
own block             (problem, seconds, seed) -> entries visited; finds a maximum matching of the
                      rows and columns of a rank
first relabelling     (problem) -> number of levels of the first global relabelling, on a GPU
decompose, cpu        (pattern, row_match, col_match, threads) -> Form
decompose, mpi        the same, where the arrays are those of one rank
decompose, gpu        (session, row_match, col_match) -> Form
decompose on first rank
                      (pattern, whole pattern or None, row_match, col_match, threads) -> Form with
                      the arrays of this rank; the first rank has the whole pattern
part of a rank        (pattern, whole Form) -> Form with the arrays of this rank
block graph           (pattern, decomposition) -> BlockGraph
transversal           (pattern, fields, choice) -> the result of a search; of package ``results``,
                      as the next one, in which a backend may use those of the CPU (`step_or_cpu`)
decomposition         (pattern, form, transversal, meta) -> the decomposition
options               (objective, weighted search, options) -> those of the search before it
moduli of a file      (path, communicator, objective, weighted search, options) -> pattern, moduli
                      or None if the pattern holds them, options
diagonals             (pattern, modulus, decomposition, objective, options of `weigh`) -> the
                      weighted transversal and its `Diagonals`
====================  ==========================================================================
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["add_step", "has_step", "remove_step", "step", "step_or_cpu"]

# (package, step, backend, module, function). The first part of the package's name is the folder of
# the module: ``weighted.graph`` and ``weighted.external`` call modules of ``weighted``.
_ROWS = (
    ("transversal", "certificate", "cpu", "certificate", "prove"),
    ("transversal", "certificate", "gpu", "certificate_gpu", "prove"),
    ("transversal", "recertification", "cpu", "certificate", "certified"),
    ("transversal", "recertification", "gpu", "certificate_gpu", "certified_on_device"),
    ("transversal", "legality", "cpu", "certificate", "is_legal"),
    ("transversal", "cover", "cpu", "certificate", "find_cover"),
    ("transversal", "rank bound", "cpu", "certificate", "rank_at_most"),
    ("transversal", "first relabelling", "gpu", "push_relabel.relabel_gpu", "first_levels"),
    ("transversal", "trees of a rank", "cpu", "owned_trees", "HostTrees"),
    ("transversal", "trees of a rank", "gpu", "owned_trees_gpu", "DeviceTrees"),
    ("transversal", "own rows", "cpu", "initial.greedy_mpi", "match_own_rows"),
    ("transversal", "own rows", "gpu", "owned_pairs_gpu", "match_own_rows"),
    ("transversal", "whole matrix", "cpu", "augmenting.first_rank_mpi", "gathered"),
    ("transversal", "whole matrix", "gpu", "whole_matrix_gpu", "gathered"),
    ("transversal", "search threads", "cpu", "augmenting.first_rank_mpi", "beside_hash"),
    ("transversal", "search threads", "gpu", "whole_matrix_gpu", "copying_threads"),
    ("transversal", "own block", "cpu", "initial.own_blocks_mpi", "match_own_block"),
    ("transversal", "own block", "gpu", "own_block_gpu", "match_own_block"),
    ("transversal", "certificate", "mpi", "certificate_mpi", "prove"),
    ("transversal", "rank bound", "mpi", "certificate_mpi", "rank_at_most"),
    ("results", "transversal", "cpu", "transversal", "whole_transversal"),
    ("results", "transversal", "mpi", "distributed", "distributed_transversal"),
    ("results", "decomposition", "cpu", "decomposition", "whole_decomposition"),
    ("results", "decomposition", "mpi", "distributed", "distributed_decomposition"),
    ("weighted", "options", "cpu", "of_file", "options_before"),
    ("weighted", "options", "mpi", "of_file_mpi", "options_before"),
    ("weighted", "moduli of a file", "cpu", "of_file", "read_moduli"),
    ("weighted", "moduli of a file", "mpi", "of_file_mpi", "read_moduli"),
    ("weighted", "diagonals", "cpu", "with_diagonals", "with_diagonals"),
    ("weighted", "diagonals", "mpi", "diagonal_mpi", "with_diagonals"),
    ("weighted", "problem", "cpu", "problem", "WeightedProblem"),
    ("weighted", "problem", "mpi", "assign_mpi", "DistributedWeights"),
    ("weighted", "certificate", "cpu", "certificate", "certify"),
    ("weighted", "certificate", "mpi", "certificate_mpi", "certify"),
    ("weighted.graph", "problem", "cpu", "graph_call", "GraphProblem"),
    ("weighted.graph", "problem", "gpu", "match_gpu", "graph_there"),
    ("weighted.graph", "problem", "mpi", "match_mpi", "DistributedGraph"),
    ("weighted.external", "problem", "cpu", "external", "FileGraph"),
    ("weighted.external", "certificate", "cpu", "external", "certify"),
    ("weighted.graph", "certificate", "cpu", "graph_certificate", "certify"),
    ("weighted.graph", "certificate", "gpu", "match_gpu", "certify"),
    ("weighted.graph", "certificate", "mpi", "match_mpi", "certify"),
    ("dulmage_mendelsohn", "decompose", "mpi", "decompose_mpi", "decompose"),
    ("dulmage_mendelsohn", "decompose on first rank", "mpi", "decompose_mpi", "on_first_rank"),
    ("dulmage_mendelsohn", "part of a rank", "mpi", "decompose_mpi", "sliced"),
    ("dulmage_mendelsohn", "decompose", "cpu", "decompose_cpu", "decompose"),
    ("dulmage_mendelsohn", "decompose", "gpu", "decompose_gpu", "decompose"),
    ("dulmage_mendelsohn", "block graph", "gpu", "block_graph_gpu", "block_graph_on_device"),
)
_STEPS = {
    (package, name, backend): (f"btfperm.{package.partition('.')[0]}.{module}", function)
    for package, name, backend, module, function in _ROWS
}

_LOADED: dict[str, ModuleType] = {}


def has_step(package: str, name: str, backend: str) -> bool:
    """Whether a backend implements a step of a package."""
    return (package, name, backend) in _STEPS


def step(package: str, name: str, backend: str) -> Callable[..., Any]:
    """The function of a step; its module is imported when it is first used."""
    module, function = _STEPS[package, name, backend]
    loaded = _LOADED.get(module)
    if loaded is None:
        # import_module waits if another thread is still importing the module, which `sys.modules`
        # already holds.
        loaded = _LOADED[module] = importlib.import_module(module)
    return getattr(loaded, function)  # type: ignore[no-any-return]


def step_or_cpu(package: str, name: str, backend: str) -> Callable[..., Any]:
    """The function of a step of a backend, or that of the CPU if the backend has none."""
    return step(package, name, backend if (package, name, backend) in _STEPS else "cpu")


def add_step(package: str, name: str, backend: str, module: str, function: str) -> None:
    """Adds a step for a package or backend that is not part of btfperm."""
    _STEPS[package, name, backend] = module, function


def remove_step(package: str, name: str, backend: str) -> None:
    """Removes a step that `add_step` added."""
    module, _ = _STEPS.pop((package, name, backend))
    _LOADED.pop(module, None)
