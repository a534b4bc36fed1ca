# SPDX-License-Identifier: BSD-3-Clause
"""Fill-reducing orders with and without the block triangular form, and compared with AMD and COLAMD
of SuiteSparse.

The section measures every square, structurally nonsingular matrix with values. Power flow Jacobians
are also measured with their rows in random order (``systems.py``).
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp

import btfperm
from benchmarks.cases import Case
from benchmarks.peers import suitesparse
from benchmarks.report import Options, Row, Section, by_matrix, known, paragraphs, table
from benchmarks.solvers.routes import (
    RATIO_HEAD,
    Klu,
    Rows,
    in_turns,
    klu_is_absent,
    libraries_in_words,
    method,
    ratio_cells,
)
from benchmarks.solvers.systems import POWER_FLOW, laid_out, matrices_of
from benchmarks.timing import Method, Notes
from btfperm.ordering import count_fill, order_places
from btfperm.pattern import inverse

FILL, TIMES, AMD, COLAMD = "fill", "KLU's factor time", "amd", "colamd"
MORE = 1.02  # matrices with more than this many times the fill of SuiteSparse's order are listed
_MOST = 10**8  # entries of L, above which the fill is not counted
NOTE_BLOCKS = (
    "All orders are by amd and have the same entries on the diagonal, which `preorder` chooses for "
    "KLU with `block_ordering='amd'`. 'Numbers' is how many entries KLU stores: L + U inside the "
    "blocks, and the entries above the blocks. 'Blocks' orders each block. 'One block' orders the "
    "whole matrix, for KLU without its block triangular form. 'Restricted' is the latter order "
    "inside each block. It never has more fill than 'one block': each entry of L + U belongs to a "
    "path through earlier pivots, and a path between two rows of a block stays in the block. The "
    "factor times are medians of ratios to 'blocks'; the calls of KLU's `factor` take turns. "
    "Matrices of one block are left out."
)
NOTE_PEERS = (
    "Entries of L + U for pivots on the diagonal, with the whole matrix as one block: our order "
    "over the order of SuiteSparse's AMD and COLAMD with their defaults, for the same entries on "
    "the diagonal."
)


def run(cases: list[Case], options: Options) -> Section:
    """One row for each matrix."""
    measured = Rows(options)
    for facts, A in matrices_of(cases):
        layouts = ("natural", "shuffled") if facts["matrix"].startswith(POWER_FLOW) else ("",)
        for layout in layouts:
            name = f"{facts['matrix']} {layout}".strip()
            measured.add(facts | {"matrix": name}, _methods(), laid_out(A, layout), "ratio")
    rows = measured.all
    several = [row for row in rows if row.get(FILL, {}).get("blocks", 1) > 1]
    text = [libraries_in_words(), "### One block over the blocks", NOTE_BLOCKS, _means(several)]
    head = ["blocks", "numbers, blocks", "one block", "restricted", "ratio", "restricted, ratio"]
    head += ["factor time, one block", "restricted"]
    text += [by_matrix(head, several, _cells)]
    text += ["### Over SuiteSparse", NOTE_PEERS, _peers(rows), _listed(rows)]
    head = [
        f"{name}: {key}" for name in (AMD, COLAMD) for key in ("fill", "SuiteSparse's", "ratio")
    ]
    text += [by_matrix(head, rows, _peer_cells)]
    return Section("Orders", paragraphs(*text), {"rows": rows}, measured.complaints)


def _methods() -> list[Method]:
    absent = klu_is_absent()
    return [
        method(FILL, lambda A: _Orders(A).fills()),
        method(TIMES, lambda A: _Orders(A).times(), absent),
        method(AMD, lambda A: _beside(A, "amd", suitesparse.amd_order), _reason("amd")),
        method(COLAMD, lambda A: _beside(A, "colamd", suitesparse.colamd_order), _reason("colamd")),
    ]


def _reason(name: str) -> str | None:
    """The reason why the library cannot be called, or None if it can."""
    try:
        getattr(suitesparse, name)()
    except OSError as error:
        return str(error)
    return None


class _Orders:
    """Three orders of one matrix: inside the blocks, of the whole matrix as one block, and the
    latter restricted to each block."""

    def __init__(self, A: sp.csc_array) -> None:
        warnings.simplefilter("ignore")
        self.A = A
        p = btfperm.preorder(A, solver="klu", block_ordering="amd", threads=1)
        form = p.form
        assert form.pattern is not None
        self.pattern, n = form.pattern, A.shape[0]
        self.rows, self.cols, self.blocks = form.matched_row_perm, form.col_perm, form.row_blocks
        width = self.cols.dtype
        self.inside = order_places(self.pattern, self.rows, self.cols, self.blocks, "amd-ascending")
        self.place, self.whole = np.arange(n, dtype=width), np.array([0, n], width)
        self.matched = form.col_match.astype(width)  # the row matched to each column
        one = (self.pattern, self.matched, self.place, self.whole)
        self.one_block = order_places(*one, "amd-ascending")
        by_block = np.argsort(form.col_block[self.one_block], kind="stable")
        restricted = inverse(self.cols)[self.one_block[by_block]]
        self.restricted = restricted.astype(width, copy=False)
        cols = np.repeat(np.arange(n), np.diff(self.pattern.indptr))
        above = form.row_block[self.pattern.indices] != form.col_block[cols]
        self.n_above = int(np.count_nonzero(above))

    def fills(self) -> Notes:
        """The number of entries that KLU stores with each order."""
        form = (self.pattern, self.rows, self.cols, self.blocks)
        one = (self.pattern, self.matched, self.place, self.whole)
        found = {
            "blocks": self._total(*form, self.inside) + self.n_above,
            "one": self._total(*one, self.one_block),
            "restricted": self._total(*form, self.restricted) + self.n_above,
        }
        return {"numbers" if key == "blocks" else key: x for key, x in found.items()} | {
            "blocks": float(self.blocks.size - 1)
        }

    def _total(self, *arguments: Any) -> float:
        pattern, rows, cols, bounds, order = arguments
        fill = count_fill(pattern, rows, cols, bounds, order, _MOST)
        return float("nan") if fill is None else float(fill.total)

    def times(self) -> Notes:
        """KLU's factor time with the order of one block and with the restricted order, each over
        its factor time with the order inside the blocks."""
        values = self.A.data
        rows, cols = self.rows, self.cols
        blocks = self._factored(rows[self.inside], cols[self.inside], True)
        one = self._factored(self.matched[self.one_block], self.one_block, False)
        same = self._factored(rows[self.restricted], cols[self.restricted], True)

        def ratio(klu: Klu) -> float:
            return in_turns(lambda: klu.factor(values), lambda: blocks.factor(values))

        return {"ratio": ratio(one), "restricted": ratio(same)}

    def _factored(self, rows: Any, cols: Any, has_blocks: bool) -> Klu:
        klu = Klu(self.A, has_blocks=has_blocks)
        klu.analyze(SimpleNamespace(row_perm=rows, col_perm=cols))
        klu.factor(self.A.data)
        return klu


def _beside(A: sp.csc_array, kind: Any, theirs: Any) -> Notes:
    """The fill of the whole matrix as one block with our order, and with SuiteSparse's order."""
    orders = _Orders(A)
    one = (orders.pattern, orders.matched, orders.place, orders.whole)
    B = sp.csc_array(sp.csr_array(A)[orders.matched])
    B.sort_indices()
    order = theirs(B).astype(orders.place.dtype)
    return {
        "fill": orders._total(*one, order_places(*one, kind)),
        "theirs": orders._total(*one, order),
    }


def _ratio(row: Row, part: str, over: str = "numbers") -> float | None:
    found = row.get(FILL, {})
    return found[part] / found[over] if found.get(part) and found.get(over) else None


def _cells(row: Row) -> list[str]:
    found, times = row.get(FILL, {}), row.get(TIMES, {})
    numbers = [known(found.get(key), "{:,.0f}".format) for key in _COUNTS]
    ratios = [known(_ratio(row, key), "{:.3f}".format) for key in ("one", "restricted")]
    return [*numbers, *ratios, *(known(times.get(k), "{:.3f}".format) for k in _TIMES)]


_COUNTS = ("blocks", "numbers", "one", "restricted")
_TIMES = ("ratio", "restricted")


def _means(rows: list[Row]) -> str:
    lines = []
    for title, of in (
        ("numbers, one block", lambda row: _ratio(row, "one")),
        ("numbers, restricted", lambda row: _ratio(row, "restricted")),
        ("one block over restricted", lambda row: _ratio(row, "one", "restricted")),
        ("factor time, one block", lambda row: row.get(TIMES, {}).get("ratio")),
        ("factor time, restricted", lambda row: row.get(TIMES, {}).get("restricted")),
    ):
        found = {row["matrix"]: q for row in rows if (q := of(row))}
        fewer = sum(q < 1 for q in found.values())
        lines.append([title, *ratio_cells(found), str(fewer)])
    return table(["ratio", *RATIO_HEAD, "below 1"], lines)


def _peer_ratio(row: Row, name: str) -> float | None:
    found = row.get(name, {})
    mine, theirs = found.get("fill"), found.get("theirs")
    return mine / theirs if mine and theirs else None


def _peers(rows: list[Row]) -> str:
    lines = []
    for name in (AMD, COLAMD):
        found = {row["matrix"]: q for row in rows if (q := _peer_ratio(row, name))}
        lines.append([name, *ratio_cells(found)])
    return table(["order", *RATIO_HEAD], lines)


def _listed(rows: list[Row]) -> str:
    lines = []
    for name in (AMD, COLAMD):
        found = [(q, row["matrix"]) for row in rows if (q := _peer_ratio(row, name) or 0) > MORE]
        shown = ", ".join(f"`{matrix}` {q:.3f}" for q, matrix in sorted(found, reverse=True))
        lines.append(f"- {name}, above {MORE}: {shown or 'none'}")
    return "\n".join(lines)


def _peer_cells(row: Row) -> list[str]:
    listed = []
    for name in (AMD, COLAMD):
        found = row.get(name, {})
        listed += [known(found.get(key), "{:,.0f}".format) for key in ("fill", "theirs")]
        listed.append(known(_peer_ratio(row, name), "{:.3f}".format))
    return listed
