# SPDX-License-Identifier: BSD-3-Clause
"""Measurements of btfperm; README.md explains how to run them."""

import os

# Workers are forked from a process that has imported NumPy: it must not have started BLAS threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
