"""One catalogue a language: TEXTS by name, and TITLES of steps by their English ones. English is the source."""
