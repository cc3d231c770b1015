"""The answers to the move form of Escape from Atlantis that make a command."""

from collections.abc import Iterator

from games.rules import GAMES
from games.rules.escape.model import CreatureStage

from .escape_games import Move

ESCAPE = GAMES["escape"]


def line_of(move: Move) -> str:
    """The command of this move in notation."""
    return ESCAPE.notation.describe(move.command, ESCAPE.rules.view(move.before, move.seat))


def answers(move: Move) -> Iterator[tuple[str, str]]:
    """The fields of the form, one after another, that make this command."""
    line = line_of(move)
    first, *rest = line.split()
    match first:
        case "plan":
            yield from (("do", "plan"), ("preset", rest[0]))
        case "allow" | "defend":
            yield "answer", first
        case "stay":
            yield "creature", "none"
        case "crew":
            yield from (("crew", who) for who in rest)
        case "serpent" | "shark" | "whale" if isinstance(move.before.board.stage, CreatureStage):
            yield from (("creature", rest[0]), ("to", rest[1]))
        case _:
            yield from _of_a_turn(line, move.before.board.steps)


def _of_a_turn(line: str, step: int) -> Iterator[tuple[str, str]]:
    for order in line.split(", "):
        words = order.split()
        if words[0] == "sink":
            yield f"who{step + 1}", order
        elif words[0] in ("dolphin", "wind", "move"):
            yield from (("tile", " ".join(words[:-2])), ("tile_who", words[-2]))
            yield "tile_to", words[-1]
        elif words[0] != "roll":
            step += 1
            yield f"who{step}", words[1] if words[0] == "sail" else words[0]
            yield f"step{step}", order
