# SPDX-License-Identifier: BSD-3-Clause
"""Measurements over MPI ranks: `scaling` starts the ranks, `worker` runs on each of them, and
`prediction` fits a `model` of the time and predicts that on other numbers of ranks."""
