"""Plans of Atlantis by brute force (events.md)."""

import copy
from collections import Counter
from typing import Any

from . import atlantis

LINE = {"figure", "cards", "most", "least", "lands", "spare", "ends", "even_so"}


def demand(holds: bool, reason: str) -> None:
    if not holds:
        raise ValueError(reason)


def left(state: Any, seat: int, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The event of leaving these lines."""
    demand(len(lines) <= 3, "too many lines")
    demand(not lines or (not state.over and seat != state.active), "nothing to plan")
    for line in lines:
        demand(set(line) <= LINE and type(line["most"]) is type(line["least"]) is int, "no line")
        demand(all(line.get(name, 0) is not False for name in ("ends", "even_so")), "a default")
        cards = [*line["cards"], *([line["spare"]] if "spare" in line else [])]
        demand(not Counter(cards) - Counter(state.hands[seat]), "cards not in the hand")
        trial = copy.deepcopy(state)
        moved = line_move(trial, seat, line)
        demand(
            trial.figures[seat].count(atlantis.MAINLAND) < 3 or line.get("ends", False), "it ends"
        )
        demand(moved["kind"] == "moved", "no move")
    done = {"kind": "planned", "seat": seat, "lines": lines, "arrived": arrived(state, seat)}
    leave_order(state, done)
    return done


def arrived(state: Any, seat: int) -> int:
    """Figures of the others on the mainland."""
    others = (figures for other, figures in enumerate(state.figures) if other != seat)
    return sum(figures.count(atlantis.MAINLAND) for figures in others)


def line_move(state: Any, seat: int, line: dict[str, Any]) -> dict[str, Any]:
    """The move of a line, made."""
    start, cards = state.figures[seat][line["figure"]], list(line["cards"])
    at = start
    for card in cards:
        at = state.next_space(at, card)
    if at in state.occupied() and "spare" in line:
        cards.append(line["spare"])
        at = state.next_space(at, cards[-1])
    left = list(state.hands[seat])
    for card in cards:
        left.remove(card)
    owed, values, coins = sum(state.prices(start, at)), list[int](), list[str]()
    if owed:
        values, count = atlantis.cheapest(owed, [tile[1] for tile in state.tiles[seat]], left)
        coins = most_held(left, count)
    event = {"figure": line["figure"], "cards": cards, "paid_cards": coins}
    event |= {"paid_tiles": [[None, value] for value in values]}
    return atlantis.move(state, seat, event | {"bridge_before": None, "bridge_after": None})


def planned_move(state: Any, seat: int) -> dict[str, Any] | None:
    """The move of the first line that fits; None for none."""
    plan = state.plans[seat] or {"lines": [], "arrived": 0}
    for line in plan["lines"]:
        trial = copy.deepcopy(state)
        try:
            found = line_move(trial, seat, line)
        except ValueError:
            continue
        paid = sum(tile[1] for tile in found["paid_tiles"]) + len(found["paid_cards"])
        lands = found["via"][len(line["cards"]) - 1]
        if (
            (line.get("even_so") or arrived(state, seat) <= plan["arrived"])
            and line.get("lands") in (None, lands)
            and paid <= line["most"]
            and (found["taken"] or [None, 0])[1] >= line["least"]
            and (trial.figures[seat].count(atlantis.MAINLAND) < 3 or line.get("ends"))
        ):
            return found | {"planned": True}
    return None


def leave_order(state: Any, event: dict[str, Any]) -> None:
    state.plans[event["seat"]] = event if event["lines"] else None


def lapse(state: Any, first: dict[str, Any]) -> None:
    """The plan of the seat that moves is gone; if the move was planned, the plan says so."""
    if first.get("planned"):
        demand(first == planned_move(state, first["seat"]), "no plan says so")
    state.plans[first["seat"]] = None


def most_held(hand: list[str], count: int) -> list[str]:
    """This number of cards, taken out of the hand: one by one of those held most often."""
    cards = []
    for _card in range(count):
        held = Counter(hand)
        cards.append(
            max(atlantis.ITEMS, key=lambda item: (held[item], -atlantis.ITEMS.index(item)))
        )
        hand.remove(cards[-1])
    return atlantis.in_order(cards)
