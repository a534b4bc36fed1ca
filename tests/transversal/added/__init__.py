# SPDX-License-Identifier: BSD-3-Clause
"""``last-row``, an algorithm on the CPU, on a GPU and over MPI ranks that is not part of btfperm:
the files of the first steps of each section in CONTRIBUTING."""
