# SPDX-License-Identifier: BSD-3-Clause
"""Generated matrices by name: the families on which every figure of this project is taken.

A name is a family and its sizes, as ``er_3e5_d2.7``; the suffix ``_rcp`` permutes rows and columns
at random, ``_rcp2``, ``_rcp3``, ... otherwise, ``+rcp`` as the counter-based graphs do. All draws
come from fixed seeds: the same name makes the same matrix everywhere (of the Delaunay meshes, a few
entries may depend on SciPy's Qhull).

>>> A = make("grid3d_4_rcp")
>>> A.shape, A.nnz
((64, 64), 352)
>>> [f.name for f in families() if f.kind == "kkt"]
['kkt', 'kkt_sing', 'opf']
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import scipy.sparse as sp

from benchmarks.generators.assemble import rcp
from benchmarks.generators.blocks import blocks, digraph, wide
from benchmarks.generators.chains import chain, chains, chains_hk
from benchmarks.generators.circuit import circuit
from benchmarks.generators.copurchase import copurchase
from benchmarks.generators.counter_based import (
    counted_delaunay,
    counted_er,
    counted_hex,
    counted_kron,
    counted_rgg,
    counted_rmat,
    counted_road,
)
from benchmarks.generators.deadtree import deadtree
from benchmarks.generators.delaunay import delaunay
from benchmarks.generators.dense import arrow, hessenberg
from benchmarks.generators.erdos_renyi import er, rect_tall, rect_wide
from benchmarks.generators.grid3d import grid3d
from benchmarks.generators.karp_sipser_hard import karp_sipser_hard
from benchmarks.generators.kkt import kkt, kkt_sing
from benchmarks.generators.ladder import ladder
from benchmarks.generators.papers import citations, copapers
from benchmarks.generators.power_grid import opf
from benchmarks.generators.rgg import rgg
from benchmarks.generators.rmat import kron, rmat
from benchmarks.generators.road import road
from benchmarks.generators.splitmix import scattered
from benchmarks.generators.trace import trace
from benchmarks.generators.triangular import bandtri, tri
from benchmarks.generators.web import crawl, webgraph, wiki

__all__ = ["Family", "families", "family_of", "make", "permuted_names"]


@dataclass(frozen=True)
class Family:
    """One row of the list: `form` is what a name looks like, <n> an integer, <x> a number."""

    name: str
    form: str
    kind: str
    generate: Callable[..., sp.csc_array]

    def sizes(self, name: str) -> list[float] | None:
        """The sizes in `name`, or None when it is not of this family."""
        number = r"([0-9]+(?:\.[0-9]+)?(?:e[0-9]+)?|e)"
        regex = re.escape(self.form).replace("<n>", number).replace("<x>", number)
        found = re.fullmatch(regex, name)
        if found is None:
            return None
        values = [math.e if g == "e" else float(g) for g in found.groups()]
        kinds = re.findall("<[nx]>", self.form)
        return [int(v) if k == "<n>" else v for v, k in zip(values, kinds, strict=True)]


_FAMILIES = (
    Family("delaunay", "delaunay_n<n>", "mesh", delaunay),
    Family("rgg", "rgg_n_2_<n>", "mesh", rgg),
    Family("grid3d", "grid3d_<n>", "stencil", grid3d),
    Family("road", "road_<n>", "road", road),
    Family("kron", "kron_s<n>", "power law", kron),
    Family("rmat", "rmat_s<n>", "power law", rmat),
    Family("er", "er_<n>_d<x>", "er", er),
    Family("rect_wide", "rect_wide_<n>", "rect", rect_wide),
    Family("rect_tall", "rect_tall_<n>", "rect", rect_tall),
    Family("circuit", "circuit_<n>", "circuit", circuit),
    Family("tri", "tri_<n>", "triangular", tri),
    Family("bandtri", "bandtri_<n>", "triangular", bandtri),
    Family("digraph", "digraph_<n>_d<x>", "blocks", digraph),
    Family("wide", "wide_<n>_w<n>", "blocks", wide),
    Family("blocks", "blocks_<n>_h<n>", "blocks", blocks),
    Family("hessenberg", "hessenberg_<n>", "dense", hessenberg),
    Family("arrow", "arrow_<n>", "dense", arrow),
    Family("kkt", "kkt_<n>", "kkt", kkt),
    Family("kkt_sing", "kkt_sing_<n>", "kkt", kkt_sing),
    Family("chain", "chain_<n>", "adversarial", chain),
    Family("chains_hk", "chains_hk_<n>", "adversarial", chains_hk),
    Family("chains", "chains_<n>x<n>", "adversarial", chains),
    Family("deadtree", "deadtree_<n>", "adversarial", deadtree),
    Family("ladder", "ladder_<n>", "adversarial", ladder),
    Family("kshard", "kshard_<n>_k<n>", "adversarial", karp_sipser_hard),
    Family("trace", "trace_n<n>", "mesh", trace),
    Family("opf", "opf_<n>", "kkt", opf),
    Family("copapers", "copapers_<n>", "power law", copapers),
    Family("copurchase", "copurchase_<n>", "power law", copurchase),
    Family("citations", "citations_<n>", "power law", citations),
    Family("crawl", "crawl_<n>", "web", crawl),
    Family("webgraph", "webgraph_<n>", "web", webgraph),
    Family("wiki", "wiki_<n>", "web", wiki),
    Family("er:", "er:<n>:<x>", "er", counted_er),
    Family("rmat:", "rmat:<n>:<x>", "power law", counted_rmat),
    Family("kron:", "kron:<n>", "power law", counted_kron),
    Family("rgg:", "rgg:<n>", "mesh", counted_rgg),
    Family("del:", "del:<n>", "mesh", counted_delaunay),
    Family("road:", "road:<n>", "road", counted_road),
    Family("hex:", "hex:<n>", "mesh", counted_hex),
)

# What a name may end in, and the permutation that it asks for.
_RCP = re.compile(r"_rcp([2-9]|[1-9][0-9]+)?$")
_SCATTERED = "+rcp"


def families() -> tuple[Family, ...]:
    """Every family, in the order of the tables."""
    return _FAMILIES


def family_of(name: str) -> tuple[Family, list[float]]:
    """The family of a name and the sizes in it; raises ValueError for an unknown name."""
    plain = _RCP.sub("", name.removesuffix(_SCATTERED))
    for family in _FAMILIES:
        sizes = family.sizes(plain)
        if sizes is not None:
            return family, sizes
    forms = ", ".join(family.form for family in _FAMILIES)
    raise ValueError(f"{name!r} names no generated matrix; the forms are {forms}")


def make(name: str) -> sp.csc_array:
    """The pattern of that name: ones in canonical CSC.

    >>> make("chain_4").toarray().astype(int)
    array([[1, 0, 0, 1],
           [1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 0]])
    """
    family, sizes = family_of(name)
    A = family.generate(*sizes)
    if name.endswith(_SCATTERED):
        return scattered(A)
    return rcp(A, name) if _RCP.search(name) else A


def permuted_names(name: str, count: int) -> list[str]:
    """`count` names of that matrix in another random order.

    >>> permuted_names("kron_s8", 3)
    ['kron_s8_rcp', 'kron_s8_rcp2', 'kron_s8_rcp3']
    """
    return [f"{name}_rcp{k if k > 1 else ''}" for k in range(1, count + 1)]
