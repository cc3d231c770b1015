"""Elements of an HTML email for cssselect2, which count what selectors cost.

cssselect2 follows each ancestor and each earlier sibling for each combinator of a selector: a few
stars in a style sheet would keep a worker busy for hours, and the lists of siblings of one long
email would fill the memory. Here there are no such lists, and after MOST_STEPS matching ends.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import cssselect2
from lxml import etree

MOST_STEPS = 1_000_000  # less than a second; newsletters need a tenth


class TooMuchStyle(Exception):
    """It would take too long to work out which text of the email is seen."""


class Steps:
    """How many steps are left."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def take(self, count: int = 1) -> None:
        """Raise TooMuchStyle if fewer are left."""
        self.left -= count
        if self.left < 0:
            raise TooMuchStyle


class CountedElement(cssselect2.ElementWrapper):  # type: ignore[misc]  # cssselect2 has no types
    """An element; all elements of a document share its steps."""

    def __init__(
        self, element: etree._Element, parent: "CountedElement | None", **more: Any
    ) -> None:
        self.steps: Steps = parent.steps if parent is not None else Steps()
        self.steps.take()
        super().__init__(element, parent, **more)

    @property
    def ancestors(self) -> Iterator["CountedElement"]:
        """The parent, its parent and so on."""
        return self._along("parent")

    @property
    def previous_siblings(self) -> Iterator["CountedElement"]:
        """The sibling before this one, the one before that and so on."""
        return self._along("previous")

    def _along(self, link: str) -> Iterator["CountedElement"]:
        element = getattr(self, link)
        while element is not None:
            self.steps.take()
            yield element
            element = getattr(element, link)

    @property
    def etree_siblings(self) -> "CountedSiblings":
        """All siblings with the element itself."""
        return CountedSiblings(self._siblings, self.steps)

    @etree_siblings.setter
    def etree_siblings(self, siblings: list[etree._Element]) -> None:
        self._siblings = siblings


class CountedSiblings(Sequence[etree._Element]):
    """Siblings, of which each one that is looked at takes a step; how many there are is free."""

    def __init__(self, siblings: list[etree._Element], steps: Steps) -> None:
        self._siblings, self._steps = siblings, steps

    def __len__(self) -> int:
        return len(self._siblings)

    def __getitem__(self, index: Any) -> Any:
        found = self._siblings[index]
        self._steps.take(len(found) if isinstance(index, slice) else 1)
        return found


def counted(test: Callable[[CountedElement], bool]) -> Callable[[CountedElement], bool]:
    """The test of a selector, which takes a step each time."""

    def matches(element: CountedElement) -> bool:
        element.steps.take()
        try:
            return test(element)
        except ValueError:  # a link that is no URL, asked by :local-link
            return False

    return matches
