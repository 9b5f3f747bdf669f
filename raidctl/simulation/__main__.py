"""``python -m raidctl.simulation``: write a demo's tools as executables."""

import sys

from raidctl.simulation.executables import main

sys.exit(main(sys.argv[1:]))
