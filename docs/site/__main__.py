"""python -m docs.site FOLDER [--pyodide FOLDER]: writes the site; status 2 where that cannot be done."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from docs.site.build import build
from docs.site.output import Output, SiteError
from docs.site.playground.pyodide import read_pyodide


def main(arguments: Sequence[str]) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python -m docs.site", description="Writes the site as static files.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where to; an earlier site there is written over")
    parser.add_argument("--pyodide", metavar="FOLDER", type=Path, help="Pyodide as it is published, for the playground")
    options = parser.parse_args(arguments)
    try:
        pyodide = read_pyodide(options.pyodide) if options.pyodide is not None else None
        with Output(options.folder) as out:
            build(out, pyodide)
    except SiteError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or options.folder}: {error.strerror or error}", file=sys.stderr)
        return 2
    strangers = out.strangers()
    if strangers:
        print(f"left alone, as no build wrote it: {', '.join(strangers)}", file=sys.stderr)
    print(options.folder / "index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
