"""A line read as a command: every word accounted for, legal at the end, or a sentence that helps.

A letter may name a figure, shorten an item or be an article. Where it can be more than one of
these, all readings are tried, and only where they agree is the move made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import pairwise, product

import msgspec

from ..contract import AmbiguousMove, IllegalMove, MalformedMove, MoveError
from ..line_reader import ECHO, MOST_UNKNOWN, LineReader, Token
from ..text import _, and_list
from . import model, moves
from .box import INDEX, ITEMS
from .names import ITEM_NAMES, letter
from .vocabulary import (
    COUNTED,
    DICTATED,
    FIGURE_NOUNS,
    FOREIGN,
    FULL_NAMES,
    JOINING,
    MARKERS,
    NOUNS,
    NUMBERS,
    PLURALS,
    SHORTEST,
    VOCABULARY,
    WITH,
    items,
)

MOST_UNCLEAR = 3  # letters of a line that may mean several things
LETTERS = {item.value[0]: item for item in ITEMS}
# Behind a payment these say what it is for, or that it is not the payment.
TOWARDS = WITH | frozenset(
    (
        "for",
        "to",
        "on",
        "at",
        "over",
        "into",
        "in",
        "auf",
        "zu",
        "nach",
        "fur",
        "fuer",
        "sur",
        "vers",
    )
)


class Role(Enum):
    """What a single letter may be."""

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


class Draft(msgspec.Struct):
    """What a line says about a move. ahead: how many cards were named before the figure.

    plurals: the places of cards that were named in the plural, without a number.
    """

    figure: int | None = None
    ahead: int = 0
    cards: list[model.Item] = []
    plurals: list[int] = []
    pays: bool = False
    is_cheapest: bool = False
    tiles: list[int] = []
    coins: list[model.Item] = []
    before: int | None = None
    after: int | None = None


def parse(text: str, view: model.View) -> model.Command:
    """The command that a line means for the seat that looks; it is legal now.

    MalformedMove, AmbiguousMove and IllegalMove repeat the line and say how it is put right.
    """
    moves.check_turn(view)
    reader = _Reader(text, view)
    command = reader.command()
    try:
        moves.simulate(view, command)
    except IllegalMove as error:
        raise reader.illegal(error.text) from None
    return command


def suggest(text: str, view: model.View) -> model.Command | None:
    """The one legal command that a line comes close to, payment put in; None for a doubtful line,
    and where it could be several."""
    if len(text) > VOCABULARY.longest or VOCABULARY.is_doubtful(text):
        return None
    try:
        moves.check_turn(view)
        return _Guesser(text, view).guess()
    except MoveError:
        return None


class _Reader(LineReader):
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

    def command(self) -> model.Command:
        match VOCABULARY.keywords(self.words):
            case []:
                raise self.malformed(
                    _("This line contains no move. Write, for example: B flag helmet")
                )
            case ["pass"]:
                return model.Pass()
            case ["pass", *_rest]:
                raise self.malformed(_("Write “pass” on a line of its own."))
            case ["buy", *_rest]:
                return self.buy()
        return self.agreed()

    # selling a tile

    def buy(self) -> model.Buy:
        words = self.words[1:]
        if words and words[0] == "a":
            words.pop(0)
        values = [int(word) for word in words if word.isdecimal()]
        values += [NUMBERS[word] for word in words if word in NUMBERS]
        rest = [word for word in words if not word.isdecimal() and word not in NUMBERS]
        named = [self.item(word) for word in rest]
        if len(values) != 1 or len(named) > 1:
            raise self.malformed(_("Add the value of the tile you want to sell: buy 6"))
        tiles = () if self.view.viewer is None else self.view.players[self.view.viewer].tiles
        if named and not any((t.item, t.value) == (named[0], values[0]) for t in tiles):
            raise self.illegal(
                _(
                    "You do not have the tile %(item)s %(value)s.",
                    item=ITEM_NAMES[named[0]],
                    value=values[0],
                )
            )
        return model.Buy(values[0])

    # single letters

    def agreed(self) -> model.Move:
        """The move on which all readings of single letters agree."""
        readings = list(self.readings())
        if len(readings) == 1:
            return self.move(self.parts(readings[0]))
        found: list[model.Move] = []
        for roles in readings:
            try:
                move = self.move(self.parts(roles))
                moves.simulate(self.view, move)
            except MoveError:
                raise self.unclear(readings) from None
            found.append(move)
        if any(move != found[0] for move in found):
            raise self.unclear(readings)
        return found[0]

    def unclear(self, readings: Sequence[Mapping[int, Role]]) -> AmbiguousMove:
        """The error for letters that may mean different things."""
        at = next(n for n in readings[0] if len({roles[n] for roles in readings}) > 1)
        return self.ambiguous(
            _(
                "“%(letter)s” by itself could mean several things here. Name the figure first and "
                "write items in full: B flag helmet",
                letter=self.tokens[at].raw,
            )
        )

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
        """What a single letter may be where it stands; () for all other words."""
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
        """Whether the word behind this letter is a noun."""
        after = self.tokens[at + 1].word if at + 1 < len(self.tokens) else ""
        is_item = (after in FULL_NAMES or after in PLURALS) and after not in FOREIGN
        return is_item or after in NOUNS or VOCABULARY.keyword.get(after) == "bridge"

    def is_capital(self, token: Token) -> bool:
        """Whether the letter is a capital by choice."""
        is_shouted = all(not part.raw.islower() for part in self.tokens)
        return token.raw.isupper() and not token.opens and not is_shouted

    def names_figure(self) -> bool:
        """Whether a figure is named beyond doubt."""
        words = [token.word for token in self.tokens]
        nouns = any(
            word in FIGURE_NOUNS and following in ("a", "b", "c")
            for word, following in pairwise(words)
        )
        return nouns or "b" in words

    # a move

    def parts(self, roles: Mapping[int, Role]) -> list[Part]:
        """The words of the line with what they mean. MalformedMove for one that means nothing."""
        return [self.part(token, roles.get(at)) for at, token in enumerate(self.tokens)]

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
                _("“%(word)s” is no card. Write a number from 1, or leave it out.", word=word)
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
                    "“%(word)s” could mean %(items)s.",
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

    def move(self, parts: Sequence[Part]) -> model.Move:
        draft = self.draft(parts)
        if draft.figure is None:
            move = self.only_figure(draft)
        else:
            move = self.completed(draft, draft.figure)
        for at in draft.plurals:
            self.check_number(move, at)
        return move

    def draft(self, parts: Sequence[Part]) -> Draft:
        """What the words say together, clause by clause."""
        draft, clause, at = Draft(), "main", 0
        while at < len(parts):
            part, at = parts[at], at + 1
            if part.kind == "filler":
                if clause == "pay" and (draft.tiles or draft.coins) and part.token.word in TOWARDS:
                    raise self.misplaced(part)
            elif part.kind == "bridge":
                space, at = self.bridge_space(parts, at)
                if draft.cards and draft.after is None:
                    draft.after, clause = space, "end" if draft.pays else "after"
                elif not draft.cards and draft.figure is None and draft.before is None:
                    draft.before = space
                else:
                    raise self.misplaced(part)
            elif part.kind == "pay" and draft.cards and (draft.is_cheapest or not draft.pays):
                draft.pays, clause = True, "pay"
            elif part.kind == "cheapest" and draft.cards:
                draft.pays, draft.is_cheapest, clause = True, True, "pay"
            elif clause == "main":
                at = self.add_to_move(draft, parts, at)
            elif clause == "pay" and part.kind in ("number", "card"):
                self.add_coin(draft, part, parts[at] if at < len(parts) else None)
            else:
                raise self.misplaced(part)
        if not draft.cards:
            raise self.malformed(_("Add the cards to play, in order: B flag helmet"))
        if draft.pays and not (draft.tiles or draft.coins or draft.is_cheapest):
            raise self.malformed(
                _("Say how you pay: tiles by number, cards by item, or “pay cheapest”.")
            )
        if draft.is_cheapest and (draft.tiles or draft.coins):
            raise self.malformed(
                _("Say how you pay: tiles by number, cards by item, or “pay cheapest”.")
            )
        return draft

    def add_to_move(self, draft: Draft, parts: Sequence[Part], at: int) -> int:
        """Add the figure or card before `at` to the move; the number of the next part."""
        part = parts[at - 1]
        if part.kind == "figure":
            if draft.figure is not None:
                raise self.malformed(_("Name one figure only, and one move at a time."))
            draft.figure, draft.ahead = part.figure, len(draft.cards)
        elif part.kind == "card":
            if draft.ahead > 0 and draft.figure is not None:
                raise self.misplaced(part)
            if part.is_plural:
                draft.plurals.append(len(draft.cards))
            draft.cards.extend(part.cards)
        elif part.kind == "number":
            following = parts[at] if at < len(parts) else None
            is_count = following is not None and (
                part.is_word or part.number == 1 or following.is_plural
            )
            if following is None or not is_count or len(following.cards) != 1 or not part.number:
                raise self.malformed(
                    _(
                        "Write numbers only after “pay”, “buy” or “bridge”. Cards are named by "
                        "their item."
                    )
                )
            if draft.ahead > 0 and draft.figure is not None:
                raise self.misplaced(part)
            draft.cards.extend(following.cards * min(part.number, 99))
            return at + 1
        else:
            raise self.misplaced(part)
        return at

    def add_coin(self, draft: Draft, part: Part, following: Part | None) -> None:
        if part.kind == "card":
            if part.is_plural:
                raise self.malformed(
                    _(
                        "Name each card you pay with: “%(item)s %(item)s” for two of them.",
                        item=ITEM_NAMES[part.cards[0]],
                    )
                )
            draft.coins.extend(part.cards)
        elif part.is_word and following is not None and following.kind == "card":
            raise self.misplaced(part)
        else:
            draft.tiles.append(part.number)

    def bridge_space(self, parts: Sequence[Part], at: int) -> tuple[int, int]:
        """(the space of the bridge, the number of the part behind it)."""
        while at < len(parts) and parts[at].kind == "filler":
            at += 1
        if at == len(parts) or parts[at].kind != "number":
            raise self.malformed(_("Add the space of the gap after “bridge”: bridge 27"))
        return parts[at].number, at + 1

    def misplaced(self, part: Part) -> MalformedMove:
        return self.malformed(_("“%(word)s” does not belong here.", word=part.token.raw[:ECHO]))

    def check_number(self, move: model.Move, at: int) -> None:
        """AmbiguousMove if an item in the plural may mean two of it."""
        cards = (*move.cards[: at + 1], *move.cards[at:])
        twice = msgspec.structs.replace(move, cards=cards, pay_tiles=(), pay_cards=())
        try:
            paid = moves.paid_cheapest(self.view, twice, moves.price_of(self.view, twice))
            moves.simulate(self.view, paid)
        except IllegalMove:
            return
        raise self.ambiguous(
            _(
                "Write each card you play: “%(item)s %(item)s” for two of them.",
                item=ITEM_NAMES[move.cards[at]],
            )
        )

    def completed(self, draft: Draft, figure: int) -> model.Move:
        """The draft for this figure, the cheapest payment put in where it was asked for.

        Where a price is owed and nothing is said about paying, the price is named.
        """
        move = model.Move(
            figure=figure,
            cards=tuple(draft.cards),
            pay_tiles=tuple(sorted(draft.tiles, reverse=True)),
            pay_cards=tuple(sorted(draft.coins, key=INDEX.__getitem__)),
            bridge_before=draft.before,
            bridge_after=draft.after,
        )
        if draft.is_cheapest or not (move.pay_tiles or move.pay_cards):
            try:
                price = moves.price_of(self.view, move)
            except IllegalMove as error:
                raise self.illegal(error.text) from None
            if draft.is_cheapest:
                return moves.paid_cheapest(self.view, move, price)
            if price:
                self.ask_for_payment(move, price)
        return move

    def ask_for_payment(self, move: model.Move, price: int) -> None:
        """Raise IllegalMove with the price, if it can be paid at all."""
        if moves.paid_cheapest(self.view, move, price) != move:
            raise self.illegal(
                _(
                    "This move costs %(price)s. Add how you pay: tiles by number, cards by item, "
                    "or “pay cheapest”.",
                    price=price,
                )
            )

    def only_figure(self, draft: Draft) -> model.Move:
        """No figure was named: the one that can do it, if it is one."""
        fitting: list[model.Move] = []
        problem: IllegalMove | None = None
        for figure in range(len(model.FIGURES)):
            try:
                move = self.completed(draft, figure)
                moves.simulate(self.view, move)
            except IllegalMove as error:
                problem = problem or error
            else:
                fitting.append(move)
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise self.ambiguous(
                _(
                    "More than one figure can make this move: %(figures)s. Start with the figure "
                    "you want to move.",
                    figures=", ".join(letter(move.figure) for move in fitting),
                )
            )
        raise self.malformed(_("Start with the figure you want to move, A, B or C: B flag helmet"))


class _Guesser(_Reader):
    """Reads a line that is close to a move: leaves out what it does not understand."""

    def __init__(self, text: str, view: model.View) -> None:
        super().__init__(text, view, is_guess=True)

    def guess(self) -> model.Command | None:
        """The one legal command that the line may mean."""
        self.tokens = [part for token in self.tokens for part in self.parted(token)]
        if self.leave_out_unknown(self.is_known, (*FULL_NAMES, *PLURALS)) > MOST_UNKNOWN:
            return None
        words = VOCABULARY.keywords(self.words)
        if "buy" in words or "pass" in words:
            command = self.command()
            moves.simulate(self.view, command)
            return command
        found: set[model.Move] = set()
        for roles in self.readings():
            try:
                move = self.move(self.parts(roles))
                moves.simulate(self.view, move)
            except AmbiguousMove:
                return None
            except MoveError:
                continue
            found.add(move)
        return found.pop() if len(found) == 1 else None

    def parted(self, token: Token) -> Iterator[Token]:
        """A figure and an item that were written as one word, or a letter that was dictated."""
        word = token.word
        if word[:1] in ("a", "b", "c") and word[1:] in FULL_NAMES:
            yield Token(word[0], word[0].upper())
            yield Token(word[1:], word[1:])
        elif word in DICTATED and not self.names_figure():
            yield Token(DICTATED[word], DICTATED[word].upper())
        else:
            yield token

    def is_known(self, word: str) -> bool:
        is_item = word in FULL_NAMES or word in PLURALS or self.shortened_items(word) != ()
        is_letter = len(word) == 1 and (word == "b" or word in LETTERS)
        is_number = word in NUMBERS or word.isdecimal()
        return is_item or is_letter or is_number or COUNTED.fullmatch(word) is not None

    def roles(self, at: int, token: Token) -> tuple[Role, ...]:
        roles = super().roles(at, token)
        others = (t for t in self.tokens if t.word in ("b", "c") and t.raw.isupper())
        if token.raw == "a" and Role.ARTICLE in roles and any(others):
            return (Role.ARTICLE,)
        if self.is_sentence and token.raw == "C" and self.is_capital(token):
            return (Role.FIGURE,) if Role.FIGURE in roles else roles  # nobody writes a crown so
        # A line that says how to pay, or where to build, has named the figure.
        is_whole = any(VOCABULARY.keyword.get(t.word) in ("pay", "bridge") for t in self.tokens)
        if is_whole and token.raw == "A" and Role.FIGURE in roles:
            return (Role.FIGURE,)
        is_noun_next = self.is_sentence and token.raw == "a" and self.may_be_article(at)
        return (Role.ARTICLE,) if is_noun_next and len(roles) > 1 and self.names_figure() else roles

    def shortened_items(self, word: str) -> tuple[model.Item, ...]:
        if len(word) == 1 and word in LETTERS:
            return (LETTERS[word],)
        meant = items(word) if len(word) >= SHORTEST else ()
        return meant if len(meant) == 1 else ()

    def completed(self, draft: Draft, figure: int) -> model.Move:
        if not draft.pays:
            draft = msgspec.structs.replace(draft, is_cheapest=True)
        return super().completed(draft, figure)
