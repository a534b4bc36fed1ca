# SPDX-License-Identifier: BSD-3-Clause
"""Random graphs, power laws, and stand-ins for graphs of papers, shops and web pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, Index, pattern, symmetric

# ``er_n_dD``, ``rect_wide_n``, ``rect_tall_n``: uniformly random pairs.


def random_pairs(m: int, n: int, count: int) -> sp.csc_array:
    """`count` pairs drawn with replacement, rows first; duplicates merged."""
    rng = np.random.default_rng(SEED)
    rows = rng.integers(m, size=count)
    return pattern(rows, rng.integers(n, size=count), (m, n))


def er(n: int, degree: float) -> sp.csc_array:
    """Square, `degree` entries a column on average; degree e is critical for Karp-Sipser."""
    return random_pairs(n, n, round(degree * n))


def rect_wide(n: int) -> sp.csc_array:
    """n/2 rows, n columns, 3 entries a column on average."""
    return random_pairs(n // 2, n, 3 * n)


def rect_tall(n: int) -> sp.csc_array:
    """n rows, n/2 columns, 6 entries a column on average."""
    return random_pairs(n, n // 2, 3 * n)


# ``kron_sX`` and ``rmat_sX``: recursive matrices, power-law degrees.


def recursive_edges(
    scale: int, count: int, quadrants: tuple[float, float, float], draw: Callable[[int], Any]
) -> tuple[Any, Any]:
    """Each level puts each edge into one quadrant with probability a, b, c, 1 - a - b - c."""
    a, b, c = quadrants
    rows = cols = 0
    for _ in range(scale):
        r = draw(count)
        rows = 2 * rows + (r >= a + b)
        cols = 2 * cols + (((r >= a) & (r < a + b)) | (r >= a + b + c))
    return rows, cols


def kron(scale: int) -> sp.csc_array:
    """16 * 2^scale edges are drawn with the quadrant probabilities .57, .19, .19, .05; duplicates
    are merged. Relabelled, symmetric, no diagonal."""
    n = 2**scale
    rng = np.random.default_rng(SEED)
    u, v = recursive_edges(scale, 16 * n, (0.57, 0.19, 0.19), rng.random)
    label = rng.permutation(n)
    return symmetric(label[u], label[v], n)


def rmat(scale: int) -> sp.csc_array:
    """8 * 2^scale entries are drawn with the quadrant probabilities .45, .15, .15, .25; duplicates
    are merged. Rows and columns are relabelled independently."""
    n = 2**scale
    rng = np.random.default_rng(SEED)
    rows, cols = recursive_edges(scale, 8 * n, (0.45, 0.15, 0.15), rng.random)
    return pattern(rng.permutation(n)[rows], rng.permutation(n)[cols], (n, n))


# ``copapers_n`` and ``citations_n``: graphs of co-authors and of citations.

CITED_PER_PAPER = 4.4


def copapers(n: int) -> sp.csc_array:
    """n papers, joined when they share an author, in the place of ``coPapersDBLP``.

    The number of papers of an author has a Pareto distribution, cut at 120. The papers of an author
    form a clique, and a paper may have several authors.
    """
    rng = np.random.default_rng(SEED)
    authors = n // 2
    output = np.minimum(2 + (2.2 * rng.pareto(1.45, size=authors)).astype(np.int64), 120)
    author = np.repeat(np.arange(authors), output)
    spread = (4 * output[author] * rng.standard_t(2, size=len(author))).astype(np.int64)
    paper = (n * author // authors + spread) % n
    paper[: min(n, len(paper))] = rng.permutation(n)[: len(paper)]
    marks = np.ones(len(paper), np.int8)
    wrote = sp.csr_array((marks, (paper, author)), shape=(n, authors))
    wrote.data[:] = 1
    joint = (wrote @ wrote.T).tocoo()
    upper = joint.row < joint.col
    order = rng.permutation(n)
    return symmetric(order[joint.row[upper]], order[joint.col[upper]], n)


def citations(n: int) -> sp.csc_array:
    """n papers in order of date, rows citing columns, in the place of ``cit-Patents``.

    For each paper, `CITED_PER_PAPER` citations are drawn on average; their distance in time has a
    Pareto distribution, and those before the first paper are left out. About 2 % cite none.
    """
    rng = np.random.default_rng(SEED)
    count = rng.poisson(CITED_PER_PAPER, size=n)
    citing = np.repeat(np.arange(n), count)
    age = 1 + (0.02 * n * rng.pareto(1.2, size=len(citing))).astype(np.int64)
    cited = citing - age
    keep = cited >= 0
    return pattern(citing[keep], cited[keep], (n, n))


# ``copurchase_n``: products that were bought together, in the place of ``amazon0312``.

KIND = 40  # products of a kind, which have consecutive numbers
MOST = 9  # the largest number of popular products that a product lists


def copurchase(n: int) -> sp.csc_array:
    """Each product lists up to `MOST` others, most of them popular ones of its kind, and each is
    listed by two more with near numbers. The columns of unpopular products have few entries, and
    Karp-Sipser's random choices miss them.
    """
    rng = np.random.default_rng(SEED)
    listed = np.where(rng.random(n) < 0.6, MOST, rng.integers(1, MOST, size=n))
    product = np.repeat(np.arange(n), listed)
    kind = product // KIND
    step = rng.choice([0, 0, 0, 0, -1, 1], size=len(product))
    place = (KIND * rng.random(len(product)) ** 2).astype(np.int64)
    other = ((kind + step) * KIND + place) % n
    seldom = np.tile(np.arange(n), 2)
    by = (seldom + rng.integers(-KIND, KIND, size=2 * n)) % n
    order = rng.permutation(n)
    return pattern(
        order[np.concatenate([product, by])], order[np.concatenate([other, seldom])], (n, n)
    )


# ``crawl_n``, ``webgraph_n``, ``wiki_n``: links between pages, a large part of them unmatchable.
# They replace ``wb-edu``, ``web-Google`` and ``wikipedia``. Most pages of a host link to the few
# pages of its menu, some pages have no links, and pages of all hosts link to a few popular pages.


@dataclass(frozen=True)
class Site:
    """Links of a page that has such links: to the menu of its host (on average), to near pages, to
    any page (on average).

    `silent` is the share of pages without links, `plain` that of pages with the menu's alone;
    `skew` is the exponent that makes some pages popular, `host_size` about the mean number of pages
    of a host.
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
    """First page and number of pages of the host of each page. The number of pages of a host has a
    Pareto distribution."""
    sizes = 1 + (mean * 0.5 * rng.pareto(1.5, size=int(4 * n / mean) + 1)).astype(np.int64)
    sizes = np.append(sizes, n)  # so that the hosts have at least n pages together
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
