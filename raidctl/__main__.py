"""``python -m raidctl``."""

from raidctl.cli import main

if __name__ == "__main__":
    main()
