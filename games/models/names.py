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
# What mail programs turn into links: slashes after a colon, "@", "www", words with a dot in them
# and numbers of networks, "10.30" not.
_LINK = re.compile(
    r"//|\w:[/\\]+\w|@|www\b|\w[.\u3002][^\W\d_]{2}|\d\.\d{1,3}\.\d{1,3}\.\d", re.IGNORECASE
)
MOST_MARKS = 2  # above, below or through one letter; Vietnamese has two
# Their letters stand side by side in one word.
_EAST_ASIAN = frozenset(["CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"])
# Letters and digits in lower case that look like Latin letters, each with that one below it.
_LOOKALIKES = str.maketrans(
    "авсԁеһіјӏкмнорԛѕтуԝхьѵгпиαβγεηικμνορτυχωօսհոցզքıɑɡɩ01345|l",
    "abcdehijikmhopqstywxbvrnuabyenikmvoptuxwouhngqpiagioieasii",
)
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


@lru_cache(maxsize=4096)
def skeleton(name: str) -> str:
    """The appearance of a name, with Latin letters for those of other scripts and for digits that
    look like them."""
    return appearance(name).translate(_LOOKALIKES)


def has_one_script(name: str) -> bool:
    """Return whether all letters of the name are of one script, so that none poses as another."""
    found = set[str]()
    for char in unicodedata.normalize("NFKC", name):
        if unicodedata.category(char) in ("Lu", "Ll", "Lt", "Lo"):
            script = unicodedata.name(char, "").split(" ")[0].partition("-")[0]
            found.add("CJK" if script in _EAST_ASIAN else script)
    return len(found) <= 1


def has_many_marks(name: str) -> bool:
    """Return whether a letter of the name has more than MOST_MARKS marks. Signs of vowels, which
    are letters in the scripts of India, are none."""
    marks = 0
    for char in unicodedata.normalize("NFD", name):
        is_mark = unicodedata.combining(char) not in (0, 7, 8, 9)
        marks = marks + 1 if is_mark or unicodedata.category(char) == "Me" else 0
        if marks > MOST_MARKS:
            return True
    return False


def without_blanks(name: str) -> str:
    """The name without characters at its ends that nobody sees."""
    seen = [place for place, char in enumerate(name) if not _is_unseen(char)]
    return name[seen[0] : seen[-1] + 1] if seen else ""


def has_letter(name: str) -> bool:
    """Return whether readers see a letter or a digit in this name."""
    return any(unicodedata.category(char)[0] in "LN" for char in appearance(name))


def has_link(text: str) -> bool:
    """Return whether mail programs could turn a part of this text into a link."""
    return _LINK.search(unicodedata.normalize("NFKC", text)) is not None


@lru_cache(maxsize=4096)
def is_reserved(name: str) -> bool:
    """Return whether this name looks like that of a bot, of a role, of a person without a name, or
    of the service, in any language; with a number, or in letters that look alike, too."""
    roles, wholes = _reserved()
    return any(
        not roles.isdisjoint(words) or "".join(words) in wholes
        for words in (_words(name), _LETTERS.findall(" ".join(map(skeleton, name.split()))))
    )


def _words(name: str) -> list[str]:
    """The words of a name as they appear, without digits, in Latin letters where they look like
    some."""
    parts = unicodedata.normalize("NFKC", name).split()
    words = (word for part in parts for word in _LETTERS.findall(appearance(part)))
    return [word.translate(_LOOKALIKES) for word in words]


@cache
def _reserved() -> tuple[frozenset[str], frozenset[str]]:
    """(words that no name may have, whole names that nobody may have), in all languages."""
    roles, wholes = set[str](), set(BOT_NAMES) | {settings.SITE_NAME}
    for language, _name in settings.LANGUAGES:
        with override(language):
            # Translators: in one language or several, separated by commas. Nobody can have a name
            # with one of these words.
            known = pgettext(
                "roles", "moderator, moderation, administrator, admin, support, team, spectator"
            )
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
        seats[skeleton(name)].add(number)
    return [place for place, name in enumerate(names) if len(seats[skeleton(name)]) > 1]
