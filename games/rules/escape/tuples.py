"""Small changes of tuples: what folding does all day."""

from __future__ import annotations

from typing import TypeVar

from .model import Back

T = TypeVar("T")


def put(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    return (*items[:index], item, *items[index + 1 :])


def add(items: tuple[int, ...], index: int, by: int) -> tuple[int, ...]:
    return put(items, index, items[index] + by)


def having(items: tuple[int, ...], item: int) -> tuple[int, ...]:
    return tuple(sorted((*items, item)))


def lacking(items: tuple[int, ...], *gone: int) -> tuple[int, ...]:
    """The items but for one occurrence of each that is gone."""
    if not gone:
        return items
    left = list(items)
    for item in gone:
        left.remove(item)
    return tuple(left)


def moved(where: tuple[int, ...], explorers: tuple[int, ...], to: int) -> tuple[int, ...]:
    if not explorers:
        return where
    places = list(where)
    for explorer in explorers:
        places[explorer] = to
    return tuple(places)


def spend(
    kept: tuple[tuple[Back, ...], ...], seat: int, tile: Back
) -> tuple[tuple[Back, ...], ...]:
    tiles = list(kept[seat])
    tiles.remove(tile)
    return put(kept, seat, tuple(tiles))
