# SPDX-License-Identifier: BSD-3-Clause
"""Sets how OpenMP waits before the first test module loads the core.

By default, a thread at a barrier uses its core for milliseconds before it sleeps. Tests with small
matrices and many barriers then take ten times as long when other processes use the cores, as the
workers of pytest-xdist do. A value from outside has precedence.
"""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
