"""`python -m walkthrough`."""

from walkthrough.cli import main

if __name__ == "__main__":
    main()
