# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms 1, 3 and 4 of Fagginger Auer and Bisseling (2012), line by line. Each search starts
from the first place of its list, as in the paper, in which the vertices are numbered at random."""

from __future__ import annotations

import math

__all__ = ["plain_greedy", "plain_red_blue", "shuffled"]

BLUE, RED, DEAD = "blue", "red", "dead"
MASK = 2**32 - 1
SHIFTS = (7, 12, 17, 22)
HASH = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def colour(v, r, p):
    """Algorithm 4."""
    a0, a1, a2, a3 = HASH
    for i in range(16):
        a4 = (a1 & a2) | (~a1 & MASK & a3)
        constant = int(abs(math.sin(i + 1)) * 2**32)
        total = (a0 + a4 + constant + v) & MASK
        rotated = (total << SHIFTS[i % 4] | total >> (32 - SHIFTS[i % 4])) & MASK
        a0, a3, a2, a1 = a3, a2, a1, (a1 + rotated) & MASK
        v = v * r & MASK
    return BLUE if (sum(HASH) + a0 + a1 + a2 + a3) & MASK < p * 2**32 else RED


def select(lists, v, suits, weighted):
    """The first neighbour that suits; if weighted, the first one with the heaviest edge."""
    best, heaviest = None, 0.0
    for w, weight in lists[v]:
        if suits(w) and (best is None or (weighted and weight > heaviest)):
            best, heaviest = w, weight
    return best


def lists_of(G):
    """For each vertex, its neighbours in ascending order, with the weights of the edges."""
    G = G.tocsc()
    G.sort_indices()
    parts = (slice(G.indptr[v], G.indptr[v + 1]) for v in range(G.shape[0]))
    return [
        [
            (w, weight)
            for w, weight in zip(G.indices[part].tolist(), G.data[part].tolist(), strict=True)
            if w != v
        ]
        for v, part in enumerate(parts)
    ]


def plain_red_blue(G, seed, p=0.53406, *, weighted):
    """Algorithm 3. Returns the mate of each vertex (-1: none) and the number of rounds. The numbers
    r are those of btfperm for this seed; vertices count from 1 in the hash."""
    lists, n = lists_of(G), G.shape[0]
    state, mate, rounds = [BLUE] * n, [-1] * n, 0
    alive = list(range(n))
    while alive:
        rounds += 1
        r = splitmix64((splitmix64(seed) + rounds) % 2**64) & MASK | 1
        for v in alive:
            state[v] = colour(v + 1, r, p)
        proposals = {v: choice(lists, v, state, {}, weighted) for v in alive if state[v] == BLUE}
        answers = {
            v: choice(lists, v, state, proposals, weighted) for v in alive if state[v] == RED
        }
        sigma = proposals | answers
        for v in alive:
            if sigma[v] not in (None, DEAD) and sigma[sigma[v]] == v:
                mate[v] = sigma[v]
        for v in alive:
            if sigma[v] == DEAD or mate[v] >= 0:
                state[v] = DEAD
        alive = [v for v in alive if state[v] != DEAD]
    return mate, rounds


def choice(lists, v, state, proposals, weighted):
    """Lines 14 to 17 for a blue vertex, lines 23 to 26 for a red one. Matched vertices are dead
    here."""
    if all(state[w] == DEAD for w, _ in lists[v]):
        return DEAD
    if state[v] == BLUE:
        return select(lists, v, lambda w: state[w] == RED, weighted)
    return select(lists, v, lambda w: state[w] == BLUE and proposals[w] == v, weighted)


def shuffled(n, seed):
    """The vertices in the random order of btfperm for this seed (Fisher and Yates)."""
    order, state = list(range(n)), splitmix64(seed)
    for k in range(n):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        other = splitmix64(state) % (k + 1)
        order[k], order[other] = order[other], order[k]
    return order


def plain_greedy(G, order, *, weighted):
    """Algorithm 1 for the vertices in this order. Returns the mate of each vertex."""
    lists, mate = lists_of(G), [-1] * G.shape[0]
    for v in order:
        if mate[v] < 0:
            w = select(lists, v, lambda w: mate[w] < 0, weighted)
            if w is not None:
                mate[v], mate[w] = w, v
    return mate
