# SPDX-License-Identifier: BSD-3-Clause
"""apsb and apsb-wr: what they are is told in ``apsb.cu``; the loop is in ``gpubfs_gpu.py``."""

from __future__ import annotations

from functools import partial

from btfperm.transversal.augmenting.gpubfs_gpu import search_in_phases

__all__ = ["apsb", "apsb_wr"]

apsb = partial(search_in_phases, file="apsb", shortest=True, with_roots=False)
apsb_wr = partial(search_in_phases, file="apsb", shortest=True, with_roots=True)
