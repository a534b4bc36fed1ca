# SPDX-License-Identifier: BSD-3-Clause
"""Measurements of btfperm beside the packages its users have today; README.md says how to run."""

import os

# Workers are forked from a process that has imported NumPy: it must not have started BLAS threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
