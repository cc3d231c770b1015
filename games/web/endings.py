"""The end of a game on its page: how it ended, the final scoring, chart and figures."""

from typing import Any

from games import selectors
from games.selectors import TablePage
from games.translate import say

from .score_chart import score_chart


def ending(page: TablePage) -> str:
    """How the game ended, where there are several ways."""
    text = page.engine.presentation.ending(page.view) if page.game.scores is not None else None
    return say(text, page.names) if text is not None else ""


def settlement(page: TablePage) -> list[dict[str, Any]]:
    """The final scoring per seat; empty before the end."""
    if not page.game.is_over or page.game.scores is None:
        return []
    winners = page.game.winners or ()
    return [
        {
            "number": seat,
            "name": page.names[seat],
            "score": page.game.scores[seat],
            "won": seat in winners,
            "texts": [say(text, page.names) for text in texts],
        }
        for seat, texts in page.engine.presentation.settlement(page.view)
    ]


def statistics(page: TablePage) -> dict[str, Any]:
    """The chart and the figures of a finished game; {} before."""
    found = selectors.statistics(page.game)
    if found is None:
        return {}
    return {
        "chart": score_chart(found),
        "statistics": found,
        "biggest": [(move, f"{move.change:+d}".replace("-", "−")) for move in found.biggest],
    }
