"""What newcomers to Escape from Atlantis! overlook."""

from ..text import Text, _


def hints() -> tuple[Text, ...]:
    """Five hints, in the order in which they are of use."""
    return (
        _(
            "On your turn you take up to three steps, with one piece or several, and then sink a tile. "
            "On the board, tap a piece and then its destination, or drag it there."
        ),
        _(
            "Your explorers are worth different numbers of points. Only you see the values of yours."
        ),
        _("A swimmer moves one hex per turn, and nobody returns to the island from the water."),
        _("An explorer is saved only on one of the four isles in the corners."),
        _("Sharks eat swimmers, whales sink ships with people aboard, and serpents do both."),
    )
