# SPDX-License-Identifier: BSD-3-Clause
"""Small members of the hard families have the rank and the blocks that their construction
promises."""

from __future__ import annotations

from tests import families
from tests.loops import looped
from tests.oracles.plain_dulmage_mendelsohn import dulmage_mendelsohn


@looped("numbering", ["forward", "backward", "mixed"])
@looped(
    "hard",
    [
        families.chain(1),
        families.chain(9),
        families.bidiagonal(9),
        families.cycle(9),
        families.surplus_path(7, wide=True),
        families.surplus_path(7, wide=False),
        families.scipy_ladder(1),
        families.scipy_ladder(5),
        families.chains_hk(1),
        families.chains_hk(6),
        families.rivals(4, 3),
        families.rivals(1, 1),
        families.deadtree(100, 1),
        families.stars(3, 4),
        families.stars(1, 1),
        families.empty_lines(40, 1),
        families.dense(5, 8),
        families.dense(8, 5),
        families.dense(6, 6),
        families.hessenberg(9),
        families.triangular(40, 1),
        families.karp_sipser_hard(16, 2),
    ],
    ids=lambda hard: f"{hard.A.shape}",
)
def test_rank_and_blocks_are_as_promised(hard, numbering):
    d = dulmage_mendelsohn(families.renumbered(hard, numbering).A)
    assert d.structural_rank == hard.rank
    if hard.fine_blocks is not None:
        assert len(d.row_blocks) - 1 == hard.fine_blocks
