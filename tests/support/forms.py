"""The forms of a page, filled in as a reader would, one for each button."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

# What a reader enters in a field without a value.
TYPED = {
    "address": "jule@friends.example",
    "reason": "We have waited long enough",
    "display_name": "Jule",
    "note": "Good luck!",
}


@dataclass
class Button:
    """A button of a form that is posted: where to, what it says and what the form holds."""

    action: str
    fields: dict[str, str]
    label: str = ""


@dataclass
class _Form:
    action: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[Button] = field(default_factory=list)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[_Form] = []
        self._form: _Form | None = None
        self._in_template = False  # a blank that a script fills in
        self._select = ""
        self._button: Button | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "form" and found.get("method") == "post" and not self._in_template:
            self._form = _Form(found.get("action") or "")
            self.forms.append(self._form)
        elif tag == "template":
            self._in_template = True
        elif self._form is not None and not self._in_template:
            self._in_form(self._form, tag, found)

    def _in_form(self, form: _Form, tag: str, attrs: dict[str, str | None]) -> None:
        name, value = attrs.get("name") or "", attrs.get("value") or ""
        match tag, attrs.get("type"):
            case ("input", "checkbox" | "radio") if "required" in attrs or "checked" in attrs:
                form.fields[name] = value
            case ("input", "checkbox" | "radio"):
                pass
            case ("input" | "textarea", _) if name:
                form.fields[name] = value or TYPED.get(name, "")
            case "select", _:
                self._select = name
            case ("option", _) if self._select not in form.fields or "selected" in attrs:
                form.fields[self._select] = value
            case ("button", kind) if kind != "button":
                self._button = Button(form.action, {name: value} if name else {})
                form.buttons.append(self._button)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "template":
            self._in_template = False
        elif tag == "button":
            self._button = None

    def handle_data(self, data: str) -> None:
        if self._button is not None:
            self._button.label = " ".join((self._button.label + data).split())


def buttons_of(page: str, path: str) -> list[Button]:
    """All buttons of the page at this path that submit a form by POST."""
    parser = _Forms()
    parser.feed(page)
    return [
        Button(button.action or path, {**form.fields, **button.fields}, button.label)
        for form in parser.forms
        for button in form.buttons
    ]
