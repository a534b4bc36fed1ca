# SPDX-License-Identifier: BSD-3-Clause
"""CPU cores: the backend (`backend`), the problem that the core works on (`problem`), and the C++
that all packages of the core share: workspace, limits, threads, atomics."""
