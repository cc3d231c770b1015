"""The words of a line, one by one: figures, items, numbers and keywords.

A letter may name a figure, shorten an item or be an article; `readings` gives every combination.
"""

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from itertools import pairwise, product

import msgspec

from ...line_reader import ECHO, LineReader, Token
from ...text import _, and_list
from .. import model
from ..box import ITEMS
from ..names import ITEM_NAMES
from .vocabulary import (
    COUNTED,
    FIGURE_NOUNS,
    FOREIGN,
    FULL_NAMES,
    JOINING,
    MARKERS,
    NOUNS,
    NUMBERS,
    PLURALS,
    VOCABULARY,
    items,
)

MOST_UNCLEAR = 3  # letters of a line that may mean several things
LETTERS = {item.value[0]: item for item in ITEMS}


class Role(Enum):
    """A possible meaning of a single letter."""

    FIGURE = auto()
    ITEM = auto()
    ARTICLE = auto()


class Part(msgspec.Struct, frozen=True):
    """A word of a line. kind: "figure", "card", "number", "filler" or a keyword.

    is_word: a number in letters. is_plural: an item in the plural.
    """

    kind: str
    token: Token
    figure: int = 0
    cards: model.Cards = ()
    number: int = 0
    is_word: bool = False
    is_plural: bool = False


class WordReader(LineReader):
    """One line with the view that it was written on. is_guess: see `LineReader`."""

    def __init__(self, text: str, view: model.View, *, is_guess: bool = False) -> None:
        super().__init__(text, VOCABULARY, is_guess=is_guess)
        self.view = view
        # An olive branch is one card.
        branches = {at + 1 for at, token in enumerate(self.tokens) if token.word == "olive"}
        self.tokens = [
            token
            for at, token in enumerate(self.tokens)
            if not (at in branches and token.word in ("branch", "branches"))
        ]
        fillers = {token.word for token in self.tokens if VOCABULARY.is_filler(token)}
        self.is_sentence = self.has_phrase or not fillers <= JOINING

    # single letters

    def readings(self) -> Iterator[dict[int, Role]]:
        """Every way to read the letters of the line."""
        possible = {
            at: roles for at, token in enumerate(self.tokens) if (roles := self.roles(at, token))
        }
        if sum(len(roles) > 1 for roles in possible.values()) > MOST_UNCLEAR:
            raise self.malformed(
                _("Write items in full, so that we do not mistake one for another.")
            )
        for chosen in product(*possible.values()):
            yield dict(zip(possible, chosen, strict=True))

    def roles(self, at: int, token: Token) -> tuple[Role, ...]:
        """Return the possible meanings of a single letter at this place; () for all other words."""
        before = self.tokens[at - 1].word if at else ""
        if VOCABULARY.is_filler(token) or not (token.word == "b" or token.word in LETTERS):
            return ()
        if token.word == "b" or (before in FIGURE_NOUNS and token.word in "abc"):
            return (Role.FIGURE,)
        if token.word not in "ac":
            return (Role.ITEM,)
        is_first = all(self.may_precede_figure(earlier) for earlier in self.tokens[:at])
        if token.word == "c" and is_first:
            return (Role.FIGURE,)
        if self.is_capital(token) and (is_first or (before in MARKERS and not self.names_figure())):
            return (Role.FIGURE,)
        if token.word == "c":
            return (Role.FIGURE, Role.ITEM)
        after = self.tokens[at + 1].word if at + 1 < len(self.tokens) else ""
        if self.is_sentence and VOCABULARY.keyword.get(after) == "bridge":
            return (Role.ARTICLE,)
        if not is_first:
            return (Role.ITEM, Role.ARTICLE, Role.FIGURE)
        is_article = self.may_be_article(at)
        is_canonical = token.raw == "A" and not self.is_sentence
        return (Role.FIGURE,) if is_canonical or not is_article else (Role.FIGURE, Role.ARTICLE)

    def may_precede_figure(self, token: Token) -> bool:
        is_bridge = VOCABULARY.keyword.get(token.word) == "bridge" or token.word.isdecimal()
        return is_bridge or VOCABULARY.is_filler(token)

    def may_be_article(self, at: int) -> bool:
        """Return whether the word behind this letter is a noun."""
        after = self.tokens[at + 1].word if at + 1 < len(self.tokens) else ""
        is_item = (after in FULL_NAMES or after in PLURALS) and after not in FOREIGN
        return is_item or after in NOUNS or VOCABULARY.keyword.get(after) == "bridge"

    def is_capital(self, token: Token) -> bool:
        """Return whether the letter is a capital by choice."""
        is_shouted = all(not part.raw.islower() for part in self.tokens)
        return token.raw.isupper() and not token.opens and not is_shouted

    def names_figure(self) -> bool:
        """Return whether a figure is named beyond doubt."""
        words = [token.word for token in self.tokens]
        nouns = any(
            word in FIGURE_NOUNS and following in ("a", "b", "c")
            for word, following in pairwise(words)
        )
        return nouns or "b" in words

    # words

    def parts(self, roles: Mapping[int, Role]) -> list[Part]:
        """The words of the line with what they mean. MalformedMove for one that means nothing."""
        self.check_figure()
        return [self.part(token, roles.get(at)) for at, token in enumerate(self.tokens)]

    def check_figure(self) -> None:
        """MalformedMove for a line that begins with a letter which is neither figure nor item."""
        first = next((t for t in self.tokens if not self.may_precede_figure(t)), None)
        if first is None or len(first.word) > 1 or first.word == "b" or first.word in LETTERS:
            return
        if first.word.isalpha():
            raise self.malformed(
                _(
                    "“%(word)s” is not a figure. Your figures are A, B and C.",
                    word=first.raw,
                )
            )

    def part(self, token: Token, role: Role | None) -> Part:
        word = token.word
        if role is Role.FIGURE:
            return Part("figure", token, figure=model.FIGURES.index(word.upper()))
        if role is Role.ARTICLE or VOCABULARY.is_filler(token):
            return Part("filler", token)
        if word.isdecimal():
            return Part("number", token, number=int(word[:4]))
        if word in NUMBERS:
            return Part("number", token, number=NUMBERS[word], is_word=True)
        if word in VOCABULARY.keyword:
            return Part(VOCABULARY.keyword[word], token)
        counted = COUNTED.fullmatch(word)
        if counted is None:
            return Part("card", token, cards=(self.item(word),), is_plural=word in PLURALS)
        if len(counted[1]) > 2:
            raise self.malformed(_("Nobody has %(number)s cards.", number=counted[1][:ECHO]))
        if int(counted[1]) == 0:
            raise self.malformed(
                _("“%(word)s” is not a card. Write a number from 1, or leave it out.", word=word)
            )
        return Part("card", token, cards=(self.item(counted[2]),) * int(counted[1]))

    def item(self, word: str) -> model.Item:
        if word in FULL_NAMES or word in PLURALS:
            return FULL_NAMES.get(word) or PLURALS[word]
        meant = self.shortened_items(word)
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise self.ambiguous(
                _(
                    "“%(word)s” fits several items: %(items)s.",
                    word=word,
                    items=and_list([ITEM_NAMES[item] for item in meant]),
                )
            )
        if VOCABULARY.nearest(word, FULL_NAMES) is not None or len(word) == 1:
            raise self.unknown(word, FULL_NAMES)
        raise self.malformed(
            _(
                "“%(word)s” is not an item. The items are %(items)s.",
                word=word[:ECHO],
                items=and_list([ITEM_NAMES[item] for item in ITEMS]),
            )
        )

    def shortened_items(self, word: str) -> tuple[model.Item, ...]:
        """The items that a word may be short for; none in a sentence, whose words are too many."""
        return () if self.is_sentence else items(word)
