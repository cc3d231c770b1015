"""From the engine's words to the reader's."""

from datetime import UTC, datetime

from django.utils import timezone, translation

from games.rules.text import Seat, Text, _, ngettext
from games.translate import exact_time, say, seat_name


def test_names_are_put_in_by_seat() -> None:
    assert say(_("%(player)s joined.", player=Seat(1)), ["Alice", "Bob"]) == "Bob joined."


def test_names_may_come_from_a_function() -> None:
    assert say(_("%(player)s joined.", player=Seat(2)), lambda n: f"<{n}>") == "<2> joined."


def test_without_names_a_seat_is_called_by_its_number() -> None:
    assert say(_("%(player)s joined.", player=Seat(0))) == "Seat 1 joined."


def test_a_seat_nobody_named_is_called_by_its_number() -> None:
    assert seat_name(4, ["Alice"]) == "Seat 5"


def test_a_plural_takes_its_form() -> None:
    cards = [ngettext("%(count)s card", "%(count)s cards", n) for n in (1, 2)]
    assert [say(text) for text in cards] == ["1 card", "2 cards"]


def test_a_text_in_a_text_is_said_in_the_same_language_with_the_same_names() -> None:
    inner = _("%(player)s’s ring", player=Seat(0))
    assert say(_("taken: %(what)s", what=inner), ["Alice"]) == "taken: Alice’s ring"


def test_a_text_without_parameters_may_hold_a_per_cent_sign() -> None:
    assert say(Text("100 % water")) == "100 % water"


def test_words_come_in_the_active_language() -> None:
    with translation.override("de"):
        assert say(Text("Yes")) == "Ja"  # one of Django's own words: there in any case


def test_the_same_moment_is_written_for_each_zone_and_language() -> None:
    noon = datetime(2020, 7, 4, 12, tzinfo=UTC)

    def written(language: str, zone: str) -> str:
        with translation.override(language), timezone.override(zone):
            return exact_time(noon)

    assert written("en", "UTC") == "4 Jul 2020, 12:00"
    assert written("en", "Europe/Berlin") == "4 Jul 2020, 14:00"
    assert written("de", "Europe/Berlin") == "4.\xa0Juli 2020, 14:00\xa0Uhr"
    assert written("fr", "Europe/Berlin") == "4\xa0juil. 2020 à\xa014:00"
