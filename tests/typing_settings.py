"""Settings for mypy's Django plugin, which imports them without any server or variable at hand."""

import os

os.environ.setdefault("SECRET_KEY", "unused")
os.environ.setdefault("DATABASE_URL", "postgresql:///unused")
os.environ.setdefault("BROKER_URL", "redis://none")

from atlantis_site.settings import *  # noqa: F403
