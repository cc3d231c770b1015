"""The settings of the service, with one more address: the bare view that moves are compared with."""

from __future__ import annotations

from atlantis_site.settings import *  # noqa: F403 (all settings, and one more)

ROOT_URLCONF = "tests.bench.urls"
