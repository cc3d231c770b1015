"""The catalogues of all languages: found in the source, kept in .po files, compiled to .mo files.

    python manage.py messages           find new messages, keep translations, compile
    python manage.py messages --check   write nothing; say what is missing and exit with 1

Needs no GNU gettext. Python files are read as syntax trees, so a message within a message is found;
templates go through Django's own templatize, so a message here is the one looked up at run time.
Never translates anything, and leaves nothing of what is no longer said.
"""

from __future__ import annotations

import ast
import io
import re
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages import Catalog, Message
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import override
from django.utils.translation.template import templatize

from games.management.allauth_messages import BORROWED

ROOT: Path = settings.BASE_DIR
LOCALE = ROOT / "games" / "locale"
SOURCES = ("atlantis_site", "games")
TEMPLATES = "templates"
SOURCE_LANGUAGE = "en"

# What each call says: the places of context, message and plural among its arguments.
CALLS: dict[str, str] = {
    "_": "m",
    "gettext": "m",
    "gettext_lazy": "m",
    "gettext_noop": "m",
    "ngettext": "mp",
    "ngettext_lazy": "mp",
    "pgettext": "cm",
    "pgettext_lazy": "cm",
    "npgettext": "cmp",
    "npgettext_lazy": "cmp",
}
_STRING = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CALL = re.compile(
    rf"(?<![\w.])({'|'.join(CALLS)})\(\s*({_STRING})(?:,\s*({_STRING}))?(?:,\s*({_STRING}))?"
)
_PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[a-zA-Z%]")


class Key(NamedTuple):
    """What a catalogue is asked for."""

    context: str | None
    message: str
    plural: str | None = None

    @property
    def parts(self) -> tuple[str | None, ...]:
        """Context and message, and the plural if there is one: a name within a catalogue."""
        return self[:2] if self.plural is None else tuple(self)


Found = dict[Key, list[str]]  # a message and the files that say it, in the order of the source


# -- finding ---------------------------------------------------------------------------


def _key(call: str, strings: list[str]) -> Key:
    named = dict(zip(CALLS[call], strings, strict=False))
    return Key(named.get("c"), named["m"], named.get("p"))


def in_python(source: str) -> Iterator[Key]:
    """The messages of a Python file; a call whose message is no plain string says none."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        words = [
            argument.value
            for argument in node.args[: len(CALLS.get(name, ""))]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
        if words and len(words) == len(CALLS[name]):
            yield _key(name, words)


def in_template(source: str) -> Iterator[Key]:
    """The messages of a Django template, as the template asks for them at run time."""
    for call in _CALL.finditer(templatize(source)):
        yield _key(call[1], [ast.literal_eval(word) for word in call.groups()[1:] if word])


def found() -> Found:
    """Every message that the service can say, by file and place."""
    messages: dict[tuple[str | None, str], tuple[str | None, list[str]]] = {}

    def note(key: Key, source: str) -> None:
        plural, sources = messages.get(key[:2], (None, []))
        if source not in sources:
            sources = [*sources, source]
        messages[key[:2]] = (key.plural or plural, sources)

    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for key in in_python(path.read_text()):
                note(key, str(path.relative_to(ROOT)))
    for path in sorted((ROOT / TEMPLATES).rglob("*.*")):
        for key in in_template(path.read_text()):
            note(key, str(path.relative_to(ROOT)))
    for package, words in BORROWED.items():
        for message in words:
            note(Key(None, message), package)
    return {
        Key(context, message, plural): sources
        for (context, message), (plural, sources) in messages.items()
    }


# -- keeping ---------------------------------------------------------------------------


class Words(Catalog):
    """A catalogue with a header that says nothing but what is needed to read it."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Project-Id-Version", settings.SITE_NAME),
            ("Language", str(self.locale)),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=UTF-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms),
        ]

    @property
    def header_comment(self) -> str:
        return "# Kept by `python manage.py messages`; only the translations are written by hand."


def languages() -> list[str]:
    """All languages that need a catalogue."""
    return [code for code, _name in settings.LANGUAGES if code != SOURCE_LANGUAGE]


def po_file(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def kept(language: str) -> Catalog:
    """The catalogue as its .po file has it; an empty one where there is none."""
    path = po_file(language)
    if not path.exists():
        return Words(language, fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def renewed(language: str, messages: Found) -> Catalog:
    """The messages found, with the translations kept; what is new has none."""
    old = kept(language)
    new = Words(language, fuzzy=False)
    for key, sources in messages.items():
        before = old.get(key.message, key.context)
        fits = before is not None and before.pluralizable == (key.plural is not None)
        message = new.add(
            key.message if key.plural is None else (key.message, key.plural),
            string=before.string if before is not None and fits else "",
            context=key.context,
            locations=[(source, 0) for source in sources],
            flags=["fuzzy"] if before is not None and before.fuzzy else [],
        )
        message.flags.discard("python-brace-format")  # all of ours are put in with %
    return new


def as_po(catalog: Catalog) -> bytes:
    file = io.BytesIO()
    write_po(file, catalog, width=100, include_lineno=False, ignore_obsolete=True)
    return file.getvalue()


def as_mo(catalog: Catalog) -> bytes:
    """What Django reads: every finished translation, nothing fuzzy."""
    words = Words(str(catalog.locale), fuzzy=False)
    for message in catalog:
        if message.id and not message.fuzzy and all(forms(message)):
            words.add(message.id, message.string, context=message.context)
    file = io.BytesIO()
    write_mo(file, words)
    return file.getvalue()


# -- checking --------------------------------------------------------------------------


def forms(message: Message) -> list[str]:
    """The translations of a message: one, or one for each number."""
    string = message.string or ""
    return [string] if isinstance(string, str) else [form or "" for form in string]


def ids(message: Message) -> list[str]:
    """The message itself, its plural behind it if it has one."""
    return [message.id] if isinstance(message.id, str) else list(message.id)


def placeholders(text: str) -> list[str]:
    return sorted(hole for hole in _PLACEHOLDER.findall(text) if hole != "%%")


def faults(language: str, messages: Found) -> list[str]:
    """Everything that keeps this language from being complete, a sentence for each."""
    return [
        *_faults_of_source(language, messages),
        *(fault for message in kept(language) if message.id for fault in faults_of(message)),
        *_faults_of_mo(language),
    ]


def _faults_of_source(language: str, messages: Found) -> Iterator[str]:
    po = {(m.context, *ids(m)) for m in kept(language) if m.id}
    said = {key.parts: sources for key, sources in messages.items()}
    for parts in said.keys() - po:
        yield f"“{parts[1]}” of {said[parts][0]} is not in the catalogue: run `manage.py messages`."
    for parts in po - said.keys():
        yield f"“{parts[1]}” is said nowhere any more: run `manage.py messages`."


def faults_of(message: Message) -> Iterator[str]:
    """What is wrong with one translation: empty, fuzzy, too few forms, other placeholders."""
    source, translated = ids(message), forms(message)
    if message.fuzzy:
        yield f"“{source[0]}” is marked fuzzy."
    if not all(form.strip() for form in translated):
        yield f"“{source[0]}” is not translated."
        return
    # A singular may leave out its number; where it stands for 0 as well it must not, hence either.
    allowed = [placeholders(text) for text in source]
    for form in translated:
        if placeholders(form) not in allowed:
            yield f"“{form}” has other placeholders than “{source[0]}”."
    for edge in (0, -1):
        blank = {text[edge].isspace() and text[edge] for text in [source[0], *translated]}
        if len(blank) > 1:
            yield f"“{source[0]}” begins or ends with a blank that its translation has not."
            break


def _faults_of_mo(language: str) -> Iterator[str]:
    path = po_file(language).with_suffix(".mo")
    if not path.exists():
        yield f"{path.name} is missing: run `manage.py messages`."
        return
    with path.open("rb") as file:
        compiled = {(m.context, *ids(m)): forms(m) for m in read_mo(file) if m.id}
    with io.BytesIO(as_mo(kept(language))) as file:
        expected = {(m.context, *ids(m)): forms(m) for m in read_mo(file) if m.id}
    if compiled != expected:
        yield f"{path.name} is older than {po_file(language).name}: run `manage.py messages`."


# -- the command -----------------------------------------------------------------------


class Command(BaseCommand):
    help = "Finds all messages, keeps the catalogues of all languages up to date, compiles them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; fail at any fault")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        with override(None):  # templatize would speak the reader's language
            messages = found()
        wrong = 0
        for language in languages():
            if not check:
                catalog = renewed(language, messages)
                path = po_file(language)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(as_po(catalog))
                path.with_suffix(".mo").write_bytes(as_mo(catalog))
            faulty = faults(language, messages)
            wrong += len(faulty)
            for fault in faulty:
                self.stdout.write(f"{language}: {fault}")
            self.stdout.write(f"{language}: {len(messages)} messages, {len(faulty)} faults")
        if wrong and check:
            raise CommandError(f"The catalogues are not complete: {wrong} faults.")
