"""The table options of Escape from Atlantis!: what a host may choose, and what goes together."""

from __future__ import annotations

from collections.abc import Mapping

from ..contract import IllegalMove, OptionSpec
from ..text import _
from .model import Ending, Options

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "order",
        _("Turn order"),
        _("Who begins, and who follows whom."),
        (("random", _("random")), ("seated", _("as seated"))),
        "random",
    ),
    OptionSpec(
        "memory",
        _("Values of my explorers"),
        _(
            "Your own explorers' values can stay in view, as turns are days apart. Strict: "
            "after the setup you must remember them, as at the kitchen table."
        ),
        (("shown", _("shown to their owner")), ("strict", _("strict: remember them"))),
        "shown",
    ),
    OptionSpec(
        "colours",
        _("Colours of each player"),
        _("Two players can lead two colours each: twenty explorers and four ships a side."),
        (("one", _("one")), ("two", _("two each (two players)"))),
        "one",
    ),
    OptionSpec(
        "ending",
        _("End of the game"),
        _(
            "The volcano ends the game for everybody who is not on an isle. “To the last”: the "
            "volcano is a whirlpool, and the game goes on until nobody is left on the board. "
            "“Submerged”: the volcano is a whirlpool, and the game ends when the last tile has "
            "sunk. The last two exclude each other."
        ),
        (
            ("volcano", _("the volcano")),
            ("last", _("to the last (challenge 2)")),
            ("submerged", _("submerged (challenge 4)")),
        ),
        "volcano",
    ),
    OptionSpec(
        "overpopulated",
        _("Overpopulated (challenge 1)"),
        _("In the setup up to two explorers may share a tile that touches no sea."),
        (("no", _("no")), ("yes", _("yes"))),
        "no",
    ),
    OptionSpec(
        "equal",
        _("All equal (challenge 3)"),
        _("The values do not count: whoever saves the most explorers wins."),
        (("no", _("no")), ("yes", _("yes"))),
        "no",
    ),
    OptionSpec(
        "answer",
        _("Time to answer an attack"),
        _(
            "When a shark or whale comes in somebody else's turn, you may be asked whether you "
            "defend. After this time your standing answer holds, or it happens."
        ),
        (
            ("6", _("6 hours")),
            ("12", _("12 hours")),
            ("24", _("24 hours")),
            ("48", _("48 hours")),
        ),
        "24",
    ),
)


def check_options(options: Mapping[str, str], seats: int) -> None:
    """IllegalMove where these options do not go together."""
    if options["colours"] == "two" and seats != 2:
        raise IllegalMove(_("Two colours each need exactly two players: there are four colours."))


def read_options(options: Mapping[str, str]) -> Options:
    """The options of a table as the rules use them; they have passed the checks."""
    return Options(
        seated=options["order"] == "seated",
        strict=options["memory"] == "strict",
        two_colours=options["colours"] == "two",
        overpopulated=options["overpopulated"] == "yes",
        equal=options["equal"] == "yes",
        ending=Ending(options["ending"]),
        hours=int(options["answer"]),
    )
