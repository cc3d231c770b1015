"""The settings of the service, with the URL of the bare view as well."""

from atlantis_site.settings import *  # noqa: F403 (all settings, and one more)

ROOT_URLCONF = "tests.bench.urls"
# allauth's own limits by network would end the bench of sign-in codes.
ACCOUNT_RATE_LIMITS = {"login": "1000000/m/ip", "request_login_code": "1000000/m/ip"}
