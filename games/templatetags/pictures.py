"""Pictures of a game in a page, drawn by its engine."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

from games.rules import GAMES

register = template.Library()


@register.simple_tag
def picture(kind: str, name: str) -> SafeString:
    """A small picture of the game `kind` ("atlantis") by its name; see the engine's icon_svg.

    It says nothing to screen readers: what it shows must stand in the words beside it.
    """
    return mark_safe(GAMES[kind].presentation.icon_svg(name))  # noqa: S308 (our own drawing)
