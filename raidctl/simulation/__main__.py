"""``python -m raidctl.simulation``: the tools of a demo, as executables in a directory."""

import sys

from raidctl.simulation.executables import main

sys.exit(main(sys.argv[1:]))
