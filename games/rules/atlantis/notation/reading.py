"""A line read as a command: every word accounted for, legal at the end, or a sentence that helps.

Where single letters can be read in several ways, the move is made only if all readings agree.
"""

from collections.abc import Mapping, Sequence

import msgspec

from ...errors import AmbiguousMove, IllegalMove, MalformedMove, MoveError
from ...everyday_words import NOTHING
from ...line_reader import ECHO
from ...text import _
from .. import model, moves
from ..box import INDEX
from ..names import ITEM_NAMES, letter, place
from .vocabulary import NUMBERS, PLACES, VOCABULARY, WITH
from .word_reader import Part, Role, WordReader

# Behind a payment these say what it is for, or that it is not the payment.
TOWARDS = WITH.union(
    [
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
    ]
)


class Draft(msgspec.Struct):
    """The move that a line describes. ahead: the number of cards named before the figure.

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
    lands: int | None = None  # the space that the line names, to be compared


def parse(text: str, view: model.View) -> model.TurnCommand:
    """The command of a turn that a line means for the seat that looks; it is legal now.

    MalformedMove, AmbiguousMove and IllegalMove repeat the line and say how it is put right.
    """
    moves.check_turn(view)
    words = VOCABULARY.words(text)
    reader = MoveReader("pass" if words and NOTHING.issuperset(words) else text, view)
    command = reader.command()
    try:
        moves.simulate(view, command)
    except IllegalMove as error:
        raise reader.illegal(error.text) from None
    return command


class MoveReader(WordReader):
    """One line, read as a command. is_guess: see `LineReader`."""

    def command(self) -> model.TurnCommand:
        match VOCABULARY.keywords(self.words):
            case []:
                raise self.malformed(
                    _(
                        "This line contains no move. Write, for example: %(example)s",
                        example=_("B flag helmet"),
                    )
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
        try:
            moves.check_sale(self.view)
        except IllegalMove as error:
            raise self.illegal(error.text) from None
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

    # the move

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
        """Combine the words, clause by clause."""
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
            elif clause == "main" and self.is_landing(parts, at):
                draft.lands = part.number
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

    def is_landing(self, parts: Sequence[Part], at: int) -> bool:
        """Return whether the part before `at` is the number of a space, and not of cards."""
        part, before = parts[at - 1], parts[at - 2] if at > 1 else None
        is_number = (
            part.kind == "number"
            and not part.is_word
            and not any(p.cards for p in parts[at : at + 1])
        )
        return is_number and before is not None and before.token.word in PLACES

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
        if draft.lands is not None:
            self.check_landing(move, draft.lands)
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

    def check_landing(self, move: model.Move, lands: int) -> None:
        """IllegalMove if the move leads to another space than the line says."""
        try:
            found = moves.landing_of(self.view, move)
        except IllegalMove as error:
            raise self.illegal(error.text) from None
        if found != lands:
            raise self.illegal(_("This move leads to %(place)s.", place=place(found)))

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
