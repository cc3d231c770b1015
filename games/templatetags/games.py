"""Filters and tags of the pages: games, and the names of signed-in devices."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from games.rules.contract import AnyGame, View
from games.rules.move_form import Choice, FormField, MoveForm
from games.rules.presentation import PlayerFacts
from games.rules.text import Text
from games.translate import say, with_colon

register = template.Library()

SHORT_LABEL = 4  # letters
MANY = 8  # choices

# Searched in this order: most browsers also name those with which they are compatible.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
LENGTH = 90  # characters of what is not understood


@register.filter
def at(sequence: Any, index: int) -> Any:
    """The element of a sequence at this index."""
    return sequence[index]


@register.filter(name="say")
def say_filter(text: Text | None, names: Sequence[str] | None = None) -> str:
    """A Text of the rules in the active language, with the names of the seats."""
    return say(text, names) if text is not None else ""


@register.filter
def colon(words: str) -> str:
    """The words and a colon, as the active language writes it."""
    return with_colon(words)


@register.filter
def heading(sentence: str) -> str:
    """The sentence as a heading: without its full stop."""
    return sentence.removesuffix(".")


@register.filter
def picks_style(field: FormField) -> str:
    """The class of the list of choices: labels of a few letters fit into one row."""
    short = all(
        len(say(choice.label)) <= SHORT_LABEL and not (choice.detail or choice.icon)
        for choice in field.choices
    )
    return "short" if short else "many" if len(field.choices) > MANY else ""


@register.filter
def question_state(field: FormField) -> str:
    """The class of a question: settled, or open, perhaps to be answered on the board."""
    marked = [choice for choice in field.choices if choice.elements]
    chosen = [choice for choice in field.choices if choice.selected]
    if field.kind == "one" and any(choice in marked or not marked for choice in chosen):
        return "settled"
    return "open on-board" if marked else "open"


@register.filter
def payment(form: MoveForm[View] | None) -> FormField | None:
    """The question what to pay with; None where nothing is to be paid."""
    fields = form.fields if form is not None else ()
    return next((field for field in fields if field.kind == "pay"), None)


@register.filter
def coin_label(choice: Choice, names: Sequence[str]) -> str:
    """The name of a tile or card, with its detail in brackets: "ring (played)"."""
    label = say(choice.label, names)
    return f"{label} ({say(choice.detail, names)})" if choice.detail else label


@register.filter
def colour(form: MoveForm[View], field: FormField) -> int | str:
    """The number of the question among those that the board answers: its colour there."""
    asked = [one for one in form.fields if any(choice.elements for choice in one.choices)]
    return asked.index(field) if field in asked else ""


@register.filter
def facts(engine: AnyGame, view: View) -> dict[int, PlayerFacts]:
    """Return by seat what can be seen of each player."""
    return {player.seat: player for player in engine.presentation.players(view)}


@register.simple_tag
def icon(engine: AnyGame, name: object) -> SafeString:
    """A small picture of a thing of the game. Screen readers skip it: name the thing beside it."""
    return mark_safe(engine.presentation.icon_svg(str(name)))  # noqa: S308  # our own drawing


@register.filter
def device_name(user_agent: str) -> str:
    """The browser and its system, or the header `User-Agent` itself if it is of another kind."""
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), None)
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), None)
    if browser is None or system is None:
        return Truncator(user_agent).chars(LENGTH) or _("Unknown browser")
    return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
