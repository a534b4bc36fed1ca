# SPDX-License-Identifier: BSD-3-Clause
"""Measurements over MPI ranks. `scaling` starts ranks that run `worker`. `prediction` fits the
`model` of the time and predicts the time on other numbers of ranks. `rules` compares the choices of
`auto`. `gpu_ranks` starts ranks that run `gpu_worker`, each with a GPU. `local_max` measures
matchings in graphs."""
