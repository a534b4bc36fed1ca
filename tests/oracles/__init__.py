# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious answers to compare with. Nothing here imports btfperm.

=============================  ====================================================
brute_force                    every matching tried: up to some 8 x 8
plain_matching                 one breadth-first search per column
plain_dulmage_mendelsohn       coarse and fine blocks, canonical order, block graph
plain_block_triangular         square matrices, KLU's sense
make_index                     writes matrices/index.json from the above
=============================  ====================================================
"""
