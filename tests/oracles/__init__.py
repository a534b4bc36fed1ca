# SPDX-License-Identifier: BSD-3-Clause
"""Slow and simple implementations to compare with. Nothing here imports btfperm.

=============================  ====================================================
brute_force                    tries every matching: up to some 8 x 8
plain_matching                 one breadth-first search per column
plain_dulmage_mendelsohn       coarse and fine blocks, canonical order, block graph
plain_block_triangular         block triangular form of square matrices, as KLU defines it
make_index                     writes matrices/index.json with these oracles
=============================  ====================================================
"""
