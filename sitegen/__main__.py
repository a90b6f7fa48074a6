"""The entry point: as little as possible is imported before the command is known."""

import sys


def main() -> None:
    """Run the command line of `sitegen`. Exits with the codes of `sitegen --help`."""
    if sys.argv[1:] == [
        "--version"
    ]:  # answered before click is imported: editors and scripts ask this often
        from sitegen import __version__

        try:
            print(f"sitegen {__version__}", flush=True)
        except OSError as error:
            from sitegen.cli.running import cannot_print

            cannot_print(error)
        return
    try:
        from sitegen.system import interrupts

        interrupts.install()
        from sitegen.cli.commands import cli

        try:
            cli()
        except OSError as error:  # of click itself; a command catches its own
            from sitegen.cli.running import cannot_print

            cannot_print(error)
        finally:
            interrupts.ignore()
    except KeyboardInterrupt:  # while modules are imported; later the command itself says so
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
