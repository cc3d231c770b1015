"""Which names people can have, and that no two names at a table look equal."""

import itertools

import pytest
from django.conf import settings
from django.utils.translation import gettext, override

from games import services
from games.models import User, appearance, bot_name, former_player, is_reserved, names_at_table
from games.rules.bots import Level
from games.services import ServiceError
from games.services.clean_text import clean_message, clean_name, clean_title

LANGUAGES = [code for code, _name in settings.LANGUAGES]

# Of each kind one: fillers, a blank symbol, ignored marks, a mark alone, format characters, spaces.
UNSEEN = ["\u3164", "\u115f\u1160", "\uffa0", "\u2800", "\u034f", "\ufe0f", "\U000e0100", "\u17b4"]
UNSEEN += ["\u180b", "\u0301", "\u200b\u200d", "\u2060", "\u00ad", "\u202e", "\u00a0\u2003"]


def rename(user: User, name: str) -> str:
    """Choose this name, and return the name that the user has then."""
    services.person_rename(user=user, display_name=name)
    return User.objects.get(pk=user.pk).display_name


@pytest.mark.parametrize(
    "name",
    ["Anna", "Łukasz 7", "007", "李", "ㅋㅋ", "محمد", "हिन्दी", "Δρ. Ω", "ゆみ子", "Nguyễn Thị Ệ"],
)
def test_a_name_has_letters_or_digits_of_any_script(alice: User, name: str) -> None:
    assert rename(alice, name) == name


@pytest.mark.parametrize("name", [*UNSEEN, "".join(UNSEEN), "...", "🐙", "(–)"], ids=ascii)
def test_a_name_of_which_no_letter_is_seen_is_refused(alice: User, name: str) -> None:
    with pytest.raises(ServiceError):
        rename(alice, name)
    assert User.objects.get(pk=alice.pk).display_name == "Alice"


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_is_called_like_a_bot_or_a_role(language: str) -> None:
    with override(language):
        bots = [bot_name(place, level) for place in range(8) for level in Level]
        roles = [gettext("host"), former_player(), gettext("A player")]
        placeholder = gettext("Player %(number)s") % {"number": 2}
    for name in (*bots, *roles, placeholder, "Moderator", settings.SITE_NAME):
        for way in (name, name.upper(), " ".join(name), f"{name} 2", name.replace("o", "ｏ")):
            assert is_reserved(way), way


@pytest.mark.parametrize(
    "name", ["Moderator Anna", "Anna (bot)", "The Host", "[BOT] Max", "triton"]
)
def test_a_part_of_a_name_is_no_role_either(alice: User, name: str) -> None:
    with pytest.raises(ServiceError, match="taken for a bot"):
        rename(alice, name)


@pytest.mark.parametrize("name", ["Abbot", "Hostettler", "Tritonia", "Botho", "Ghost", "Admira"])
def test_a_name_that_contains_such_a_word_is_fine(alice: User, name: str) -> None:
    assert rename(alice, name) == name


@pytest.mark.parametrize("name", ["\u3164", "Triton (bot)", "Moderator", "🐙"])
def test_a_name_from_before_the_rule_is_not_shown(alice: User, name: str) -> None:
    User.objects.filter(pk=alice.pk).update(display_name=name)
    alice.refresh_from_db()
    assert alice.shown_name == ""
    assert alice.name == "A player"


@pytest.mark.parametrize(
    "name",
    [
        "Mоderator",
        "Moderat0r",
        "Adm1n",
        "Atlantis Team",
        "Support",
        "Trit0n",
        "Τriton",
        "һоѕт",
        "B\u043en",
        "Ben\u0327\u0301\u0302",
        "Z" + "\u0301" * 30,
    ],
    ids=ascii,
)
def test_a_name_poses_as_no_other_by_letters_that_look_alike(alice: User, name: str) -> None:
    with pytest.raises(ServiceError):
        rename(alice, name)


def test_a_name_has_no_blank_characters_at_its_ends(alice: User) -> None:
    assert rename(alice, "\u2800Ben\u2800") == "Ben"


@pytest.mark.parametrize(
    "words",
    [
        "http:\\\\evil",
        "see http:/evil",
        "http://evil.example/x",
        "evil\u2024example",
        "1.2.3.4/x",
        "www.x",
    ],
)
def test_names_of_people_and_tables_and_lines_to_strangers_have_no_link(words: str) -> None:
    """They stand in our emails, as their subject even."""
    for clean in (clean_name, clean_title, clean_message):
        with pytest.raises(ServiceError):
            clean(words)


@pytest.mark.parametrize("words", ["Round 2: go", "At 10.30 :/", "J. R. Smith", "1.2.2026"])
def test_what_is_no_link_is_taken(words: str) -> None:
    assert clean_title(words) == words


# -- at one table ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    ["SAM", "Ｓａｍ", "S a m", "𝒮am", "\u0455\u0430\u043c", *(f"Sa{c}m" for c in UNSEEN[:9])],
)
def test_names_that_look_equal_bear_the_number_of_their_seat(other: str) -> None:
    assert names_at_table(["Sam", "Ann", other], [0, 1, 2]) == ["Sam (1)", "Ann", f"{other} (3)"]


def test_people_without_a_name_are_called_by_their_seat() -> None:
    assert names_at_table(["", "Ann", ""], [0, 1, 2]) == ["Player 1", "Ann", "Player 3"]
    with override("de"):
        assert names_at_table(["", "Ann"], [0, 1]) == ["Spieler 1", "Ann"]


def test_no_choice_of_names_makes_two_of_them_equal() -> None:
    choices = ["", "Sam", "sam (2)", "Sam (1)", "Player 1", "Sam (1) (2)", "Sam (2) (1)"]
    for names in itertools.product(choices, repeat=4):
        found = names_at_table(names, range(4))
        assert len(set(map(appearance, found))) == 4, names


def test_names_that_look_different_stay_as_they_are() -> None:
    names = ["Sam", "Sám", "Sam!", "Sam 2"]
    assert names_at_table(names, range(4)) == names
