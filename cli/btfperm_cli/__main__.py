# SPDX-License-Identifier: BSD-3-Clause
"""The process of the command line: ``btfperm`` and ``python -m btfperm_cli``.

Nothing is imported at the top: from the first import on, an interrupt ends the process with one
sentence (with ``--json``, once the handlers are installed, one object) and its exit code.
"""

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit."""
    try:
        from btfperm_cli import signals
    except KeyboardInterrupt:  # before the handlers are installed
        import os

        os.write(2, b"btfperm: interrupted\n")
        os._exit(130)
    try:
        signals.watch()
        from btfperm_cli.main import main as command_line

        signals.set_working(True)
        try:
            command_line()
        finally:
            signals.set_working(False)
    except KeyboardInterrupt:  # raised outside `guarded`, which handles it for the commands
        signals.say()
        signals.leave()
    except Exception:  # the imports failed, for example without memory
        signals.end_if_others_wait()
        raise


if __name__ == "__main__":
    main()
