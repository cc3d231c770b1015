"""The table options of Escape from Atlantis!: what a host may choose, and what goes together."""

from collections.abc import Mapping

from ..contract import OptionSpec
from ..errors import IllegalMove
from ..text import _
from .model import Ending, Options

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "order",
        _("Order of play"),
        _("Who plays first and in which order."),
        (("random", _("Random")), ("seated", _("As seated"))),
        "random",
    ),
    OptionSpec(
        "memory",
        _("Values of your own explorers"),
        _(
            "Turns can be days apart, so by default you can always see the values of your own "
            "explorers. Strict: after the setup you have to remember them, as in the board game."
        ),
        (("shown", _("Visible to their owner")), ("strict", _("Strict: remember them"))),
        "shown",
    ),
    OptionSpec(
        "colours",
        _("Colours per player"),
        _("Two players can control two colours each: 20 explorers and 4 ships per side."),
        (("one", _("One")), ("two", _("Two each (two players only)"))),
        "one",
    ),
    OptionSpec(
        "ending",
        _("End of the game"),
        _(
            "By default, the volcano ends the game for everyone who is not on an isle. “To the "
            "last”: the volcano acts as a whirlpool, and the game goes on until no explorers are "
            "left on the board. “Submerged”: the volcano acts as a whirlpool, and the game ends "
            "when the last tile has sunk. You can choose only one of the two."
        ),
        (
            ("volcano", _("Volcano")),
            ("last", _("To the last (challenge 2)")),
            ("submerged", _("Submerged (challenge 4)")),
        ),
        "volcano",
    ),
    OptionSpec(
        "overpopulated",
        _("Overpopulated (challenge 1)"),
        _("During setup, two explorers can share a tile that does not touch the sea."),
        (("no", _("No")), ("yes", _("Yes"))),
        "no",
    ),
    OptionSpec(
        "equal",
        _("All equal (challenge 3)"),
        _("Values do not count: the player who saves the most explorers wins."),
        (("no", _("No")), ("yes", _("Yes"))),
        "no",
    ),
    OptionSpec(
        "answer",
        _("Time to respond to an attack"),
        _(
            "When another player moves a shark or whale, you may be asked whether you want to "
            "defend. If you do not respond in time, your standing order applies; without one, you "
            "do not defend."
        ),
        (("6", _("6 hours")), ("12", _("12 hours")), ("24", _("24 hours")), ("48", _("48 hours"))),
        "24",
    ),
)


def check_options(options: Mapping[str, str], seats: int) -> None:
    """IllegalMove where these options do not go together."""
    if options["colours"] == "two" and seats != 2:
        raise IllegalMove(
            _("Two colours each is only for two players, because there are four colours.")
        )


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
