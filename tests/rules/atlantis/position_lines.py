"""Positions as lines of text, for tests and for counting moves.

    f1 o4h2 .3 = r3 | *0/1/M ffo s3 b | 2/0/0 - - | deck oo | discards f

First the path from Atlantis: a stack is its tiles, bottom first, each the first letter of its
item and its value; `.` is water, `.3` three spaces of it, `=` water with a bridge. Spaces not
written are water. Then the players by seat, who move in this order: figures A/B/C (0 Atlantis,
M the mainland), the hand, the tiles, `b` for a bridge not built yet; `*` before the seat that
is to act, `-` for none. Last, where they matter: `deck` (top first; else the rest of the box in
the order of the items), `discards`, `turn` and `bought`.
"""

import re
from collections.abc import Iterable

from games.rules.atlantis.box import CARDS, INDEX, ITEMS
from games.rules.atlantis.coins import cards_of, counts_of
from games.rules.atlantis.model import MAINLAND, SPACES, Cards, Item, State, Tile, Tiles

ITEM = {item[0]: item for item in ITEMS}
NONE = "-"


def parse_position(text: str) -> State:
    """The state that a line describes; ValueError says what cannot be read."""
    path_part, *parts = (part.strip() for part in text.split("|"))
    path, bridges = _path(path_part)
    seats = [part.split() for part in parts if part[:1].isdigit() or part[:1] in ("*", "M")]
    extras = dict(_extra(part) for part in parts[len(seats) :])

    figures, hands, tiles, unbuilt, active = [], [], [], [], None
    for seat, words in enumerate(seats):
        if len(words) not in (3, 4) or words[3:] not in ([], ["b"]):
            raise ValueError(f"a seat is figures, hand, tiles and perhaps b, not {words}")
        places, hand, owned = words[:3]
        if places.startswith("*"):
            active = seat
        a, b, c = (MAINLAND if at == "M" else int(at) for at in places.lstrip("*").split("/"))
        figures.append((a, b, c))
        hands.append(counts_of(_cards(hand)))
        tiles.append(_tiles(owned))
        unbuilt.append(len(words) == 4)

    discards = _cards(extras.get("discards", NONE))
    held = [item for hand in hands for item in cards_of(hand)]
    deck = _cards(extras["deck"]) if "deck" in extras else _rest([*held, *discards])
    return State(
        order=tuple(range(len(seats))),
        path=path,
        figures=tuple(figures),
        hands=tuple(hands),
        tiles=tuple(tiles),
        unbuilt=tuple(unbuilt),
        bridges=bridges,
        deck=deck,
        discards=discards,
        turn=int(extras.get("turn", "1")),
        active=active,
        bought="bought" in extras,
        plans=(None,) * len(seats),
    )


def _path(text: str) -> tuple[tuple[Tiles, ...], tuple[int, ...]]:
    path: list[Tiles] = []
    bridges: list[int] = []
    for word in text.split():
        if word == "=":
            path.append(())
            bridges.append(len(path))
        elif re.fullmatch(r"\.\d*", word):
            path.extend([()] * int(word[1:] or 1))
        else:
            path.append(_tiles(word))
    if len(path) > SPACES:
        raise ValueError(f"the path has {SPACES} spaces, not {len(path)}")
    path.extend([()] * (SPACES - len(path)))
    return tuple(path), tuple(bridges)


def _tiles(text: str) -> Tiles:
    if text == NONE:
        return ()
    if not re.fullmatch(r"([foharcs][1-7])+", text):
        raise ValueError(f"{text!r} is no row of tiles like f1o4")
    return tuple(Tile(_item(text[at]), int(text[at + 1])) for at in range(0, len(text), 2))


def _cards(text: str) -> Cards:
    return () if text == NONE else tuple(_item(letter) for letter in text)


def _item(letter: str) -> Item:
    if letter not in ITEM:
        raise ValueError(f"{letter!r} is no item; the items are {' '.join(ITEM)}")
    return ITEM[letter]


def _extra(part: str) -> tuple[str, str]:
    name, _, value = part.partition(" ")
    if name not in ("deck", "discards", "turn", "bought"):
        raise ValueError(f"{part!r} is neither a seat nor deck, discards, turn or bought")
    return name, value


def _rest(used: Iterable[Item]) -> Cards:
    """Return the rest of the box. Raises ValueError if more of an item is used than there is."""
    left = [CARDS.count(item) for item in ITEMS]
    for item in used:
        left[INDEX[item]] -= 1
    if min(left) < 0:
        raise ValueError("there are fifteen cards of each item")
    return cards_of(left)


def format_position(state: State) -> str:
    """The line that describes a state in which the game goes on, seats in turn order."""
    tokens: list[str] = []
    for space, stack in enumerate(state.path, 1):
        if stack:
            tokens.append("".join(f"{tile.item[0]}{tile.value}" for tile in stack))
        elif space in state.bridges:
            tokens.append("=")
        elif tokens and tokens[-1].startswith("."):
            tokens[-1] = f".{int(tokens[-1][1:] or 1) + 1}"
        else:
            tokens.append(".")
    parts = [" ".join(tokens)]
    for seat in state.order:
        places = "/".join("M" if at == MAINLAND else str(at) for at in state.figures[seat])
        words = [
            f"*{places}" if seat == state.active else places,
            _letters(cards_of(state.hands[seat])),
            "".join(f"{tile.item[0]}{tile.value}" for tile in state.tiles[seat]) or NONE,
        ]
        parts.append(" ".join([*words, "b"] if state.unbuilt[seat] else words))
    parts.append(f"deck {_letters(state.deck)}")
    parts.append(f"discards {_letters(state.discards)}")
    parts.append(f"turn {state.turn}")
    if state.bought:
        parts.append("bought")
    return " | ".join(parts)


def _letters(cards: Cards) -> str:
    return "".join(item[0] for item in cards) or NONE
