"""Small helpers of the pages around a table."""

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
    """The element of a sequence that belongs to a seat."""
    return sequence[index]


@register.filter(name="say")
def say_filter(text: Text) -> str:
    """A Text of the rules in the reader's language; for those that name no seat."""
    return say(text)


@register.filter
def holdings(engine: AnyGame, view: View) -> tuple[tuple[Text, ...], ...]:
    """Per seat, what everybody can see that it has."""
    return engine.presentation.holdings(view)


@register.simple_tag
def icon(engine: AnyGame, name: object) -> SafeString:
    """A small picture of the game, as the engine draws it."""
    return mark_safe(engine.presentation.icon_svg(str(name)))  # noqa: S308 (our own drawing)
