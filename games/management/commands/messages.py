"""Collect the messages of the source, update the .po files and compile the .mo files.

    python manage.py messages           add new messages, keep translations, compile
    python manage.py messages --check   write nothing; report what is missing and exit with 1

This replaces Django's makemessages and compilemessages, which need GNU gettext. Python files are
read as syntax trees, because other extractors miss messages inside of f-strings; templates go
through Django's own templatize. Messages that the source no longer contains are removed.
"""

import ast
import io
import re
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import override
from django.utils.translation.template import templatize

from games.management import counted

ROOT: Path = settings.BASE_DIR
LOCALE = ROOT / "games" / "locale"
SOURCE_LANGUAGE = "en"

# The arguments of each function as babel writes them: (1, "c") is the context.
KEYWORDS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), (1,)),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[a-zA-Z%]")

# A message, or the singular and plural of one, and its context.
Found = tuple[str | tuple[str, ...], str | None]

# Messages of other packages that have translations of our own, in the voice of the site.
BORROWED: dict[str, tuple[str | tuple[str, str], ...]] = {
    "django": (
        "This field is required.",
        "Enter a whole number.",
        "Enter a valid date.",
        "Enter a valid date/time.",
        "Enter a list of values.",
        "Null characters are not allowed.",
        "Select a valid choice. %(value)s is not one of the available choices.",
        "Select a valid choice. That choice is not one of the available choices.",
        "Ensure this value is greater than or equal to %(limit_value)s.",
        "Ensure this value is less than or equal to %(limit_value)s.",
        (
            "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
            "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        ),
    ),
    "allauth": (
        # under the fields of signing in and of one's addresses
        "Email address",
        "Email",
        "Code",
        "This account is currently inactive.",
        "You cannot remove your primary email address.",
        "This email address is already associated with this account.",
        "A user is already registered with this email address.",
        "Incorrect code.",
        "The email address is not assigned to any user account.",
        "You cannot add more than %d email addresses.",
        "Your primary email address must be verified.",
        "The new value must be different from the current one.",
        "Be patient, you are sending too many requests.",
        # shown after an action
        "You cannot remove your primary email address (%(email)s).",
        "Unable to confirm %(email)s because it is already confirmed by a different account.",
        "Confirmation email sent to %(email)s.",
        "You have confirmed %(email)s.",
        "Removed email address %(email)s.",
        "Primary email address set.",
        # the second factor
        "Authenticator code",
        "Authenticator app activated.",
        "Authenticator app deactivated.",
        "You cannot add an email address to an account protected by two-factor authentication.",
        "You cannot activate two-factor authentication until you have verified your email address.",
        "You cannot deactivate two-factor authentication.",
    ),
}


# -- collecting ------------------------------------------------------------------------


def in_python(source: str) -> Iterator[Found]:
    """Yield the messages of a Python file; calls with anything but string literals have none."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        spec = KEYWORDS.get(name, ())
        strings = [
            argument.value
            for argument in node.args[: len(spec)]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
        if spec and len(strings) == len(spec):
            context = strings.pop(0) if spec[0] == (1, "c") else None
            yield (strings[0] if len(strings) == 1 else tuple(strings)), context


def in_template(source: str) -> Iterator[Found]:
    """Yield the messages of a template as the template looks them up."""
    code = re.sub("^[ \t]+", "", templatize(source), flags=re.MULTILINE)  # or Python sees blocks
    for _line, message, _comments, context in extract(
        "python", io.BytesIO(code.encode()), KEYWORDS
    ):
        yield message, context


class PlainCatalog(Catalog):
    """A catalogue whose header has only what is needed to read it, and no dates."""

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


def collect() -> Catalog:
    """Return every message of the source, in the order of the files, with the files that have
    it."""
    catalog = PlainCatalog(fuzzy=False)
    python = [
        path for app in ("atlantis_site", "games") for path in sorted((ROOT / app).rglob("*.py"))
    ]
    with override(None):  # templatize must not translate
        for path in (*python, *sorted((ROOT / "templates").rglob("*.*"))):
            find = in_python if path.suffix == ".py" else in_template
            for message, context in find(path.read_text()):
                catalog.add(message, locations=[(str(path.relative_to(ROOT)), 0)], context=context)
    for package, borrowed in BORROWED.items():
        for message in borrowed:
            catalog.add(message, locations=[(package, 0)])
    return catalog


# -- catalogue files -------------------------------------------------------------------


def languages() -> list[str]:
    return [code for code, _name in settings.LANGUAGES if code != SOURCE_LANGUAGE]


def po_file(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def stored(language: str) -> Catalog:
    """Return the catalogue of the .po file, or an empty one."""
    path = po_file(language)
    if not path.exists():
        return PlainCatalog(language, fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def updated(language: str, source: Catalog) -> Catalog:
    """Return the messages of the source with the stored translations."""
    new = PlainCatalog(language, fuzzy=False)
    for message in stored(language):
        if message.id:
            new[message.id] = message
    new.update(source, no_fuzzy_matching=True, update_creation_date=False)
    for message in new:
        message.flags.discard("python-brace-format")  # our placeholders begin with %
    return new


def po_bytes(catalog: Catalog) -> bytes:
    file = io.BytesIO()
    write_po(file, catalog, width=100, include_lineno=False, ignore_obsolete=True)
    return file.getvalue()


def mo_bytes(catalog: Catalog) -> bytes:
    """Compile the translations that are not fuzzy; the others are shown in the source language."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


# -- checking --------------------------------------------------------------------------


def forms(message: Message) -> list[str]:
    """Return the translations of a message: one, or one per plural form."""
    string = message.string or ""
    return [string] if isinstance(string, str) else [form or "" for form in string]


def ids(message: Message) -> list[str]:
    """Return the message, and its plural if it has one."""
    return [message.id] if isinstance(message.id, str) else list(message.id)


def _keys(catalog: Catalog) -> dict[tuple[str | None, ...], Message]:
    return {(message.context, *ids(message)): message for message in catalog if message.id}


def errors(language: str, source: Catalog) -> Iterator[str]:
    """Yield a sentence for everything that is wrong with the catalogue of a language."""
    wanted, catalog = _keys(source), stored(language)
    present = _keys(catalog)
    for key, message in wanted.items():
        if key not in present:
            place = message.locations[0][0]
            yield f"“{key[1]}” of {place} is not in the catalogue: run `manage.py messages`."
    for key in present.keys() - wanted.keys():
        yield f"“{key[1]}” is not in the source any more: run `manage.py messages`."
    for message in present.values():
        yield from message_errors(message)
    path = po_file(language).with_suffix(".mo")
    compiled = path.read_bytes() if path.exists() else b""
    if _translations(compiled) != _translations(mo_bytes(catalog)):
        yield f"{path.name} does not match {po_file(language).name}: run `manage.py messages`."


def _translations(mo: bytes) -> dict[tuple[str | None, ...], list[str]]:
    catalog = read_mo(io.BytesIO(mo)) if mo else Catalog()
    return {key: forms(message) for key, message in _keys(catalog).items()}


def message_errors(message: Message) -> Iterator[str]:
    """Yield what is wrong with one translation: fuzzy, incomplete, other placeholders or edges."""
    source, translated = ids(message), forms(message)
    if message.fuzzy:
        yield f"“{source[0]}” is marked fuzzy."
    if not all(form.strip() for form in translated):
        yield f"“{source[0]}” is not translated."
        return
    # A singular may omit its number, unless the language uses it for 0 as well: allow either.
    allowed = [_placeholders(text) for text in source]
    for form in translated:
        if _placeholders(form) not in allowed:
            yield f"“{form}” has other placeholders than “{source[0]}”."
    for edge in (0, -1):
        if len({text[edge].isspace() and text[edge] for text in [source[0], *translated]}) > 1:
            yield f"“{source[0]}” and its translation begin or end with different spaces."
            break


def _placeholders(text: str) -> list[str]:
    return sorted(found for found in PLACEHOLDER.findall(text) if found != "%%")


# -- the command -----------------------------------------------------------------------


class Command(BaseCommand):
    help = "Collects all messages, updates the catalogues of all languages and compiles them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; fail on any error")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        source = collect()
        total = 0
        for language in languages():
            if not check:
                catalog = updated(language, source)
                path = po_file(language)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(po_bytes(catalog))
                path.with_suffix(".mo").write_bytes(mo_bytes(catalog))
            found = list(errors(language, source))
            total += len(found)
            for error in found:
                self.stdout.write(f"{language}: {error}")
            self.stdout.write(f"{language}: {len(source)} messages, {counted(len(found), 'error')}")
        if total and check:
            raise CommandError(f"The catalogues are not complete: {counted(total, 'error')}.")
