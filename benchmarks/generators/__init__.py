# SPDX-License-Identifier: BSD-3-Clause
"""Generated matrices by name: the families that the benchmarks use besides real matrices.

A name is a family and its sizes, for example ``er_3e5_d2.7``. A suffix selects a random permutation
of rows and columns: ``_rcp`` the first, ``_rcp2``, ``_rcp3``, ... others; ``+rcp`` selects the
permutation that the benchmarks of the papers use, see `counted`. All seeds are fixed, so `make`
returns the same matrix for a name on every machine, as far as NumPy's generator does not change;
only a few entries of the Delaunay meshes may depend on SciPy's Qhull. On a GPU,
`counted.make_on_device` makes other matrices for ``rmat:``, ``kron:`` and ``del:``.

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
from functools import partial

import scipy.sparse as sp

from benchmarks.generators import adversarial, counted, meshes, power_laws, systems
from benchmarks.generators.assemble import rcp

__all__ = ["Family", "families", "family_of", "make", "permuted_names"]


@dataclass(frozen=True)
class Family:
    """One row of the list: `form` is the form of a name, in which <n> stands for an integer and <x>
    for a number, or for ``e``, Euler's number. `check` raises ValueError for sizes that the family
    does not have."""

    name: str
    form: str
    kind: str
    generate: Callable[..., sp.csc_array]
    check: Callable[..., None] | None = None

    def sizes(self, name: str) -> list[float] | None:
        """Returns the sizes in `name`, or None if `name` is not of this family."""
        number = r"([0-9]+(?:\.[0-9]+)?(?:e[0-9]+)?|e)"
        regex = re.escape(self.form).replace("<n>", number).replace("<x>", number)
        found = re.fullmatch(regex, name)
        if found is None:
            return None
        values = [math.e if g == "e" else float(g) for g in found.groups()]
        kinds = re.findall("<[nx]>", self.form)
        return [int(v) if k == "<n>" else v for v, k in zip(values, kinds, strict=True)]


_FAMILIES = (
    Family("delaunay", "delaunay_n<n>", "mesh", meshes.delaunay),
    Family("rgg", "rgg_n_2_<n>", "mesh", meshes.rgg),
    Family("grid3d", "grid3d_<n>", "stencil", meshes.grid3d),
    Family("road", "road_<n>", "road", meshes.road),
    Family("kron", "kron_s<n>", "power law", power_laws.kron),
    Family("rmat", "rmat_s<n>", "power law", power_laws.rmat),
    Family("er", "er_<n>_d<x>", "er", power_laws.er),
    Family("rect_wide", "rect_wide_<n>", "rect", power_laws.rect_wide),
    Family("rect_tall", "rect_tall_<n>", "rect", power_laws.rect_tall),
    Family("circuit", "circuit_<n>", "circuit", systems.circuit),
    Family("tri", "tri_<n>", "triangular", systems.tri),
    Family("bandtri", "bandtri_<n>", "triangular", systems.bandtri),
    Family("digraph", "digraph_<n>_d<x>", "blocks", systems.digraph),
    Family("wide", "wide_<n>_w<n>", "blocks", systems.wide),
    Family("blocks", "blocks_<n>_h<n>", "blocks", systems.blocks),
    Family("hessenberg", "hessenberg_<n>", "dense", systems.hessenberg),
    Family("arrow", "arrow_<n>", "dense", systems.arrow),
    Family("kkt", "kkt_<n>", "kkt", systems.kkt),
    Family("kkt_sing", "kkt_sing_<n>", "kkt", systems.kkt_sing),
    Family("chain", "chain_<n>", "adversarial", adversarial.chain),
    Family("chains_hk", "chains_hk_<n>", "adversarial", adversarial.chains_hk),
    Family("chains", "chains_<n>x<n>", "adversarial", adversarial.chains),
    Family("deadtree", "deadtree_<n>", "adversarial", adversarial.deadtree),
    Family("ladder", "ladder_<n>", "adversarial", adversarial.ladder, adversarial.check_ladder),
    Family(
        "kshard",
        "kshard_<n>_k<n>",
        "adversarial",
        adversarial.karp_sipser_hard,
        adversarial.check_karp_sipser_hard,
    ),
    Family("trace", "trace_n<n>", "mesh", meshes.trace),
    Family("opf", "opf_<n>", "kkt", systems.opf),
    Family("copapers", "copapers_<n>", "power law", power_laws.copapers),
    Family("copurchase", "copurchase_<n>", "power law", power_laws.copurchase),
    Family("citations", "citations_<n>", "power law", power_laws.citations),
    Family("crawl", "crawl_<n>", "web", power_laws.crawl),
    Family("webgraph", "webgraph_<n>", "web", power_laws.webgraph),
    Family("wiki", "wiki_<n>", "web", power_laws.wiki),
    Family("er:", "er:<n>:<x>", "er", partial(counted.make, "er")),
    Family("rmat:", "rmat:<n>:<x>", "power law", partial(counted.make, "rmat")),
    Family("kron:", "kron:<n>", "power law", partial(counted.make, "kron")),
    Family("rgg:", "rgg:<n>", "mesh", partial(counted.make, "rgg")),
    Family("del:", "del:<n>", "mesh", partial(counted.make, "del")),
    Family("road:", "road:<n>", "road", partial(counted.make, "road")),
    Family("hex:", "hex:<n>", "mesh", partial(counted.make, "hex")),
)

# The suffixes of names, and the permutation that each selects.
_RCP = re.compile(r"_rcp([2-9]|[1-9][0-9]+)?$")
_SCATTERED = "+rcp"


def families() -> tuple[Family, ...]:
    """Returns every family, in the order of the tables."""
    return _FAMILIES


def family_of(name: str) -> tuple[Family, list[float]]:
    """Returns the family of a name and the sizes in it; raises ValueError for an unknown name, and
    for sizes that the family does not have."""
    plain = _RCP.sub("", name.removesuffix(_SCATTERED))
    for family in _FAMILIES:
        sizes = family.sizes(plain)
        if sizes is not None:
            if family.check:
                family.check(*sizes)
            return family, sizes
    forms = ", ".join(family.form for family in _FAMILIES)
    raise ValueError(f"{name!r} names no generated matrix; the forms are {forms}")


def make(name: str) -> sp.csc_array:
    """Returns the pattern that `name` selects: ones in canonical CSC.

    >>> make("chain_4").toarray().astype(int)
    array([[1, 0, 0, 1],
           [1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 0]])
    """
    family, sizes = family_of(name)
    A = family.generate(*sizes)
    if name.endswith(_SCATTERED):
        return counted.scattered(A)
    return rcp(A, name) if _RCP.search(name) else A


def permuted_names(name: str, count: int) -> list[str]:
    """Returns `count` names of matrix `name`, each with other random orders of rows and columns.

    >>> permuted_names("kron_s8", 3)
    ['kron_s8_rcp', 'kron_s8_rcp2', 'kron_s8_rcp3']
    """
    return [f"{name}_rcp{k if k > 1 else ''}" for k in range(1, count + 1)]
