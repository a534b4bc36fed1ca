# SPDX-License-Identifier: BSD-3-Clause
"""Slow and simple implementations to compare with. Nothing here imports btfperm.

=============================  ====================================================
brute_force                    tries every matching of a matrix with some six rows and columns
plain_matching                 one breadth-first search per column
plain_dulmage_mendelsohn       coarse and fine blocks, canonical order, block graph
plain_block_triangular         block triangular form of square matrices, as KLU defines it
plain_hopcroft_karp            the augmenting paths of each phase
plain_augmenting               the steps of other searches for augmenting paths
plain_push_relabel             push-relabel line by line as in its paper
plain_weighted                 the best transversal of a small dense matrix
plain_fill                     elimination of a dense matrix: fill, minimum degree
plain_pattern, plain_values    the stored entries and their values, by SciPy
suitesparse, umfpack           the libraries themselves, through ctypes
petsc_program                  a program that uses PETSc
make_index                     writes matrices/index.json with these oracles
=============================  ====================================================
"""
