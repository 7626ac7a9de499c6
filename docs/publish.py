"""Puts the owner's addresses into the tree, in place of those that nobody has; or lists where they still stand.

python -m docs.publish --repository https://example.org/us/walkthrough --contact us@example.org
python -m docs.publish --check
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_NOBODY = ".invalid"  # no host has this ending: RFC 6761; apart, so that this file has neither address
REPOSITORY, CONTACT = f"https://repository{_NOBODY}", f"contact@owner{_NOBODY}"
_HIDDEN = {".github", ".ci"}
"""Of hidden folders these belong to the tree."""
_MADE = {"__pycache__", "node_modules", "dist", "build"}


def files(root: Path) -> Iterator[Path]:
    """All texts of the tree, in order; nothing that was made from it, no link."""
    for path in sorted(root.iterdir()):
        if path.is_symlink() or path.name in _MADE or path.name.endswith(".egg-info"):
            continue
        if path.is_dir():
            if not path.name.startswith(".") or path.name in _HIDDEN:
                yield from files(path)
        elif path.is_file():
            yield path


def left(root: Path) -> Iterator[str]:
    """Where an address still stands, as FILE:LINE."""
    for path in files(root):
        content = path.read_bytes()
        if any(address.encode() in content for address in (REPOSITORY, CONTACT)):
            for number, line in enumerate(content.split(b"\n"), 1):
                if any(address.encode() in line for address in (REPOSITORY, CONTACT)):
                    yield f"{path.relative_to(root).as_posix()}:{number}"


def publish(root: Path, repository: str, contact: str) -> int:
    """Puts the addresses into every file that has them; how many files were changed."""
    changed = 0
    for path in files(root):
        old = path.read_bytes()
        new = old.replace(REPOSITORY.encode(), repository.encode()).replace(CONTACT.encode(), contact.encode())
        if new != old:
            path.write_bytes(new)
            changed += 1
    return changed


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """The exit status: 1 where an address is left, 2 where one that is given cannot be one."""
    parser = argparse.ArgumentParser(prog="python -m docs.publish", description=__doc__.partition("\n")[0])
    parser.add_argument("--repository", metavar="URL", help="where the sources are, such as https://host/owner/name")
    parser.add_argument("--contact", metavar="ADDRESS", help="where people write to in confidence")
    parser.add_argument("--check", action="store_true", help="list what is left (FILE:LINE); status 1 if there is any")
    options = parser.parse_args(arguments)
    if options.check == bool(options.repository or options.contact):
        parser.error("give --check, or --repository and --contact")
    if options.check:
        found = list(left(root))
        print(*found, sep="\n", end="\n" if found else "")
        return 1 if found else 0
    if not options.repository or not options.contact:
        parser.error("give both --repository and --contact")
    repository = options.repository.rstrip("/")
    if not re.fullmatch(r"https://[\w.-]+(:\d+)?(/[\w.~-]+)+", repository):
        parser.error(f"{options.repository!r} is not the address of a repository: https://HOST/OWNER/NAME")
    if not re.fullmatch(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", options.contact):
        parser.error(f"{options.contact!r} is not an e-mail address")
    changed = publish(root, repository, options.contact)
    print(f"{changed} {'file' if changed == 1 else 'files'} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
