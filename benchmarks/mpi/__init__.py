# SPDX-License-Identifier: BSD-3-Clause
"""Over MPI ranks: `scaling` starts them, `worker` runs on each of them, `model` predicts."""
