"""A letter: all that somebody wrote in an email, read once, as parts that say what each line is.

The acts of a letter are what it asks for, its doubts are lines that take back, deny, restrict or
postpone them, and the rest is courtesy or text. A decision (see `decision`) says what is done.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

import msgspec

from . import blocks, commands, doubts
from .blocks import LONGEST, Block
from .commands import AnyAct, Move, Note, Report, Say
from .reply_parser import Reply

Kind = Literal["act", "doubt", "later", "word", "courtesy", "text", "closing", "left_out"]
MOST_NEAR = 8  # lines that are compared with moves
LONGEST_NEAR = 120  # characters of such a line
SIGNED = 3  # lines at the top of a closing that are looked at


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """Lines that belong together.

    later: a line that answers a question which comes later in the turn. word: it begins with a word
    for talk, without a colon, and may be an ordinary sentence. doubt: how it casts doubt, see
    `doubts.doubt`; "move" for what may be another move. gap: an empty line stands above.
    """

    kind: Kind
    text: str
    act: AnyAct | None = None
    doubt: str = ""
    gap: bool = False


class Letter(msgspec.Struct, frozen=True, omit_defaults=True):
    """is_long: it has more text than a message may have, so that nobody knows all of it. decided:
    what is carried out when the player confirms it."""

    parts: tuple[Part, ...] = ()
    is_long: bool = False
    decided: tuple[AnyAct, ...] = ()

    @property
    def own(self) -> tuple[Part, ...]:
        """The parts above the closing."""
        return tuple(part for part in self.parts if part.kind not in ("closing", "left_out"))

    @property
    def acts(self) -> tuple[AnyAct, ...]:
        """What the letter asks for, in order."""
        return tuple(part.act for part in self.parts if part.kind == "act" and part.act is not None)

    @property
    def doubts(self) -> tuple[Part, ...]:
        """The parts that cast doubt on the acts."""
        return tuple(part for part in self.parts if part.doubt)

    @property
    def opening(self) -> str:
        """The first own line."""
        return self.own[0].text.partition("\n")[0] if self.own else ""

    @property
    def line(self) -> str:
        """The first own line that is no courtesy; a courtesy if there is nothing else."""
        said = (part.text for part in self.own if part.kind != "courtesy")
        return next(said, self.opening).partition("\n")[0]

    @property
    def lines(self) -> list[str]:
        """The lines that say something: no courtesy, no closing, nothing ruled."""
        parts = (part for part in self.parts if part.kind not in ("courtesy", "closing"))
        lines = (line for part in parts for line in part.text.split("\n"))
        return [line for line in lines if line.strip() and not blocks.is_ruled(line)]

    @property
    def whole(self) -> str:
        """Return everything above the closing, as the text of a message."""
        return joined(self.own)


def joined(parts: Sequence[Part]) -> str:
    """The text of these parts with single spaces, as a message. Of one that is too long, one
    character more than a message may have is kept, so that it is refused."""
    text = "".join("\n" * (1 + part.gap) + part.text for part in parts if part.text)
    text = "\n".join(" ".join(line.split()) for line in text.strip().split("\n"))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


class Table(Protocol):
    """What a letter's reader asks about the game."""

    @property
    def names(self) -> frozenset[str]:
        """The words of the players' names."""
        ...

    def is_legal(self, line: str) -> bool:
        """Return whether a line is a move that can be made."""
        ...

    def meaning(self, line: str) -> str:
        """The move that a line is, in notation if it is legal; "" if it is none."""
        ...

    def near(self, line: str) -> str:
        """The move that a line comes close to, in notation; "" for none."""
        ...

    def is_for_later(self, line: str) -> bool:
        """Return whether a line answers a question that comes later in the turn."""
        ...

    def names_player(self, text: str) -> bool:
        """Return whether a text begins with the name of another player."""
        ...


class NoTable:
    """No game: no line is a move, and nobody is named."""

    @property
    def names(self) -> frozenset[str]:
        """Return none."""
        return frozenset()

    def meaning(self, line: str) -> str:
        """Return "": no line is a move."""
        return ""

    near = meaning

    def is_for_later(self, line: str) -> bool:
        """Return False."""
        return False

    is_legal = names_player = is_for_later


def read(reply: Reply, table: Table) -> Letter:
    """The letter in these blocks."""
    parts = list[Part]()
    for block in reply.blocks:
        match block.kind:
            case "text":
                parts += _Reader(table, block).parts
            case "closing":
                parts += _closing(block, table)
            case "left_out":
                parts += _left_out(block)
    return Letter(tuple(_with_other_moves(parts, table)), reply.is_long)


def _closing(block: Block, table: Table) -> Iterator[Part]:
    """A closing; a move or second thoughts at its top are none."""
    for number, line in enumerate(block.lines):
        said = line.strip()
        if number < SIGNED and said and not blocks.is_formula(line):
            if table.meaning(said):
                yield Part("doubt", line, doubt="move")
                continue
            if (kind := doubts.doubt(said)) in ("struck", "retracts"):
                yield Part("doubt", line, doubt=kind)
                continue
        if said:
            yield Part("closing", line)


def _left_out(block: Block) -> Iterator[Part]:
    for line in block.lines:
        if line.strip():
            yield Part("left_out", line, doubt=doubts.doubt(line))


class _Reader:
    """Reads the lines of a block of text."""

    _open: type[Say | Note | Report] | None = None  # words that go on until something else begins

    def __init__(self, table: Table, block: Block) -> None:
        self._table = table
        self.parts: list[Part] = []
        self._gap = False
        for line in block.lines:
            if not line.strip():
                self._gap = True
                if self._open is Note:
                    self._open = None
                continue
            self._read(line.strip())
            self._gap = False

    def _add(self, kind: Kind, text: str, act: AnyAct | None = None, *, doubt: str = "") -> None:
        self.parts.append(Part(kind, text, act, doubt, self._gap))

    def _read(self, line: str) -> None:
        if self._open is Report:
            self._go_on(line)
            return
        if doubts.doubt(line) == "struck" and self._open is None:
            self._add("doubt", line, doubt="struck")
            return
        act = commands.parse(line)
        if self._open is not None and not self._breaks(line, act):
            self._go_on(line)
            return
        self._open = None
        match act:
            case Say() | Note() if not act.is_sure:
                self._add("word", line, act, doubt=doubts.doubt(line))
            case Say() | Note():
                self._open = type(act)
                self._add("act", line, act)
            case Report(text):
                self._report(line, act, names_player=self._table.names_player(text))
            case Move():
                self._read_move(line, act)
            case commands.Answer(agrees) if self._table.is_legal(line):
                self._add("act", line, commands.Answer(agrees, line))
            case commands.StopAll() | commands.Undo() | commands.Rules() if self._table.is_legal(
                line
            ):
                self._add("act", line, Move(line))
            case _:
                doubt = "asks" if commands.is_asked(line, act) else ""
                self._add("act", line, act, doubt=doubt)

    def _report(self, line: str, act: Report, *, names_player: bool) -> None:
        """Keep a report. On the first line it is one even without a name, so that the answer can
        name the players; elsewhere it would be an ordinary sentence."""
        is_act = names_player or not self.parts
        if is_act:
            self._open = Report
        self._add("act" if is_act else "text", line, act if is_act else None)

    def _breaks(self, line: str, act: AnyAct) -> bool:
        """Return whether a line inside words for the table is something else."""
        match act:
            case Say() | Note():
                return act.is_sure
            case Move(words):
                return bool(self._table.meaning(commands.split_talk(words)[0]))
            case commands.Answer() | Report():
                return False
        return True

    def _go_on(self, line: str) -> None:
        last = self.parts[-1]
        assert isinstance(last.act, Say | Note | Report), "what was opened"
        space = "\n\n" if self._gap else "\n"
        act = msgspec.structs.replace(last.act, text=f"{last.act.text}{space}{line}")
        self.parts[-1] = msgspec.structs.replace(last, text=f"{last.text}{space}{line}", act=act)

    def _read_move(self, line: str, act: Move) -> None:
        words, talk = commands.split_talk(line)
        moved = commands.parse(words) if talk is not None else act
        if isinstance(moved, Move) and self._table.is_legal(moved.line):
            self._add("act", line, moved)
        elif self._table.is_for_later(words):
            self._add("later", line)
        elif (isinstance(moved, Move) and self._table.meaning(moved.line)) or (
            talk is not None and not isinstance(moved, Move)
        ):
            self._add("act", line, moved)
        elif commands.is_courtesy(words, self._table.names) or self._is_salutation(line):
            self._add("courtesy", line)
        elif kind := doubts.doubt(words):
            self._add("doubt", line, doubt=kind)
        else:
            self._add("text", line)
        if talk is not None:
            self._gap = False
            self._add("act", "", talk)

    def _is_salutation(self, line: str) -> bool:
        """Return whether a first line is a greeting, and nothing that may be a move or a doubt."""
        if self.parts or not commands.is_salutation(line):
            return False
        return not doubts.doubt(line) and not self._table.near(line)


def _moves_in(text: str, table: Table) -> Iterator[str]:
    """The moves that a line, or a clause of it, may be."""
    if len(text) <= LONGEST_NEAR and (near := table.near(text)):
        yield near
    for clause in re.split(r"[.,;:!?()–—\n]|\s-\s", text):
        if clause.strip() and (found := table.meaning(clause.strip())):
            yield found


def _with_other_moves(parts: list[Part], table: Table) -> Iterator[Part]:
    """The parts, where what may be a second move, beside one, is a doubt."""
    moves = [part.act.line for part in parts if isinstance(part.act, Move) and part.kind == "act"]
    first = table.meaning(moves[0]) if moves else ""
    looked = 0
    for part in parts:
        is_move = isinstance(part.act, Move) and part.kind == "act"
        if is_move and isinstance(part.act, Move) and table.meaning(part.act.line) != first:
            yield msgspec.structs.replace(part, doubt="move")
        elif moves and part.kind in ("text", "word") and looked < MOST_NEAR:
            looked += 1
            other = any(found != first for found in _moves_in(part.text, table))
            yield msgspec.structs.replace(part, doubt="move") if other else part
        else:
            yield part
