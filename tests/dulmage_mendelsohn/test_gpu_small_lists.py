# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with shorter lists. A small matrix then fills lists that otherwise only a matrix of many
million entries fills."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import btfperm
from btfperm.backends.gpu import compile as compiled
from btfperm.backends.gpu import layout
from btfperm.dulmage_mendelsohn import coarse_gpu
from btfperm.dulmage_mendelsohn.fine_square import find_square_gpu, peel_gpu
from tests import families
from tests.dulmage_mendelsohn.digraphs import small_blocks, symmetric, with_diagonal, with_hubs
from tests.on_device import assert_same, pattern_there

TINY = {
    "backends/gpu/append.cuh": {"room = 1024": "room = 8"},
    "backends/gpu/by_levels.cuh": {
        "min_shared_items = 64": "min_shared_items = 6",
        "own_room = 20480 / sizeof(Index)": "own_room = 128",
        "own_steps = 8": "own_steps = 2",
        "lists_of_a_group = 4": "lists_of_a_group = 1",
    },
    "backends/gpu/lists.cuh": {
        "steps_of_a_hub = 128": "steps_of_a_hub = 1",
        "most_hubs = 256": "most_hubs = 2",
        "longest_of_a_block = 1 << 15": "longest_of_a_block = 40",
        "longest_of_a_warp = 1024": "longest_of_a_warp = 5",
        "most_huge = 32": "most_huge = 2",
    },
    "backends/gpu/grouping.cu": {
        "largest = 1024": "largest = 20",
        "most_large = 16": "most_large = 4",
    },
    "dulmage_mendelsohn/fine_square/two_cycles.cu": {"longest = 64": "longest = 3"},
}


def fans(count, size):
    """One component: a central vertex with arcs to each hub, from there to `size` leaves, and
    back."""
    n = 1 + count + count * size
    hubs, leaves = np.arange(1, 1 + count), np.arange(1 + count, n)
    rows = [np.arange(n), np.zeros(count, int), np.repeat(hubs, size), leaves]
    cols = [np.arange(n), hubs, leaves, np.zeros(leaves.size, int)]
    return families.renumbered(families.Hard(families.csc(rows, cols, (n, n)), n), "mixed", 1).A


MATRICES = {
    "chain": families.chain(300).A,
    "surplus, wide": families.surplus_path(200, wide=True).A,
    "surplus, tall": families.surplus_path(200, wide=False).A,
    "dead tree": families.deadtree(1_500, 1).A,
    "stars": families.stars(20, 70).A,
    "empty lines": families.empty_lines(900, 1).A,
    "dense": families.dense(70, 90).A,
    "hessenberg": families.hessenberg(80).A,
    "triangular": families.triangular(800, 1).A,
    "random, wide": families.random_rectangle(1_200, 2_000, 3, 1).A,
    "random, tall": families.random_rectangle(2_000, 1_200, 2, 1).A,
    "giant": with_diagonal(2_000, 3, 1),
    "half a giant": with_diagonal(2_000, 1.2, 2),
    "blocks of 7": small_blocks(1_500, 7, 1),
    "blocks of 90": small_blocks(2_000, 90, 2),
    "symmetric": symmetric(1_500, 1),
    "hubs": with_hubs(1_000, 1),
    "fans": fans(10, 60),
}


def modified(name):
    """The text of a kernel's file with the numbers of TINY."""
    text = (compiled.PACKAGE / name).read_text(encoding="utf-8")
    for ours, less in TINY[name].items():
        assert text.count(f" {ours};") == 1, ours
        text = text.replace(f" {ours};", f" {less};")
    return text


@pytest.mark.parametrize("name", TINY)
def test_the_sources_have_these_numbers(name):
    """This test needs no GPU, because a developer who renames a number may have none."""
    assert modified(name) != (compiled.PACKAGE / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The kernels with these lists, compiled from modified sources."""
    place = tmp_path_factory.mktemp("sources")
    for source in compiled.sources():
        name = source.relative_to(compiled.PACKAGE).as_posix()
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place / name)
    for name in TINY:
        (place / name).write_text(modified(name), encoding="utf-8")
    known = f"{compiled._fingerprint()}tiny"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compiled, "PACKAGE", place)
        patched.setattr(compiled, "_fingerprint", lambda: known)
        forget()
        yield
    forget()


def forget():
    """Clears the caches of sources and kernels."""
    for cached in (compiled._kernels, layout.layout, layout.constant, layout._text):
        cached.cache_clear()


@pytest.mark.gpu
@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("window", "width", "asked"), [(1000, np.int32, True), (3, np.int64, False)]
)
@pytest.mark.parametrize("name", MATRICES)
def test_items_that_do_not_fit_are_not_lost(monkeypatch, name, window, width, asked):
    monkeypatch.setattr(find_square_gpu, "_MAX_CPU_EDGES", 0)
    monkeypatch.setattr(peel_gpu.peel, "__kwdefaults__", {"raising": False, "window": window})
    if asked:
        monkeypatch.setattr(coarse_gpu, "_LARGE_ROUND", 10**9)
        monkeypatch.setattr(coarse_gpu, "_MIN_MEAN_LENGTH", 0)
    A = MATRICES[name]
    t, expected = btfperm.maximum_transversal(A), btfperm.dulmage_mendelsohn(A)
    d = btfperm.dulmage_mendelsohn(pattern_there(A, width), transversal=t)
    assert_same(d, expected)
    ours, theirs = expected.block_graph(), d.block_graph()
    for array in ("indptr", "indices", "level", "work"):
        np.testing.assert_array_equal(getattr(theirs, array).get(), getattr(ours, array))
