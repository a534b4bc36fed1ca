# SPDX-License-Identifier: BSD-3-Clause
"""Measurements over MPI ranks: `scaling` starts ranks of `worker`; `prediction` fits a `model` of
the time and predicts that on other numbers of ranks; `gpu_ranks` starts ranks of `gpu_worker`, with
a GPU each; `local_max` measures matchings in graphs."""
