"""A line read as a command: word by word, legal at the end, or a sentence that helps."""

import re
from collections.abc import Sequence

from ...errors import IllegalMove, MalformedMove, MoveError, PartlyRead
from ...line_reader import ECHO, LineReader
from ...text import Text, _
from .. import model
from ..hexes import ISLE_AT, ROW_LETTERS, SPANS
from ..names import explorer_name, place_name
from ..simulation import simulate, simulated_view
from ..steps import check_step
from ..validation import check_command, check_stage
from . import vocabulary
from .vocabulary import EXPLORER, FIRST, HEX, LOWER_NAMES, NAME, ONWARDS, TOWARDS, VOCABULARY
from .writing import describe_step, example

LONGEST_ANSWER = 80  # characters of an answer to the die
# Where a line may fall into what is done now and what only the die asks.
_MARK = re.compile(
    r"(?<![\s,;.:!–—-])\s*+[,;.:!–—-]++\s++|(?<!\s)\s++(?:and|then|und|dann|et|puis)\s++",
    re.IGNORECASE,
)


def parse(text: str, view: model.View) -> model.Command:
    """Return the command that a line means for this seat, legal now; errors say what to do."""
    try:
        return _legal(CommandReader(text, view))
    except MalformedMove:
        if (other := _before_the_die(text, view) or _forbidden(text, view)) is not None:
            raise other from None
        raise


def _legal(reader: "CommandReader") -> model.Command:
    try:
        reader.check_stage()
        command = reader.command()
        check_command(reader.view, command)
    except IllegalMove as error:
        raise reader.illegal(error.text) from None
    return command


def _before_the_die(text: str, view: model.View) -> PartlyRead | None:
    """The part of a line that can be done before the die is rolled, where the rest of it is about
    the creature on the die."""
    if not isinstance(view.board.stage, model.TurnStage) or len(text) > VOCABULARY.longest:
        return None
    for mark in _MARK.finditer(text):
        line, rest = text[: mark.start()], text[mark.end() :]
        if len(rest) > LONGEST_ANSWER:
            continue
        words = VOCABULARY.keywords(VOCABULARY.words(rest))
        if not vocabulary.is_about_creature(words):
            continue
        try:
            reader = CommandReader(line, view)
            command = _legal(reader)
        except MoveError:
            continue
        if isinstance(command, model.Turn) and (command.roll or command.sink is not None):
            return PartlyRead(
                reader.echo(
                    _(
                        "The die is rolled only after this: %(line)s. “%(rest)s” is a response "
                        "to what the die shows, so it has to wait.",
                        line=line,
                        rest=rest,
                    )
                ),
                line,
                rest,
            )
    return None


def _forbidden(text: str, view: model.View) -> IllegalMove | None:
    """The rule against what a line names that cannot be read as it stands; None for none.

    Only the words that mean something are read, so a line that the rules allow is not played.
    """
    try:
        reader = CommandReader(vocabulary.BACK.sub(" ", text), view, is_guess=True)
        reader.leave_out_meaningless()
        _legal(reader)
    except IllegalMove as error:
        return error
    except MoveError:
        pass
    return None


def _sinks(words: Sequence[str]) -> bool:
    """Return whether these words begin with a tile and its sinking, as in "E5 versenken"."""
    return words[1:2] == ["sink"] and not HEX.fullmatch("".join(words[2:3]))


class CommandReader(LineReader):
    """One line, read as a command. is_guess: see `LineReader`."""

    def __init__(self, text: str, view: model.View, *, is_guess: bool = False) -> None:
        super().__init__(text, VOCABULARY, is_guess=is_guess)
        self.view = view
        self.begin()

    def begin(self) -> None:
        """Start with the first word. MalformedMove if what comes first is named later."""
        self.words = VOCABULARY.keywords(self.words)
        self.fillers: list[set[str]] = [set()]  # directly before each word
        for token in self.tokens:
            if VOCABULARY.is_filler(token):
                self.fillers[-1].add(token.raw.casefold() if token.word == "a" else token.word)
            else:
                self.fillers.append(set())
        if any(found & FIRST for found in self.fillers[1:]):
            raise self.malformed(_("Write the steps in the order in which you take them."))
        is_named = any(NAME.fullmatch(word) for word in self.words)
        if not is_named and any("ou" in found for found in self.fillers):  # "rien ou non"
            raise self.no_order()

    def before(self) -> set[str]:
        """The fillers directly before the next word."""
        return self.fillers[-1 - len(self.words)]

    def leave_out_meaningless(self) -> None:
        """Keep the words that name something of the game. MalformedMove without two names."""
        kept = [
            token
            for token in self.tokens
            if VOCABULARY.is_filler(token)
            or token.word in VOCABULARY.keyword
            or NAME.fullmatch(token.word)
        ]
        if sum(NAME.fullmatch(token.word) is not None for token in kept) < 2:
            raise self.no_order()
        self.tokens = kept
        self.words = [token.word for token in kept if not VOCABULARY.is_filler(token)]
        self.begin()

    def check_stage(self) -> None:
        """IllegalMove where the game waits for another kind of command."""
        kind = vocabulary.kind_of(self.words, VOCABULARY.words(self.line), self.view.board)
        if kind is not None:
            check_stage(self.view, kind)

    def command(self) -> model.Command:
        stage = self.view.board.stage
        short = vocabulary.short_answer(self.words, VOCABULARY.words(self.line), self.view.board)
        if short is not None:
            return short
        match self.words:
            case [] if self.tokens:
                word = self.tokens[0].raw[:ECHO]
                raise self.malformed(
                    _(
                        "“%(word)s” was not understood. Write, for example: %(example)s",
                        word=word,
                        example=example(self.view),
                    )
                )
            case []:
                raise self.malformed(
                    _(
                        "This line contains no move. Write, for example: %(example)s",
                        example=example(self.view),
                    )
                )
            case ["plan", *_rest]:
                return self.whole(self.plan())
            case ["standing", *_rest]:
                return self.whole(self.standing())
            case ["defend" | "allow" | "stay", *_rest] if vocabulary.is_chat(self.tokens):
                raise self.no_order()
            case [*words] if {*words} in ({"allow"}, {"allow", "from"}):
                return model.Defend(defend=False)
            case [*words] if {"defend"} <= {*words} <= {"defend", "from", "ship"}:
                return model.Defend(defend=True)  # "ja, ich wehre den Angriff ab"
            case ["stay"]:
                return model.Steer()
            case ["crew", *_rest]:
                return self.whole(self.crew())
            case ["place", "ship", *_rest]:
                del self.words[:2]
                return self.whole(model.Launch(self.hex()))
            case ["place", *_rest]:
                self.words.pop(0)
                return self.whole(self.place())
        if isinstance(stage, model.SetupStage):
            if self.words[0] == "ship":
                self.words.pop(0)
                return self.whole(model.Launch(self.hex()))
            return self.whole(self.place())
        if isinstance(stage, model.CreatureStage):
            if vocabulary.leaves_all(self.words, (stage.creature,)):
                return model.Steer()  # "I leave the shark where it is"
            if self.words[0] == "move":
                self.words.pop(0)
            if not self.words or self.words[0] in tuple(model.Creature):
                return self.whole(self.steer())
        return self.turn()

    def whole(self, command: model.Command) -> model.Command:
        self.finish()
        return command

    # setup and single answers

    def place(self) -> model.Place:
        if self.words[:1] == ["from"]:  # "l’explorateur de valeur 5"
            self.words.pop(0)
        if self.words and HEX.fullmatch(self.words[0]):  # "on E5 I place the 5"
            self.words.append(self.words.pop(0))
            self.words = [word for word in self.words if word != "place"]
        command = model.Place(self.number(), self.hex())
        if self.words == ["place"]:  # "5 auf E5 setzen"
            self.words.pop()
        return command

    def plan(self) -> model.Plan:
        self.words.pop(0)
        if self.words == ["stay"]:
            self.words.clear()
            return model.Plan()
        wishes: list[model.Wish] = []
        ships: list[int] = []
        preset: model.Preset | None = None
        while self.words:
            word = self.words[0]
            if word == "ship":
                self.words.pop(0)
                ships.append(self.hex())
                while self.words and HEX.fullmatch(self.words[0]):
                    ships.append(self.hex())
            elif word in tuple(model.Preset):
                if preset is not None:
                    raise self.malformed(_("Choose one of coast, inland and spread."))
                self.words.pop(0)
                preset = model.Preset(word)
            else:
                wishes.append(model.Wish(self.number(), self.hex()))
        if not (wishes or ships or preset):
            raise self.malformed(_("Say what to place: plan 6 E5, 5 D5, ship D4, coast"))
        return model.Plan(tuple(wishes), tuple(ships), preset)

    def standing(self) -> model.Standing:
        self.words.pop(0)
        creature = self.creature()
        match self.words:
            case ["always"]:
                at_least: int | None = 1
            case ["never"]:
                at_least = 0
            case ["ask"]:
                at_least = None
            case ["from", number] if number.isdecimal():
                at_least = int(number[:4])
            case _:
                raise self.malformed(
                    _("Say when to defend: standing shark always – never – from 2 – ask")
                )
        self.words.clear()
        return model.Standing(creature, at_least)

    def crew(self) -> model.Crew:
        self.words.pop(0)
        explorers: list[int] = []
        while self.words:
            explorers.append(self.explorer())
        return model.Crew(tuple(sorted(explorers)))

    def steer(self) -> model.Steer:
        creature, rolled = self.creature(), self.view.board.rolled
        if creature is not rolled:
            raise self.malformed(_("That is not the creature on the die."))
        if self.words[:1] == ["swim"]:
            self.words.pop(0)
        steer = model.Steer(self.start(), self.hex())
        if self.words == ["move"]:  # "den Hai von D6 nach E7 bewegen"
            self.words.pop()
        return steer

    # a turn

    def turn(self) -> model.Turn:
        orders = model.Turn()
        while self.words:
            if orders.sink is not None or orders.roll:
                raise self.malformed(_("Sinking a tile must come last."))
            if orders.steps and self.goes_on():
                orders = self.further(orders)
                continue
            is_behind = {*self.words[1:2]}.isdisjoint(("ship", "sail", *model.Creature))
            if orders.steps and self.words[0] in ("move", "place") and is_behind:
                self.words.pop(0)  # "U1 nach E6 bewegen"
                continue
            orders = self.order(orders)
        return orders

    def goes_on(self) -> bool:
        """Return whether the next word is one more hex on the way of the piece that moved last, and
        not the tile to sink: "from C8 to C9 and then to C10, and sink E4"."""
        is_hex = HEX.fullmatch(self.words[0]) is not None
        return is_hex and not _sinks(self.words) and not self.before().isdisjoint(ONWARDS)

    def further(self, orders: model.Turn) -> model.Turn:
        """The orders with one more step of the piece that moved last."""
        last = orders.steps[-1]
        to = self.hex()
        if last.verb is model.Verb.SAIL:
            step = model.Step(model.Verb.SAIL, last.to, to)
        else:
            step = self.plain_step(orders, last.who, to)
        return model.Turn(orders.play, (*orders.steps, step))

    def order(self, orders: model.Turn) -> model.Turn:
        play, steps = orders.play, orders.steps
        word = self.words[0]
        if word == "sink":
            self.words.pop(0)
            return model.Turn(play, steps, sink=self.hex())
        if word == "allow" and self.words[2:3] == ["sink"]:  # "ich lasse E5 untergehen"
            self.words.pop(0)
            word = self.words[0]
        if HEX.fullmatch(word) and _sinks(self.words):  # "E5 versenken"
            hex_ = self.hex()
            self.words.pop(0)
            return model.Turn(play, steps, sink=hex_)
        if self.words[:2] in (["from", "sink"], ["from", "move"]):  # "merci de couler E5"
            self.words.pop(0)
            word = self.words[0]
        if word == "roll":
            self.words.pop(0)
            if self.words == ["from"]:  # "lance le dé" without its accent
                self.words.pop(0)
            return model.Turn(play, steps, roll=True)
        following = self.words[1] if len(self.words) > 1 else ""
        if word in ("move", "sail", "ship") and following in ("ship", "sail"):
            self.words.pop(0)
            word = "ship"
        if word == "move" and EXPLORER.fullmatch(following):
            self.words.pop(0)
            word = following
        if word in ("dolphin", "wind", "move", *model.Creature):
            if play is not None or steps:
                raise self.malformed(_("Play a kept tile before your steps, at most one per turn."))
            return model.Turn(self.kept_tile())
        if word in ("sail", "ship"):
            self.words.pop(0)
            return model.Turn(play, (*steps, model.Step(model.Verb.SAIL, self.start(), self.hex())))
        if NAME.fullmatch(word):
            return model.Turn(play, (*steps, self.explorer_step(orders)))
        raise self.unknown(word)

    def kept_tile(self) -> model.Play:
        word = self.words.pop(0)
        if word == "dolphin":
            return model.Play(model.Back.DOLPHIN, self.explorer(), self.hex())
        if word == "wind":
            while self.words[:1] in (["move"], ["ship"]):  # "wind: move the ship from D5 to B5"
                self.words.pop(0)
            return model.Play(model.Back.WIND, self.start(), self.hex())
        creature = model.Creature(word) if word in tuple(model.Creature) else self.creature()
        tile = next(tile for tile, moved in model.MOVES.items() if moved is creature)
        return model.Play(tile, self.start(), self.hex())

    def explorer_step(self, orders: model.Turn) -> model.Step:
        who = self.explorer()
        if self.words[:1] == ["move"]:
            self.words.pop(0)
        if self.words[:1] == ["from"]:
            self.check_start(orders, who)
        if self.words[:2] in (["ship", "ship"], ["swim", "swim"]):  # jumps into the water
            self.words.pop(0)
        if self.words[:2] == ["isle", "isle"]:  # "lands on the isle"
            self.words.pop(0)
        if self.words[:1] == ["isle"] and self.names_land(self.words[1:]):  # "back on land at E5"
            self.words.pop(0)
        match self.words[:1]:
            case ["ship"]:
                if self.before() & {"with", "mit", "avec"}:
                    raise self.malformed(_("To move a ship, write both hexes: sail D6 C5"))
                self.words.pop(0)
                return model.Step(model.Verb.BOARD, who, self.hex())
            case ["swim"]:
                self.words.pop(0)
                return model.Step(model.Verb.SWIM, who, self.hex())
            case ["isle"]:
                self.words.pop(0)
                return model.Step(model.Verb.ASHORE, who, self.isle(orders, who))
        return self.plain_step(orders, who, self.hex())

    def names_land(self, words: list[str]) -> bool:
        """Return whether these words begin with a hex of the island that is not to sink."""
        hex_ = LOWER_NAMES.get(words[0]) if words and not _sinks(words) else None
        return hex_ is not None and self.view.board.map[hex_] != model.SEA

    def check_start(self, orders: model.Turn, who: int) -> None:
        """Read "from E5". MalformedMove unless the explorer is there."""
        self.words.pop(0)
        start = self.hex()
        where = self.reached(orders).where
        if not (who < len(where) and where[who] >= 0 and where[who] % model.ABOARD == start):
            raise self.malformed(
                _(
                    "%(explorer)s is not on %(hex)s.",
                    explorer=explorer_name(who),
                    hex=place_name(start),
                )
            )

    def plain_step(self, orders: model.Turn, who: int, to: int) -> model.Step:
        """Only explorer and hex are named: the one way to get there, if it is one."""
        board, seat = self.reached(orders), self.view.viewer
        if board.map[to] != model.SEA:
            return model.Step(model.Verb.WALK, who, to)
        possible: list[model.Step] = []
        for verb in (model.Verb.SWIM, model.Verb.BOARD):
            step = model.Step(verb, who, to)
            try:
                check_step(board, -1 if seat is None else seat, step)
            except IllegalMove:
                continue
            possible.append(step)
        if len(possible) > 1:
            raise self.ambiguous(
                _(
                    "This could mean boarding the ship or entering the water. Write “%(ship)s” or "
                    "“%(swim)s”.",
                    ship=describe_step(possible[1]),
                    swim=describe_step(possible[0]),
                )
            )
        return possible[0] if possible else model.Step(model.Verb.SWIM, who, to)

    def isle(self, orders: model.Turn, who: int) -> int:
        """The isle that an explorer touches; 0 where it touches none, which the rules refuse."""
        where = self.reached(orders).where
        place = where[who] if who < len(where) else -1
        return ISLE_AT.get(place % model.ABOARD, 0) if place >= 0 else 0

    def reached(self, orders: model.Turn) -> model.Board:
        """The board after the orders read so far."""
        if orders == model.Turn() or self.view.viewer not in self.view.to_act:
            return self.view.board
        return simulated_view(self.view, simulate(self.view, orders)).board

    # words

    def next_word(self, wanted: Text) -> str:
        if not self.words:
            raise self.malformed(_("The line is incomplete. Missing: %(wanted)s.", wanted=wanted))
        return self.words.pop(0)

    def start(self) -> int:
        """The hex that something leaves. MalformedMove where the line names its target first."""
        if self.words[:1] == ["from"]:
            self.words.pop(0)
        elif self.before() & TOWARDS:
            raise self.malformed(_("Name the hex it leaves first, then the one it moves to."))
        return self.hex()

    def hex(self) -> int:
        word = self.next_word(_("a hex like E5"))
        if word in LOWER_NAMES:
            return LOWER_NAMES[word]
        if HEX.fullmatch(word):
            row = word[0].upper()
            first, last = SPANS[ROW_LETTERS.index(row)]
            raise self.malformed(
                _(
                    "There is no hex %(hex)s: row %(row)s runs from %(first)s to %(last)s.",
                    hex=word.upper(),
                    row=row,
                    first=first + 1,
                    last=last + 1,
                )
            )
        raise self.malformed(
            _("“%(word)s” is not a hex. Write hexes like this: E5", word=word[:ECHO])
        )

    def explorer(self) -> int:
        word = self.next_word(_("an explorer like V3"))
        if EXPLORER.fullmatch(word) and 1 <= int(word[1:]) <= model.EACH:
            colour = model.COLOUR_LETTERS.index(word[0].upper())
            if colour < self.view.board.colours:
                return colour * model.EACH + int(word[1:]) - 1
        raise self.malformed(
            _(
                "“%(word)s” is not an explorer in this game. Write explorers like this: V3",
                word=word[:ECHO],
            )
        )

    def creature(self) -> model.Creature:
        word = self.next_word(_("serpent, shark or whale"))
        if word in tuple(model.Creature):
            return model.Creature(word)
        raise self.malformed(
            _("“%(word)s” is not a creature. Write serpent, shark or whale.", word=word[:ECHO])
        )

    def number(self) -> int:
        word = self.next_word(_("an explorer’s value"))
        if word.isdecimal() and len(word) < 3:
            return int(word)
        raise self.malformed(
            _(
                "“%(word)s” is not a value. Write the value, then the hex: place 5 E5",
                word=word[:ECHO],
            )
        )
