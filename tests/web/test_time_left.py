"""The time left in a list: one short line, and all of it for screen readers."""

import re
from datetime import timedelta

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

LISTED = Template("{% load when %}{% short_left due_at %}")
SHORT = re.compile(r'aria-hidden="true">([^<]*)<')


def listed(left: timedelta, language: str) -> str:
    with translation.override(language):
        return LISTED.render(Context({"due_at": timezone.now() + left}))


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize(
    "left",
    [
        timedelta(days=-1),
        timedelta(seconds=30),
        timedelta(minutes=59, seconds=30),
        timedelta(hours=23, minutes=59),
        timedelta(days=2, hours=23, minutes=59),
        timedelta(days=99, hours=23, minutes=59),
        timedelta(days=999, hours=23, minutes=59),
    ],
    ids=str,
)
def test_the_time_left_takes_at_most_14_characters(left: timedelta, language: str) -> None:
    found = SHORT.search(listed(left, language))
    assert found
    assert 0 < len(found[1]) <= 14


def test_screen_readers_and_the_title_say_it_in_full() -> None:
    found = listed(timedelta(days=2, hours=23, minutes=59), "en").replace("\xa0", " ")
    assert ">2 d 23 h<" in found
    assert 'title="2 days, 23 hours left, until ' in found
    assert '<span class="unseen">2 days, 23 hours left, until ' in found
