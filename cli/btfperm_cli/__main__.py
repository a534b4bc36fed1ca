# SPDX-License-Identifier: BSD-3-Clause
"""``python -m btfperm_cli`` is ``btfperm``."""

from btfperm_cli.main import main

main()
