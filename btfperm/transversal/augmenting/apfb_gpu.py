# SPDX-License-Identifier: BSD-3-Clause
"""apfb and apfb-wr: what they are is told in ``apfb.cu``; the loop is in ``gpubfs_gpu.py``."""

from __future__ import annotations

from functools import partial

from btfperm.transversal.augmenting.gpubfs_gpu import search_in_phases

__all__ = ["apfb", "apfb_wr"]

apfb = partial(search_in_phases, file="apfb", shortest=False, with_roots=False)
apfb_wr = partial(search_in_phases, file="apfb", shortest=False, with_roots=True)
