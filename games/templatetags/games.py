"""Filters and tags of the pages of games."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from games.rules.contract import AnyGame, View
from games.rules.move_form import FormField
from games.rules.text import Text
from games.translate import say

register = template.Library()

SHORT_LABEL = 4  # letters


@register.filter
def at(sequence: Any, index: int) -> Any:
    """The element of a sequence at this index."""
    return sequence[index]


@register.filter(name="say")
def say_filter(text: Text | None, names: Sequence[str] | None = None) -> str:
    """A Text of the rules in the active language, with the names of the seats."""
    return say(text, names) if text is not None else ""


@register.filter
def number(field: FormField) -> str:
    """The number that a field of kind "count" holds."""
    return next((choice.value for choice in field.choices if choice.selected), "0")


@register.filter
def is_short(field: FormField) -> bool:
    """Whether the choices are labels of a few letters, of which many fit in a row."""
    return all(
        len(say(choice.label)) <= SHORT_LABEL and not (choice.detail or choice.icon)
        for choice in field.choices
    )


@register.filter
def holdings(engine: AnyGame, view: View) -> tuple[tuple[Text, ...], ...]:
    """Per seat, what everybody can see that it holds."""
    return engine.presentation.holdings(view)


@register.simple_tag
def icon(engine: AnyGame, name: object) -> SafeString:
    """A small picture of a thing of the game. Screen readers skip it: name the thing beside it."""
    return mark_safe(engine.presentation.icon_svg(str(name)))  # noqa: S308  # our own drawing
