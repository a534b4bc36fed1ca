# SPDX-License-Identifier: BSD-3-Clause
"""``python -m btfperm``: runs the same command line as ``btfperm``."""


def main() -> None:
    """Runs the command line and exits."""
    from btfperm_cli.__main__ import main as command_line

    command_line()


if __name__ == "__main__":
    main()
