"""Small changes of tuples, as folding events needs them."""

from typing import TypeVar

T = TypeVar("T")


def put(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """The items with another one at this index."""
    return (*items[:index], item, *items[index + 1 :])


def add(items: tuple[int, ...], index: int, by: int) -> tuple[int, ...]:
    """The items with this added to the one at the index."""
    return put(items, index, items[index] + by)


def having(items: tuple[int, ...], item: int) -> tuple[int, ...]:
    """The items with one more, sorted."""
    return tuple(sorted((*items, item)))


def lacking(items: tuple[T, ...], *gone: T) -> tuple[T, ...]:
    """The items without one occurrence of each that is gone."""
    if not gone:
        return items
    left = list(items)
    for item in gone:
        left.remove(item)
    return tuple(left)


def moved(where: tuple[int, ...], things: tuple[int, ...], to: int) -> tuple[int, ...]:
    """The places with these things in a new one."""
    if not things:
        return where
    places = list(where)
    for thing in things:
        places[thing] = to
    return tuple(places)
