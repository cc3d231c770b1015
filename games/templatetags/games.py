"""Filters and tags of the pages of games."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from games.rules.contract import AnyGame, View
from games.rules.text import Text
from games.translate import say

register = template.Library()


@register.filter
def at(sequence: Any, index: int) -> Any:
    """The element of a sequence at this index."""
    return sequence[index]


@register.filter(name="say")
def say_filter(text: Text) -> str:
    """A Text of the rules that names no seat, in the active language."""
    return say(text)


@register.filter
def holdings(engine: AnyGame, view: View) -> tuple[tuple[Text, ...], ...]:
    """Per seat, what everybody can see that it holds."""
    return engine.presentation.holdings(view)


@register.simple_tag
def icon(engine: AnyGame, name: object) -> SafeString:
    """A small picture of a thing of the game. Screen readers skip it: name the thing beside it."""
    return mark_safe(engine.presentation.icon_svg(str(name)))  # noqa: S308  # our own drawing
