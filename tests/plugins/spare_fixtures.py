"""Leaves out what pytest-django prepares for every test and this one does not need.

Its fixtures run before each test, whether it has their marker or not. With six thousand tests, most
of which take less time than that, this adds up.
"""

import pytest

# fixture → the marker without which it does nothing; "" if nothing here has a use for it.
MARKERS = {
    "_dj_autoclear_mailbox": "",  # emails are rows of the outbox
    "_django_clear_site_cache": "",  # django.contrib.sites is not installed
    "_django_db_marker": "django_db",
    "_django_isolate_apps": "django_isolate_apps",
    "_django_set_urlconf": "urls",
    "_django_setup_unittest": "",  # no test is a method of a TestCase
    "_fail_for_invalid_template_variable": "",  # an option that is not used
    "_live_server_helper": "",  # the site of browser tests is a process
    "_template_string_if_invalid_marker": "ignore_template_errors",
}


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take from a test the fixtures that it need not set up, and those which only these request."""
    test = metafunc.definition
    fixtures = test._fixtureinfo
    needed: set[str] = set()
    left = [name for name in fixtures.initialnames if not _is_spare(name, test)]
    while left:
        name = left.pop()
        if name not in needed:
            needed.add(name)
            for fixture in fixtures.name2fixturedefs.get(name, ()):
                left += fixture.argnames
    if "request" not in fixtures.argnames:  # every fixture has a request of its own
        needed.discard("request")
    metafunc.fixturenames[:] = [name for name in metafunc.fixturenames if name in needed]


def _is_spare(fixture: str, test: pytest.Function) -> bool:
    marker = MARKERS.get(fixture)
    return marker is not None and (not marker or test.get_closest_marker(marker) is None)
