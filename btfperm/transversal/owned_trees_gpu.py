# SPDX-License-Identifier: BSD-3-Clause
"""The alternating trees of a rank on its GPU: the driver of ``owned_trees.cu``.

`DeviceTrees` has the methods that ``ms_bfs_mpi.py`` calls. Lines (messages to other ranks, see
``owned_trees.hpp``) are arrays on the device; `DeviceExchange` sends them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.gpu.arrays import BLOCK, download, grid, lanes_for, minus_ones, upload
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.device import refuse_beyond_free
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.transversal.owned_trees import TOP_DOWN

if TYPE_CHECKING:
    from btfperm.backends.mpi.problem import DistributedProblem

__all__ = ["DeviceTrees"]

_FILE = "transversal/owned_trees.cu"
# The numbers of arrays with an element for each row, column, ghost, root of another rank, and
# subscription, see the struct `Rank` in owned_trees.cuh. The hash table counts as four arrays.
_ARRAYS_OF_ROWS, _ARRAYS_OF_COLS, _ARRAYS_OF_GHOSTS = 3, 6, 2
_ARRAYS_OF_ROOTS, _ARRAYS_OF_SUBSCRIPTIONS = 7, 4
_ROOTS = 1 << 10  # initial room for roots of other ranks, and for subscriptions
_DEPTH = 1 << 30  # upper bound for the argument `depth`, so that it fits a 32-bit integer

_NULL = np.uint64(0)


class DeviceTrees:
    """Alternating trees of one rank. They are on the GPU that was CuPy's current device when the
    object was made, and grow only from their columns, whatever the `direction`."""

    def __init__(self, problem: DistributedProblem, direction: int = TOP_DOWN) -> None:
        import cupy

        self._problem = problem
        self._width = problem.width
        rows, cols, rank = problem.rows, problem.cols, problem.exchange.rank
        self._ranks, self._n_ghosts = problem.exchange.size, int(problem.halo.ghosts.size)
        self._n_rows, self._n_cols = rows.size, cols.size
        nnz = int(problem.halo.items.size)
        words_needed = nnz + (_ARRAYS_OF_ROWS + 1) * rows.size
        words_needed += (_ARRAYS_OF_COLS + 3) * cols.size + 3 * self._n_ghosts
        refuse_beyond_free(
            words_needed * np.dtype(self._width).itemsize,
            f"a search on rank {rank} with {rows.size:,} rows, {cols.size:,} columns and {nnz:,} "
            "entries",
        )
        indptr, items = problem.on_device
        self._lanes = lanes_for(int(items.size), max(self._n_cols, 1))
        bounds = np.concatenate((rows.bounds, cols.bounds)).astype(self._width)
        self._row_match, self._col_match = upload(problem.row_match), upload(problem.col_match)

        def words(count: int) -> Any:
            return cupy.empty(max(count, 1), dtype=self._width)

        self._arrays = {
            "indptr": indptr,
            "items": items,
            "ghosts": upload(problem.halo.ghosts.part(0, self._n_ghosts)),
            "bounds": upload(bounds),
            "row_match": self._row_match,
            "col_match": self._col_match,
            "by_row": words(_ARRAYS_OF_ROWS * self._n_rows),
            "by_col": words(_ARRAYS_OF_COLS * self._n_cols),
            "by_ghost": words(_ARRAYS_OF_GHOSTS * self._n_ghosts),
            "by_root": minus_ones(_ARRAYS_OF_ROOTS * _ROOTS, self._width),
            "by_subscription": words(_ARRAYS_OF_SUBSCRIPTIONS * _ROOTS),
        }
        self._fields = {
            "n_rows": self._n_rows,
            "n_cols": self._n_cols,
            "n_ghosts": self._n_ghosts,
            "row_first": rows.first,
            "col_first": cols.first,
            "rank": rank,
            "ranks": self._ranks,
            "most_roots": _ROOTS,
            "most_subscriptions": _ROOTS,
            **{name: int(array.data.ptr) for name, array in self._arrays.items()},
        }
        self._state = self._struct()
        self._run = kernels(_FILE, np.dtype(self._width).name)
        self._head = self._n_paths = 0
        self._shared: Any = None  # what other ranks have as ghosts, see `Halo.shared`
        self._sent: npt.NDArray[np.int64] = np.zeros(self._ranks, dtype=np.int64)

    def _struct(self) -> SharedStruct:
        return SharedStruct(_FILE, "Trees", self._fields, extra=2 * self._ranks)

    def _read(self) -> dict[str, int]:
        """The counters after the last launch."""
        values, layout = self._state.read(), self._state.layout
        self._fields = {name: values[place] for name, place in layout.words.items()}
        sent = values[layout.size : layout.size + self._ranks]
        self._sent = np.array(sent, dtype=np.int64)
        return self._fields

    def _together(self, name: str, *arguments: Any) -> None:
        self._run.launch_together(name, BLOCK, self._state.array, *arguments)

    def restart(self) -> None:
        """Deletes all trees and makes each unmatched column the root of a new tree."""
        self._together("restart")
        self._read()
        self._head = self._n_paths = 0

    def regrow(self) -> None:
        """Makes the next calls of `grow` expand all columns of trees again."""
        self._head = 0

    def grow(self, lines: Any, depth: int, most: int) -> tuple[Any, Any, int, int, int]:
        """Extends the trees in one step, see the kernel `grow`. Returns the lines for other ranks,
        their number for each rank, the number of trees that ended, the number of visited entries,
        and the number of columns that later calls must expand."""
        n_lines = int(lines.size) // 3
        self._make_room(n_lines)
        first_root = self._fields["n_roots"]
        self._together(
            "grow",
            *(n_lines, lines if n_lines else _NULL, first_root, self._head),
            *(min(depth, _DEPTH), min(most, self._n_cols + 1), self._lanes),
        )
        found = self._read()
        self._head, self._n_paths = found["head"], self._n_paths + found["ended"]
        out = self._lines("write_lines", first_root)
        waiting = found["n_in_trees"] - self._head
        return out, self._sent, found["ended"], found["edges"], waiting

    def _lines(self, kernel: str, *arguments: Any) -> Any:
        """The lines that result from the last launch; `kernel` writes them."""
        import cupy

        total = int(self._sent.sum())
        lines = cupy.empty(3 * total, dtype=self._width)
        if total:
            self._run.launch(kernel, grid(total), BLOCK, self._state.array, *arguments, lines)
        return lines

    def augment(self, lines: Any, is_start: bool) -> tuple[Any, Any, int]:
        """Augments in one step, see the kernel `augment`. Returns the lines for other ranks, their
        number for each rank, and the number of augmenting paths that begin at roots of this
        rank."""
        import cupy

        n_lines = int(lines.size) // 3
        most = self._n_paths if is_start else n_lines
        pending = cupy.empty(3 * max(most, 1), dtype=self._width)
        self._together("augment", n_lines, lines if n_lines else _NULL, int(is_start), pending)
        paths = self._read()["ended"]
        return self._lines("write_paths", pending), self._sent, paths

    def release(self) -> tuple[int, int]:
        """Releases the rows and columns of ended trees. Returns the number of released rows, and
        the number of columns that remain in trees."""
        self._together("release")
        found = self._read()
        self._n_paths = 0
        return found["released"], found["n_in_trees"]

    def rows_in_trees(self) -> npt.NDArray[np.uint8]:
        """Whether each row is in a tree."""
        return self._marks()[0]

    def cols_in_trees(self) -> npt.NDArray[np.uint8]:
        """Whether each column is in a tree."""
        return self._marks()[1]

    def _marks(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        import cupy

        rows, cols = (
            cupy.empty(max(count, 1), dtype=np.uint8) for count in (self._n_rows, self._n_cols)
        )
        blocks = grid(max(self._n_rows, self._n_cols))
        self._run.launch("mark", blocks, BLOCK, self._state.array, rows, cols)
        return rows.get()[: self._n_rows], cols.get()[: self._n_cols]

    def bottom_up(self) -> tuple[int, int]:
        """The number of bottom-up steps, and of entries visited in them: 0, because trees on a GPU
        grow only from columns."""
        return 0, 0

    def share_visited(self) -> None:
        """Claims the ghosts that their owners have visited, and no others. Collective."""
        import cupy

        if self._ranks == 1:
            return
        if self._shared is None:
            halo = self._problem.halo
            self._shared = upload(halo.positions(0, self._ranks)), *halo.shared()[1:]
        positions, to_others, to_here = self._shared
        marks = cupy.empty((int(positions.size), 1), dtype=np.uint8)
        if marks.size:
            blocks, places = grid(int(marks.size)), (int(marks.size), positions, marks)
            self._run.launch("mark_shared", blocks, BLOCK, self._state.array, *places)
        arrived = self._problem.link.move(marks, to_others, to_here)
        if self._n_ghosts:
            blocks = grid(self._n_ghosts)
            self._run.launch("see_ghosts", blocks, BLOCK, self._state.array, arrived)

    def deliver(self) -> None:
        """Copies the matching to the arrays of the problem."""
        download(self._row_match, self._problem.row_match)
        download(self._col_match, self._problem.col_match)

    def _make_room(self, n_lines: int) -> None:
        """Enlarges the arrays if the roots and subscriptions that these lines may add do not
        fit."""
        import cupy

        fields = self._fields
        roots = fields["n_roots"] + n_lines
        subscriptions = fields["n_subscriptions"] + n_lines
        if roots <= fields["most_roots"] and subscriptions <= fields["most_subscriptions"]:
            return
        before = self._arrays["by_root"], self._arrays["by_subscription"]
        sizes = fields["most_roots"], fields["most_subscriptions"]
        most_roots = 1 << max(roots - 1, fields["most_roots"] - 1).bit_length()
        most_subscriptions = max(2 * subscriptions, fields["most_subscriptions"])
        self._arrays["by_root"] = minus_ones(_ARRAYS_OF_ROOTS * most_roots, self._width)
        self._arrays["by_subscription"] = cupy.empty(
            _ARRAYS_OF_SUBSCRIPTIONS * most_subscriptions, dtype=self._width
        )
        self._fields = {
            **fields,
            "most_roots": most_roots,
            "most_subscriptions": most_subscriptions,
            "by_root": int(self._arrays["by_root"].data.ptr),
            "by_subscription": int(self._arrays["by_subscription"].data.ptr),
        }
        self._state = self._struct()
        blocks = grid(max(fields["n_roots"], fields["n_subscriptions"]))
        places = before[0], sizes[0], before[1], sizes[1]
        self._run.launch("enlarge", blocks, BLOCK, self._state.array, *places)
