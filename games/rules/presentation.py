"""The part of a game that shows it: the log, the form of a move, the board and the results.

See contract.py for the other parts.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeVar

import msgspec

from .drawing import Box, Drawing, board_svg, text_drawing
from .guidance import Guide, LegalSection
from .move_form import Answers, MoveForm
from .text import Seat, Text, Translate, _, joined, literal

V = TypeVar("V")  # a view: what one seat, or a spectator, may know of a state
C_contra = TypeVar("C_contra", contravariant=True)  # a command
E_contra = TypeVar("E_contra", contravariant=True)  # an event


class HandItem(msgspec.Struct, frozen=True):
    """Equal things in a hand. icon: a name that `icon_svg` draws. use: what the viewer can do with
    one now, where a newcomer cannot know."""

    icon: str
    label: Text
    count: int
    use: Text | None = None


class PlayerFacts(msgspec.Struct, frozen=True):
    """The visible possessions of a player, a few words for each thing.

    sign: what marks the player's pieces on the plain board. values: of single pieces, by their
    names, as far as they are known.
    """

    seat: int
    sign: str
    facts: tuple[Text, ...]
    values: tuple[tuple[str, int], ...] = ()

    @property
    def text(self) -> Text:
        """All of it: "tiles 7 5 (= 12), 4 cards, bridge"."""
        facts = self.facts
        if self.values:
            # "=" keeps the list from being read as a move.
            known = " ".join(f"{name}={value}" for name, value in self.values)
            facts += (_("values %(values)s", values=known),)
        return joined(facts, ", ")

    @property
    def line(self) -> Text:
        """The player and all of it."""
        return literal(
            "%(seat)s (%(sign)s): %(facts)s", seat=Seat(self.seat), sign=self.sign, facts=self.text
        )


class TextSection(msgspec.Struct, frozen=True):
    """A heading and the lines below it."""

    title: Text
    lines: tuple[Text, ...]


class Presentation(Protocol[C_contra, E_contra, V]):
    """The texts, pictures and forms of a game, made from a view or from visible events."""

    def sentence(self, event: E_contra) -> Text | None:
        """Describe the event for the log and for emails; None if nobody needs to read it."""
        ...

    def sentences(self, events: Sequence[E_contra]) -> tuple[Text | None, ...]:
        """`sentence` of each event of one move, for reading one after the other: what the sentences
        before have said, such as who moves, need not be said again."""
        return tuple(self.sentence(event) for event in events)

    def counted(self, event: E_contra, count: int) -> Text | None:
        """The sentence for `count` events like this one of its player, for emails, where a number
        says enough; None for an event that is told by itself."""
        return None

    def learnt(self, events: Sequence[E_contra]) -> tuple[Text, ...]:
        """Knowledge that these events, as the reader may see them, gave to somebody: kinds and
        numbers, no values. None of them is reversible by the rules; () where they showed
        nothing."""
        return (_("Something was drawn, rolled or revealed."),) if events else ()

    def losses(self, view: V, events: Sequence[E_contra]) -> tuple[Text, ...]:
        """What these events, as the viewer may see them, took from the viewer, and what of it is in
        danger now; the worst first."""
        return ()

    def unfit_orders(self, view: V) -> tuple[Text, ...]:
        """Why the orders of the viewer do not answer what the viewer is asked now, a sentence each;
        () for none that should."""
        return ()

    def move_form(self, view: V, answers: Answers) -> MoveForm[V]:
        """The form as far as the answers lead; answers that do not fit never raise."""
        ...

    def forms(self, view: V) -> Callable[[Answers], MoveForm[V]]:
        """`move_form` of this view, for many answers in a row."""
        return partial(self.move_form, view)

    def preview(self, view: V, command: C_contra) -> MoveForm[V]:
        """Line, preview and warnings of a command, without fields; IllegalMove where it may not
        be given."""
        ...

    def guide(self, view: V) -> Guide | None:
        """Return the question to the viewer and how to answer it. None if there is none, or if
        "It’s your turn" and the first legal commands say enough."""
        return None

    def legal(self, view: V) -> tuple[LegalSection, ...]:
        """The legal answers of the viewer in groups; () to have all legal commands listed."""
        return ()

    def introduction(self, view: V) -> tuple[Text, ...]:
        """The game in some short paragraphs, for somebody who reads its first email."""
        return ()

    def hints(self) -> Mapping[str, Text]:
        """A sentence for newcomers about some questions of the form, by the name of the question
        without its number."""
        return {}

    def board_text(self, view: V, *, translate: Translate = str) -> str:
        """The board as lines of plain text of at most 72 columns, with a legend."""
        ...

    def position_text(self, view: V) -> tuple[TextSection, ...]:
        """Everything on the board in words, for people who do not see it; by default its plain
        text."""
        lines = self.board_text(view).splitlines()
        return (TextSection(_("The board"), tuple(literal("%(line)s", line=x) for x in lines)),)

    def draw(
        self,
        view: V,
        links: Mapping[str, str] | None = None,
        recent: Sequence[E_contra] = (),
        *,
        translate: Translate = str,
    ) -> Drawing:
        """The board as a picture; by default its plain text.

        links: board element id (Choice.element_id) → href; those elements become links.
        recent: visible events since the viewer's last move, drawn as marks.
        translate: puts labels and the title into the reader's language; plain text, not HTML.
        """
        return text_drawing(self.board_text(view, translate=translate))

    def details(self, view: V) -> tuple[Box, ...]:
        """Parts of the drawing that emails show enlarged beside the whole, because the viewer must
        read them; () where the whole board can be read on a phone."""
        return ()

    def crowded(self) -> bool:
        """Return whether a finger in a small window needs an enlarged board to choose what lies
        there."""
        return False

    def icon_svg(self, name: str) -> str:
        """A small picture of a thing of the game."""
        return board_svg(text_drawing(name))

    def hand(self, view: V) -> tuple[HandItem, ...]:
        """The viewer's own hand in the order of the rules; () without one."""
        return ()

    def players(self, view: V) -> tuple[PlayerFacts, ...]:
        """Visible facts about each player, in the order of play; () where nobody has anything."""
        return ()

    def settlement(self, view: V) -> tuple[tuple[int, tuple[Text, ...]], ...]:
        """(seat, lines) of the final scoring from the highest score to the lowest, explained line
        by line; empty before the end."""
        return ()

    def ending(self, view: V) -> Text | None:
        """Return how a finished game ended, if there are several ways; else None."""
        return None
