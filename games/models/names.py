"""Names of people and bots: the names that people can have, and one name for each seat."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache

from django.conf import settings
from django.utils.translation import gettext, override, pgettext

from games.rules.bots import Level

# Sea gods, one per place.
BOT_NAMES = ("Triton", "Galatea", "Nereus", "Amphitrite", "Proteus", "Leucothea", "Glaucus", "Ino")
# Unicode calls characters this that nobody sees, although they count as letters or marks.
_UNSEEN = ("FILLER", "BLANK", "SELECTOR", "JOINER", "INHERENT")
# What mail programs turn into links: "//", "@", "www" and words with a dot in them, "10.30" not.
_LINK = re.compile(r"//|[\\@<>]|www\b|\w[.\u3002\uff0e][^\W\d_]{2}", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")


def bot_name(place: int, level: str = Level.NORMAL) -> str:
    """Return the name of the bot on this place. Until the start, its number changes as others come
    and go; its place does not."""
    name = {"name": BOT_NAMES[place % len(BOT_NAMES)]}
    match level:
        case Level.EASY:
            return gettext("%(name)s (easy bot)") % name
        case Level.STRONG:
            return gettext("%(name)s (strong bot)") % name
        case _:
            return gettext("%(name)s (bot)") % name


def former_player() -> str:
    """The name of a person who has no account any more."""
    return gettext("Former player")


@lru_cache(maxsize=4096)
def appearance(name: str) -> str:
    """The name as far as its readers can tell it from others: without regard to case, width and
    style of letters, and without spaces and characters that nobody sees."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(char for char in folded if not _is_unseen(char))


def _is_unseen(char: str) -> bool:
    if unicodedata.category(char)[0] in "CZ":  # control and format characters, spaces
        return True
    return any(word in unicodedata.name(char, "") for word in _UNSEEN)


def has_letter(name: str) -> bool:
    """Return whether readers see a letter or a digit in this name."""
    return any(unicodedata.category(char)[0] in "LN" for char in appearance(name))


def has_link(text: str) -> bool:
    """Return whether mail programs could turn a part of this text into a link."""
    return _LINK.search(text) is not None


@lru_cache(maxsize=4096)
def is_reserved(name: str) -> bool:
    """Return whether this name looks like that of a bot, of a role, of a person without a name, or
    of the service, in any language; with a number, too."""
    words = _words(name)
    roles, wholes = _reserved()
    return not roles.isdisjoint(words) or "".join(words) in wholes


def _words(name: str) -> list[str]:
    """The words of a name as they appear, without digits."""
    parts = unicodedata.normalize("NFKC", name).split()
    return [word for part in parts for word in _LETTERS.findall(appearance(part))]


@cache
def _reserved() -> tuple[frozenset[str], frozenset[str]]:
    """(words that no name may have, whole names that nobody may have), in all languages."""
    roles, wholes = set[str](), set(BOT_NAMES) | {settings.SITE_NAME}
    for language, _name in settings.LANGUAGES:
        with override(language):
            # Translators: in one language or several, separated by commas. Nobody can have a name
            # with one of these words.
            known = pgettext("roles", "moderator, moderation, administrator, admin, spectator")
            roles |= {*_words(known), *_words(gettext("host")), *_words(bot_name(0))[1:]}
            wholes |= {former_player(), gettext("A player"), gettext("Seat %(number)s")}
            wholes |= {gettext("Player %(number)s")}
            wholes |= {bot_name(place, level) for place in range(len(BOT_NAMES)) for level in Level}
    plain = (name.replace("%(number)s", "") for name in wholes | roles)
    return frozenset(roles), frozenset("".join(_words(name)) for name in plain)


def names_at_table(names: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """Return names for the players of one table that cannot be confused.

    names: "" for a person without a name. numbers: of their seats, from 0.
    """
    found = [
        name or gettext("Player %(number)s") % {"number": number + 1}
        for name, number in zip(names, numbers, strict=True)
    ]
    while equal := _equal(found, numbers):
        for place in equal:
            found[place] = f"{found[place]} ({numbers[place] + 1})"
    return found


def _equal(names: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """The places of the names that look like one on a seat of another number."""
    seats = defaultdict[str, set[int]](set)
    for name, number in zip(names, numbers, strict=True):
        seats[appearance(name)].add(number)
    return [place for place, name in enumerate(names) if len(seats[appearance(name)]) > 1]
