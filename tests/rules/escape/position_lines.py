"""The line notation of a position, written; `games.rules.escape.position` reads it."""

from __future__ import annotations

from collections.abc import Iterable

from games.rules.escape import model
from games.rules.escape.board import at
from games.rules.escape.hexes import ISLES, LAND_INDEX, NAMES
from games.rules.escape.names import explorer_name
from games.rules.escape.position import hex_lines


def format_position(state: model.State) -> str:
    """The lines that describe a state in a turn, after a roll, or with a crew to pick."""
    board = state.board
    lines = [f"seats {board.seats}", f"order {_joined(seat + 1 for seat in board.order)}"]
    words = _option_words(board.options)
    if words:
        lines.append("options " + " ".join(words))
    lines.extend(_with_back(line, state) for line in hex_lines(board))
    lines.extend(
        f"isle {ISLES[isle]} {_explorers(at(board, model.SAVED + isle))}"
        for isle in range(len(ISLES))
        if model.SAVED + isle in board.where
    )
    lines.append("values " + _valued(range(len(board.where)), state))
    lines.extend(
        f"kept {seat + 1} " + " ".join(map(_hyphened, tiles))
        for seat, tiles in enumerate(state.kept)
        if tiles
    )
    for seat, answers in enumerate(state.standing):
        lines.extend(
            f"standing {seat + 1} {creature} {answer}"
            for creature, answer in zip(
                (model.Creature.SHARK, model.Creature.WHALE), answers, strict=True
            )
            if answer is not None
        )
    lines.append(f"supply {_joined(board.supply)}")
    lines.append(f"gone {_joined(board.gone)}")
    if board.spent:
        lines.append("spent " + " ".join(map(_hyphened, board.spent)))
    lines.append(f"turn {board.turn}")
    lines.append(f"active {(board.active or 0) + 1}")
    if board.steps:
        lines.append(f"steps {board.steps}")
    if board.swam:
        wet = tuple(who for who in range(len(board.where)) if board.swam >> who & 1)
        lines.append(f"wet {_explorers(wet)}")
    if board.tiled:
        lines.append("tiled")
    if board.rolled is not None:
        lines.append(f"rolled {board.rolled}")
    if board.site is not None:
        lines.append(f"site {NAMES[board.site]}")
    if board.dry is not None:
        lines.append(f"dry {board.dry}")
    return "\n".join(lines)


def _with_back(line: str, state: model.State) -> str:
    """A line of a hex, with the back of its tile."""
    hex_, *words = line.split(" ")
    number = NAMES.index(hex_)
    back = state.backs[LAND_INDEX[number]] if number in LAND_INDEX else None
    if back and state.board.map[number] != model.SEA:
        words[0] += f"={_hyphened(back)}"
    return " ".join([hex_, *words])


def _option_words(options: model.Options) -> list[str]:
    flags = ("seated", "strict", "two_colours", "overpopulated", "equal")
    words = [name for name in flags if getattr(options, name)]
    if options.ending is not model.Ending.VOLCANO:
        words.append(f"ending={options.ending}")
    if options.hours != model.Options().hours:
        words.append(f"hours={options.hours}")
    return words


def _hyphened(back: model.Back) -> str:
    return back.replace(" ", "-")


def _explorers(explorers: Iterable[int]) -> str:
    return " ".join(map(explorer_name, explorers))


def _valued(explorers: Iterable[int], state: model.State) -> str:
    return " ".join(f"{explorer_name(who)}={state.values[who]}" for who in explorers)


def _joined(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
