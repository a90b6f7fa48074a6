"""The entry point: as little as possible is imported before the command is known."""

import sys


def main() -> None:
    """Run the command line of `sitegen`. Exits with the codes of `sitegen --help`."""
    if sys.argv[1:] == ["--version"]:  # answered before click is imported: editors and scripts ask this often
        from sitegen import __version__

        print(f"sitegen {__version__}")
        return
    from sitegen.cli import cli

    cli()


if __name__ == "__main__":
    main()
