# SPDX-License-Identifier: BSD-3-Clause
"""``crawl_n``, ``webgraph_n``, ``wiki_n``: links between pages, a large part of them unmatchable.

In the place of ``wb-edu``, ``web-Google`` and ``wikipedia``: the pages of a host all link to the
few pages of its menu, some link to nothing, a few pages are linked from everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, Index, pattern


@dataclass(frozen=True)
class Site:
    """Links of a page on average: to the menu of its host, to its neighbours, to anywhere.

    `silent` is the share of pages without links, `plain` that of pages with the menu's alone;
    `skew` is the exponent that makes some pages popular.
    """

    menu: float
    near: int
    far: float
    silent: float
    plain: float
    skew: float
    host_size: float


CRAWL = Site(menu=3.0, near=4, far=0.7, silent=0.06, plain=0.25, skew=4, host_size=60)
WEB = Site(menu=3.5, near=4, far=1.0, silent=0.24, plain=0.2, skew=5, host_size=40)
WIKI = Site(menu=5.0, near=4, far=14.0, silent=0.33, plain=0.2, skew=5, host_size=80)


def hosts(n: int, mean: float, rng: np.random.Generator) -> tuple[Index, Index]:
    """First page and number of pages of the host of each page; hosts have Pareto many."""
    sizes = 1 + (mean * 0.5 * rng.pareto(1.5, size=int(4 * n / mean) + 1)).astype(np.int64)
    sizes = np.append(sizes, n)  # enough in any case
    ends = np.cumsum(sizes)
    sizes = sizes[: np.searchsorted(ends, n) + 1]
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)[:n]
    size = np.repeat(sizes, sizes)[:n]
    return first, np.minimum(size, n - first)


def links(n: int, site: Site) -> sp.csc_array:
    """Row: the page that links; column: the page linked to."""
    rng = np.random.default_rng(SEED)
    first, size = hosts(n, site.host_size, rng)
    pages = np.arange(n)
    draw = rng.random(n)
    speaking = pages[draw >= site.silent]
    writing = pages[draw >= site.silent + site.plain]
    menu = np.repeat(speaking, rng.poisson(site.menu, size=len(speaking)))
    places = np.ceil(size[menu] ** 0.6)
    menu_to = first[menu] + (places * rng.random(len(menu)) ** 2).astype(np.int64)
    layers = [_near_by(writing, rng) for _ in range(site.near)]
    near = np.tile(writing, site.near)
    near_to = np.concatenate(layers)
    far = np.repeat(writing, rng.poisson(site.far, size=len(writing)))
    rank = rng.permutation(n)
    far_to = rank[(n * rng.random(len(far)) ** site.skew).astype(np.int64)]
    rows = np.concatenate([menu, near, far])
    cols = np.concatenate([menu_to, near_to, far_to])
    other = rows != cols
    return pattern(rows[other], cols[other], (n, n))


def _near_by(pages: Index, rng: np.random.Generator) -> Index:
    """A permutation that moves most pages by a few places and some far."""
    goal = np.arange(len(pages)) + 6 * rng.standard_t(2, size=len(pages))
    return pages[np.argsort(goal)]


def crawl(n: int) -> sp.csc_array:
    return links(n, CRAWL)


def webgraph(n: int) -> sp.csc_array:
    return links(n, WEB)


def wiki(n: int) -> sp.csc_array:
    return links(n, WIKI)
