"""Moves as lines that a person types and reads.

    line    = move | "buy" value | "pass"
    move    = [bridge] figure card {card} ["pay" coins] [bridge]
    bridge  = "bridge" space              before the move, or after the tile is taken
    figure  = "A" | "B" | "C"             may be left out where only one figure can do it
    card    = "flag" | "olive" | "helmet" | "amphora" | "ring" | "crown" | "statue"
    coins   = "cheapest" | coin {coin}
    coin    = value | card                a number is a collected tile, an item is a card
    card    may be counted: 3×olive, 3xolive, 3*olive

    B flag helmet pay 5 2 olive bridge 27
    bridge 27 B flag
    buy 6

Case, accents and punctuation do not matter, nor do the fillers of `VOCABULARY`. Items may be
shortened as long as it is clear which is meant (f, fl, flag, flags), and are understood in
English, German and French. What is written back is always the form above.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..contract import IllegalMove
from ..line_reader import ECHO, LineReader, Vocabulary
from ..text import Text, _, and_list
from . import model, moves
from .box import INDEX, ITEMS
from .names import ITEM_NAMES, letter
from .rules import command_of

OTHER_NAMES = {
    model.Item.FLAG: ("banner", "flagge", "fahne", "drapeau"),
    model.Item.OLIVE: ("branch", "olivenzweig", "zweig", "rameau"),
    model.Item.HELMET: ("helm", "casque"),
    model.Item.AMPHORA: ("vase", "jar", "amphore"),
    model.Item.RING: ("bague", "anneau"),
    model.Item.CROWN: ("krone", "couronne"),
    model.Item.STATUE: ("bust", "bueste"),
}
SHORTEST = 3  # letters that one of the other names needs; one letter will do for the first

KEYWORDS = {
    "buy": ("buy", "sell", "kaufe", "kaufen", "achete", "acheter"),
    "pass": ("pass", "passe", "passen", "passer"),
    "pay": ("pay", "pays", "paying", "zahle", "zahlen", "paie", "paye", "payer"),
    "bridge": ("bridge", "brucke", "bruecke", "pont"),
    "cheapest": ("cheapest", "cheap", "auto", "gunstig", "guenstig"),
}
# Fillers are what people write around a move. Forty cards and twenty coins need half of a line.
VOCABULARY = Vocabulary(
    KEYWORDS,
    "the an with and for over at on to then play plays move moves build "
    "figure tile tiles card cards space gap mit und fur fuer dann figur avec et puis sur",
    r"(?:\d+\s*[x*]\s*)?[^\W\d_]+|\d+|[^\s\w,;:.!+&()“”\"'/-]",
    longest=1000,
)

_COUNTED = re.compile(r"(\d+)\s*[x*]\s*(\w+)")


# -- writing ---------------------------------------------------------------------------


def describe(move: model.Command | model.Event, view: model.View) -> str:
    """The move in notation; "" for an event that is only the consequence of one."""
    match move:
        case model.Buy(value):
            return f"buy {value}"
        case model.Pass():
            return "pass"
        case model.Move():
            return " ".join(_words(move))
        case _:
            found = command_of(move)
            return describe(found[1], view) if found else ""


def _words(move: model.Move) -> Iterable[str]:
    if move.bridge_before is not None:
        yield f"bridge {move.bridge_before}"
    yield letter(move.figure)
    yield from move.cards
    if move.pay_tiles or move.pay_cards:
        yield "pay"
        yield from map(str, move.pay_tiles)
        yield from move.pay_cards
    if move.bridge_after is not None:
        yield f"bridge {move.bridge_after}"


def help_lines() -> tuple[Text, ...]:
    """How a move is written, line by line."""
    return (
        _("Write the figure, then the cards in the order you play them: B flag helmet"),
        _(
            "If the route costs something, say how you pay: numbers are your tiles, items are "
            "cards. B flag pay 5 2 olive"
        ),
        _("“pay cheapest” picks the payment that wastes the least."),
        _("Build your bridge before the move: bridge 27 B flag – or after it: B flag bridge 27"),
        _("To sell a tile first, write on a line of its own: buy 6"),
        _("If none of your figures can move: pass"),
        _("You can shorten items (f, fla). Capitals and commas do not matter."),
    )


# -- reading ---------------------------------------------------------------------------


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


class _Reader(LineReader):
    def __init__(self, text: str, view: model.View) -> None:
        super().__init__(text, VOCABULARY)
        self.view = view

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
            case words:
                return self.move(words)

    def buy(self) -> model.Buy:
        values = [int(token) for token in self.words[1:] if token.isdecimal()]
        items = [self.item(token) for token in self.words[1:] if not token.isdecimal()]
        if len(values) != 1 or len(items) > 1:
            raise self.malformed(_("Add the value of the tile you want to sell: buy 6"))
        tiles = () if self.view.viewer is None else self.view.players[self.view.viewer].tiles
        if items and not any((t.item, t.value) == (items[0], values[0]) for t in tiles):
            raise self.illegal(
                _(
                    "You do not have the tile %(item)s %(value)s.",
                    item=ITEM_NAMES[items[0]],
                    value=values[0],
                )
            )
        return model.Buy(values[0])

    def move(self, words: list[str]) -> model.Move:
        before = self.bridge(words)
        figure = (
            model.FIGURES.find(words.pop(0).upper()) if words and _is_figure(words[0]) else None
        )
        cards: list[model.Item] = []
        while words and words[0] not in ("pay", "bridge"):
            cards.extend(self.cards(words.pop(0)))
        if not cards:
            raise self.malformed(_("Add the cards to play, in order: B flag helmet"))
        after = self.bridge(words)
        coins = self.coins(words)
        if after is None:
            after = self.bridge(words)
        self.words = words
        self.finish()

        auto = coins == ["cheapest"]
        draft = model.Move(
            figure=0,
            cards=tuple(cards),
            pay_tiles=() if auto else tuple(sorted(_numbers(coins), reverse=True)),
            pay_cards=() if auto else self.paid_cards(coins),
            bridge_before=before,
            bridge_after=after,
        )
        if figure is None:
            return self.only_figure(draft, auto)
        return self.completed(draft, figure, auto)

    def coins(self, words: list[str]) -> list[str]:
        """What stands behind "pay"; [] when nothing is said about paying."""
        if not words or words[0] != "pay":
            return []
        words.pop(0)
        coins: list[str] = []
        while words and words[0] != "bridge":
            coins.append(words.pop(0))
        if not coins:
            raise self.malformed(
                _("Say how you pay: tiles by number, cards by item, or “pay cheapest”.")
            )
        return coins

    def bridge(self, words: list[str]) -> int | None:
        if not words or words[0] != "bridge":
            return None
        words.pop(0)
        if not words or not words[0].isdecimal():
            raise self.malformed(_("Add the space of the gap after “bridge”: bridge 27"))
        return int(words.pop(0))

    def cards(self, word: str) -> model.Cards:
        """The cards of one word: "flag", or "3xflag"."""
        counted = _COUNTED.fullmatch(word)
        if counted is None:
            return (self.item(word),)
        if len(counted[1]) > 2:
            raise self.malformed(_("Nobody has %(number)s cards.", number=counted[1][:ECHO]))
        if int(counted[1]) == 0:
            raise self.malformed(
                _("“%(word)s” is no card. Write a number from 1, or leave it out.", word=word)
            )
        return (self.item(counted[2]),) * int(counted[1])

    def paid_cards(self, coins: Sequence[str]) -> model.Cards:
        cards = [card for coin in coins if not coin.isdecimal() for card in self.cards(coin)]
        return tuple(sorted(cards, key=INDEX.__getitem__))

    def item(self, word: str) -> model.Item:
        meant = _items(word)
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
        if word.isdecimal():
            raise self.malformed(
                _(
                    "Write numbers only after “pay”, “buy” or “bridge”. Cards are named by their "
                    "item."
                )
            )
        raise self.malformed(
            _(
                "“%(word)s” is not an item. The items are %(items)s.",
                word=word[:ECHO],
                items=and_list([ITEM_NAMES[item] for item in ITEMS]),
            )
        )

    def completed(self, draft: model.Move, figure: int, auto: bool) -> model.Move:
        """The draft for this figure, the cheapest payment put in where it was asked for.

        Where a price is owed and nothing is said about paying, the price is named.
        """
        move = model.Move(
            figure,
            draft.cards,
            draft.pay_tiles,
            draft.pay_cards,
            draft.bridge_before,
            draft.bridge_after,
        )
        if auto or not (move.pay_tiles or move.pay_cards):
            try:
                price = moves.price_of(self.view, move)
            except IllegalMove as error:
                raise self.illegal(error.text) from None
            if auto:
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

    def only_figure(self, draft: model.Move, auto: bool) -> model.Move:
        """No figure was named: the one that can do it, if it is one."""
        fitting: list[model.Move] = []
        problem: IllegalMove | None = None
        for figure in range(len(model.FIGURES)):
            try:
                move = self.completed(draft, figure, auto)
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


# -- words -----------------------------------------------------------------------------


def _items(word: str) -> tuple[model.Item, ...]:
    """The items that a word may mean: by a beginning of the name, else by another name."""
    singular = word[:-1] if word.endswith("s") and len(word) > SHORTEST else word
    for spelled in (word, singular):
        if found := tuple(item for item in ITEMS if item.startswith(spelled)):
            return found
    return tuple(
        item
        for item, names in OTHER_NAMES.items()
        for spelled in {word, singular}
        if len(spelled) >= SHORTEST and any(name.startswith(spelled) for name in names)
    )


def _is_figure(word: str) -> bool:
    return len(word) == 1 and word.upper() in model.FIGURES


def _numbers(coins: Iterable[str]) -> Iterable[int]:
    return (int(coin) for coin in coins if coin.isdecimal())
