"""The settings of the service, with the URL of the bare view as well."""

from atlantis_site.settings import *  # noqa: F403 (all settings, and one more)

ROOT_URLCONF = "tests.bench.urls"
