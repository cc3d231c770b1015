"""`python -m atlantis_site.supervisor`: what `make play` runs."""

import sys

try:
    from .play import main

    sys.exit(main())
except KeyboardInterrupt:  # before anything was started
    sys.exit(1)
