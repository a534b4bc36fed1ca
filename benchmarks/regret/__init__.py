# SPDX-License-Identifier: BSD-3-Clause
"""Measures how much slower the choices of ``auto`` are than the best choice for each matrix."""
