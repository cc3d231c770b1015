"""What newcomers to Atlantis overlook."""

from ..text import Text, _


def hints() -> tuple[Text, ...]:
    """Five hints, in the order in which they are of use."""
    return (
        _("Choose an outlined figure, then an outlined space. Nothing is sent before you confirm."),
        _(
            "A card moves a figure to the next tile with its picture. If a figure stands there, play "
            "another card and move on."
        ),
        _("The coin on the water shows what crossing it costs. You pay with tiles or cards."),
        _("You take the first free tile behind your figure, not the tile it stands on."),
        _("You have one bridge for the whole game. A bridged gap is free for everyone."),
    )
