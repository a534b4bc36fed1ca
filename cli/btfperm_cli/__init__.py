# SPDX-License-Identifier: BSD-3-Clause
"""The command line of btfperm: one module per command, no mathematics.

* `main.py` - the group: which command a line means, errors, exit codes
* `options.py` - options that several commands share
* `output.py` - who reads what: results on stdout, messages on stderr, JSON, warnings
* `summary.py` - the report of `order` in plain words
* `completion.py` - shell completion
* `progress.py` - progress on a terminal, for work that takes longer than a second
* `order.py` (the main job), `rank.py`, `check.py`, `convert.py`, `algorithms.py`, `doctor.py`

NumPy, SciPy and rich are imported inside the commands, so that `--help` and `--version` are quick.
"""
