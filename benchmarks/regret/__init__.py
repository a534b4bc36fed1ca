# SPDX-License-Identifier: BSD-3-Clause
"""How far the choices of ``auto`` are behind the best possible choice on each matrix."""
