"""``python -m raidctl_mfi``."""

from raidctl_mfi.cli import main

raise SystemExit(main())
