# SPDX-License-Identifier: BSD-3-Clause
"""``last-row``, an algorithm on the CPU and on a GPU that is not part of btfperm: the files of the
first three steps in CONTRIBUTING."""
