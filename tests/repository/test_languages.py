"""German and French: complete, in step with the source, and what a reader of them gets to see."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import allauth
import django
import pytest
from babel.messages import Catalog, Message
from babel.messages.mofile import read_mo
from django import forms
from django.conf import settings
from django.core.management import CommandError, call_command
from django.template import engines
from django.template.base import Lexer, TokenType
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.test import Client
from django.utils import translation
from pytest_django import Settings

from games import services
from games.inbound import answers, commands
from games.management.commands import messages
from games.management.commands.messages import BORROWED
from games.models import Game, OutboxMail, User
from games.moderation.actions import ActionForm
from games.moderation.base import RevealForm
from games.rules.atlantis import notation
from games.rules.atlantis.box import ITEMS
from games.rules.atlantis.names import ITEM_NAMES
from games.rules.atlantis.notation.vocabulary import VOCABULARY
from games.rules.atlantis.notation.vocabulary import items as items_named
from games.rules.escape.event_text import sentence
from games.rules.escape.hexes import BY_NAME
from games.rules.escape.model import Steered
from games.rules.escape.names import CREATURES
from games.rules.escape.notation import vocabulary, writing
from games.translate import say
from games.web import forms as web_forms
from games.web.absences import AbsenceForm
from tests.factories import person, play_one, play_to_the_end, play_turns, table_of
from tests.support.emails import Kind, row_for, written
from tests.support.escape_games import escape_table
from tests.support.languages import LANGUAGES, english_in, readable
from tests.support.replies import Post
from tests.support.translation_style import style_errors, unspaced_punctuation

TEMPLATES = sorted((messages.ROOT / "templates").rglob("*.*"))


# -- the catalogues --------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> Catalog:
    return messages.collect()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_has_its_translation_and_the_compiled_file_knows_it(
    language: str, found: Catalog
) -> None:
    errors = list(messages.errors(language, found))
    assert not errors, "\n".join(errors)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_and_translation_has_the_style_of_its_language(language: str) -> None:
    errors = [
        error
        for message in messages.stored(language)
        if message.id
        for error in style_errors(language, message)
    ]
    assert not errors, "\n".join(errors)


def test_no_message_is_another_one_with_a_colon(found: Catalog) -> None:
    texts = {text for message in found if message.id for text in messages.ids(message)}
    assert [text for text in texts if text.rstrip(":") in texts - {text}] == []


def test_all_languages_of_the_settings_but_the_source_have_a_catalogue() -> None:
    assert set(messages.languages()) == set(LANGUAGES)


def errors_of(id_: str | tuple[str, str], string: str | tuple[str, str], **more: Any) -> list[str]:
    return list(messages.message_errors(Message(id_, string, **more)))


def test_a_good_translation_has_no_error() -> None:
    assert errors_of("%(name)s, hello", "Hallo %(name)s") == []


def test_an_empty_translation_is_an_error() -> None:
    assert errors_of("Hello", "") == ["“Hello” is not translated."]


def test_a_fuzzy_translation_is_an_error() -> None:
    assert errors_of("Hello", "Hallo", flags=["fuzzy"]) == ["“Hello” is marked fuzzy."]


@pytest.mark.parametrize("string", ["Hallo", "Hallo %(nmae)s", "Hallo %(name)s %(name)s", "%s"])
def test_other_placeholders_are_an_error(string: str) -> None:
    assert errors_of("Hello %(name)s", string) == [
        f"“{string}” has other placeholders than “Hello %(name)s”."
    ]


def test_a_missing_plural_is_an_error() -> None:
    assert errors_of(("%(n)s card", "%(n)s cards"), ("%(n)s Karte", "")) == [
        "“%(n)s card” is not translated."
    ]


def test_a_singular_may_leave_its_number_out_where_the_source_does() -> None:
    assert errors_of(("A card", "%(n)s cards"), ("%(n)s carte", "%(n)s cartes")) == []
    assert errors_of(("A card", "%(n)s cards"), ("Eine Karte", "%(n)s Karten")) == []


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """A source of one message, with catalogues in a folder of their own."""
    monkeypatch.setattr(messages, "LOCALE", tmp_path)
    source = Catalog()
    source.add(("%(count)s gull", "%(count)s gulls"), locations=[("birds.py", 0)])
    monkeypatch.setattr(messages, "collect", lambda: source)
    call_command("messages")
    return source


def _edit(old: str, new: str) -> None:
    path = messages.po_file("de")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _translate_gulls() -> None:
    _edit('msgstr[0] ""', 'msgstr[0] "%(count)s Möwe"')
    _edit('msgstr[1] ""', 'msgstr[1] "%(count)s Möwen"')


def test_a_new_message_stands_in_the_catalogue_and_waits(small: Catalog) -> None:
    assert 'msgid "%(count)s gull"' in messages.po_file("de").read_text()
    assert list(messages.errors("de", small)) == ["“%(count)s gull” is not translated."]


def test_a_translation_that_is_not_compiled_is_an_error(small: Catalog) -> None:
    _translate_gulls()
    assert list(messages.errors("de", small)) == [
        "django.mo does not match django.po: run `manage.py messages`."
    ]


def test_a_translation_outlives_the_next_run(small: Catalog) -> None:
    _translate_gulls()
    call_command("messages")
    assert list(messages.errors("de", small)) == []


def test_nothing_changes_when_nothing_is_new(small: Catalog) -> None:
    before = messages.po_file("de").read_bytes()
    call_command("messages")
    assert messages.po_file("de").read_bytes() == before


def test_a_message_not_in_the_catalogue_is_an_error(small: Catalog) -> None:
    small.add("A crab", locations=[("crabs.py", 0)])
    assert "“A crab” of crabs.py is not in the catalogue: run `manage.py messages`." in (
        list(messages.errors("de", small))
    )


def test_a_message_that_is_said_no_more_is_an_error_and_goes(small: Catalog) -> None:
    small.delete(("%(count)s gull", "%(count)s gulls"))
    small.add("A crab", locations=[("crabs.py", 0)])
    assert "“%(count)s gull” is not in the source any more: run `manage.py messages`." in (
        list(messages.errors("de", small))
    )
    call_command("messages")
    assert "gull" not in messages.po_file("de").read_text()


def test_the_check_fails_while_something_is_missing_and_writes_nothing(
    small: Catalog,
) -> None:
    _translate_gulls()
    with pytest.raises(CommandError, match="not complete"):
        call_command("messages", "--check")
    assert list(messages.errors("de", small))


@pytest.mark.parametrize("package", [allauth, django])
def test_what_is_borrowed_from_a_package_is_said_there(package: ModuleType) -> None:
    base = Path(str(package.__file__)).parent
    locale = base / "conf" / "locale" if package is django else base / "locale"
    with (locale / "de" / "LC_MESSAGES" / "django.mo").open("rb") as file:
        theirs = {(*messages.ids(message),) for message in read_mo(file) if message.id}
    borrowed = BORROWED[package.__name__]
    assert {(text,) if isinstance(text, str) else text for text in borrowed} <= theirs


FORMS = [
    form
    for form in (*vars(web_forms).values(), AbsenceForm, RevealForm, ActionForm)
    if isinstance(form, type) and issubclass(form, forms.Form)
]


class _Form(forms.Form):
    """A field for each error that a form of the site can have without a text of our own."""

    empty = forms.CharField()
    long = forms.CharField(max_length=3)
    date = forms.DateField()
    choice = forms.ChoiceField(choices=[("a", "a")])
    low = forms.IntegerField(min_value=1)
    high = forms.IntegerField(max_value=60)
    word = forms.IntegerField()


ERRORS = {
    "de": [
        "Bitte fülle dieses Feld aus.",
        "Gib höchstens 3 Zeichen ein (es sind 5).",
        "Gib ein gültiges Datum ein.",
        "Wähle einen der angebotenen Werte: „b“ gehört nicht dazu.",
        "Gib einen Wert ein, der mindestens 1 ist.",
        "Gib einen Wert ein, der höchstens 60 ist.",
        "Gib eine ganze Zahl ein.",
    ],
    "fr": [
        "Remplissez ce champ.",
        "Saisissez au plus 3 caractères (il y en a 5).",
        "Saisissez une date valide.",
        "Choisissez l’une des valeurs proposées\u202f: «\u202fb\u202f» n’en fait pas partie.",
        "Saisissez une valeur d’au moins 1.",
        "Saisissez une valeur d’au plus 60.",
        "Saisissez un nombre entier.",
    ],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_error_of_a_form_speaks_as_the_site_does(language: str) -> None:
    sent = {"long": "abcde", "date": "x", "choice": "b", "low": "0", "high": "61", "word": "x"}
    with translation.override(language):
        assert [str(errors[0]) for errors in _Form(sent).errors.values()] == ERRORS[language]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_no_form_has_an_error_in_the_words_of_django(form: type[forms.Form]) -> None:
    """Only messages of our own catalogue, which overrides Django's."""
    own = {text for message in messages.stored("de") for text in messages.ids(message)}
    for name, field in form.base_fields.items():
        validators = [getattr(one, "message", "") for one in field.validators]
        with translation.override(None):
            said = {_english(text) for text in (*field.error_messages.values(), *validators)}
        assert said <= own | {""}, name


def _english(text: Any) -> str:
    """The message itself; the singular of one with a plural."""
    return str(vars(text).get("_kw", {}).get("singular") or text) if text else ""


# -- finding messages ------------------------------------------------------------------

EVERYTHING = """{% load i18n %}
{% translate "plain" %}|{% translate "in context" context "here" %}|{% translate "kept" as kept %}{{ kept }}
|{% blocktranslate %}block {{ a }}, 100 %{% endblocktranslate %}
|{% blocktranslate trimmed %}
    trimmed
    lines {{ a }}
{% endblocktranslate %}
|{% blocktranslate with b=a|upper %}filtered {{ b }}{% endblocktranslate %}
|{% blocktranslate count n=1 %}{{ n }} thing{% plural %}{{ n }} things{% endblocktranslate %}
|{% blocktranslate count n=2 %}{{ n }} thing{% plural %}{{ n }} things{% endblocktranslate %}
|{% blocktranslate asvar words count n=2 %}{{ n }} word{% plural %}{{ n }} words{% endblocktranslate %}{{ words }}
|{% blocktranslate context "there" %}block in context{% endblocktranslate %}
|{% blocktranslate count n=2 context "there" %}one in context{% plural %}{{ n }} in context{% endblocktranslate %}
|{{ nothing|default:_("constant") }}
"""


def shout(message: str) -> str:
    """The message in capitals, its placeholders left alone."""
    return re.sub(r"%\(\w+\)s|([a-z]+)", lambda at: at[1].upper() if at[1] else at[0], message)


def test_what_is_found_in_a_template_is_what_the_template_asks_for(
    tmp_path: Path, settings: Settings
) -> None:
    """Every message found is "translated" into capitals, and then nothing small is left."""
    catalog = messages.PlainCatalog("de", fuzzy=False)
    for message, context in messages.in_template(EVERYTHING):
        if isinstance(message, str):
            catalog.add(message, shout(message), context=context)
        else:
            catalog.add(message, tuple(map(shout, message)), context=context)
    folder = tmp_path / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "django.mo").write_bytes(messages.mo_bytes(catalog))
    settings.LOCALE_PATHS = [tmp_path]
    with translation.override("de"):
        said = engines["django"].from_string(EVERYTHING).render({"a": "A"})
    assert [part.strip() for part in said.split("|")] == [
        "PLAIN", "IN CONTEXT", "KEPT", "BLOCK A, 100 %", "TRIMMED LINES A", "FILTERED A",
        "1 THING", "2 THINGS", "2 WORDS", "BLOCK IN CONTEXT", "2 IN CONTEXT", "CONSTANT",
    ]  # fmt: skip


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(messages.ROOT)))
def test_all_that_our_templates_ask_for_is_found(path: Path, found: Catalog) -> None:
    template = engines["django"].from_string(path.read_text()).template  # type: ignore[attr-defined]
    known = {(message.context, messages.ids(message)[0]) for message in found if message.id}
    for node in template.nodelist.get_nodes_by_type(TranslateNode):
        word = node.filter_expression.var
        if getattr(word, "literal", None) is not None and not node.message_context:
            assert (None, str(word.literal)) in known
    for node in template.nodelist.get_nodes_by_type(BlockTranslateNode):
        message = node.render_token_list(node.singular)[0]
        if not node.message_context:
            assert (None, message) in known


PYTHON = """
_("one, " "in two parts", name=_("one within"), more=listed([_("deep within"), ngettext("a", "b", 2)]))
gettext_lazy("lazy")
translation.pgettext("here", "in context")
_(variable)
_(f"not {this}")
f"{_('in an f-string')}"
def _(message): ...
"""


def test_messages_in_python_are_found_wherever_they_stand() -> None:
    assert list(messages.in_python(PYTHON)) == [
        ("one, in two parts", None),
        ("one within", None),
        ("deep within", None),
        (("a", "b"), None),
        ("lazy", None),
        ("in context", "here"),
        ("in an f-string", None),
    ]


# -- nothing is forgotten --------------------------------------------------------------

NO_WORDS = {"body_class"}  # blocks that hold names for machines
SHOWN = r'\b(?:alt|title|aria-label|placeholder)="([^"]*)"'


def unmarked(source: str) -> list[str]:
    """Words of a template that would be shown as they are, in every language."""
    kept: list[str] = []
    until = ""
    for token in Lexer(source).tokenize():
        if token.token_type == TokenType.BLOCK:
            name, *rest = token.contents.split()
            if until:
                until = "" if name == until else until
            elif name in ("blocktranslate", "comment"):
                until = f"end{name}"
            elif name == "block" and rest[0] in NO_WORDS:
                until = "endblock"
            kept.append("\0")
        elif token.token_type == TokenType.TEXT and not until:
            kept.append(token.contents)
        elif not until:
            kept.append("\0")
    text = re.sub(r"<(script|style)\b.*?</\1>|<!--.*?-->", "", "".join(kept), flags=re.DOTALL)
    shown = [re.sub(r"<[^>]*>|&\w+;", "\0", text), *re.findall(SHOWN, text)]
    return [word for part in shown for word in re.findall(r"[^\W\d_]{2,}", part)]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(messages.ROOT)))
def test_a_template_says_nothing_that_cannot_be_translated(path: Path) -> None:
    assert unmarked(path.read_text()) == []


# -- words that are typed --------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_item_may_be_written_as_it_is_read(language: str) -> None:
    with translation.override(language):
        for item in ITEMS:
            for word in (name := say(ITEM_NAMES[item]).lower(), name[:3]):
                assert items_named(word) == (item,), word


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_that_the_notation_help_names_are_understood(language: str) -> None:
    with translation.override(language):
        help_line = say(notation.help_lines()[-1])
    named = [
        word for part in re.findall(r"\(([^)]*)\)", help_line) for word in re.split("[,;] ", part)
    ]
    items, keywords = named[: len(ITEMS)], named[len(ITEMS) : len(ITEMS) + 4]
    assert [items_named(*VOCABULARY.words(word)) for word in items] == [(i,) for i in ITEMS]
    meant = [VOCABULARY.keyword[VOCABULARY.words(word)[0]] for word in keywords]
    assert meant == ["pay", "bridge", "buy", "pass"]


ESCAPE_WORDS = [
    "sink",
    "roll",
    "sail",
    "ship",
    "swim",
    "isle",
    "dolphin",
    "wind",
    "move",
    "serpent",
    "shark",
    "whale",
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_that_the_help_of_escape_names_are_understood(language: str) -> None:
    with translation.override(language):
        help_line = say(writing.help_lines()[-1])
    named = re.findall(r"\(([^)]*)\)", help_line)[0].split(", ")
    tokens = [vocabulary.VOCABULARY.words(word)[0] for word in named]
    assert [vocabulary.VOCABULARY.keyword[token] for token in tokens] == ESCAPE_WORDS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_of_replies_are_understood_as_they_are_named(language: str) -> None:
    with translation.override(language):
        named = [line.partition(":")[0].strip() for line in answers.commands_help()[1:]]
    show, legal, preview, speak, note, mails, resign, help_ = named
    off, on = mails.split(", ")
    spoken = [f"{word}: Ahoi" for word in (speak, note)]
    given = (show, legal, f"{preview.split()[0]} A", *spoken)
    assert [commands.parse(line.strip()) for line in (*given, off, on, resign, help_)] == [
        commands.Show(),
        commands.Legal(),
        commands.Preview("A"),
        commands.Say("Ahoi"),
        commands.Note("Ahoi"),
        commands.SwitchMail(on=False),
        commands.SwitchMail(on=True),
        commands.Resign(),
        commands.Help(),
    ]


LABELS = {
    "Note on this move": ("%s: Ahoi", commands.Note("Ahoi")),
    "note": ("%s: Ahoi", commands.Note("Ahoi")),
    "Preview": ("%s A", commands.Preview("A")),
    "Rules": ("%s", commands.Rules()),
    "Resign": ("%s", commands.Resign()),
}


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_a_command_may_be_called_as_its_label_on_the_pages_is(language: str) -> None:
    with translation.override(language):
        for label, (line, command) in LABELS.items():
            assert commands.parse(line % translation.gettext(label).split()[0]) == command, label
        for label in ("Note on this move", "note"):
            noun = translation.gettext(label).split()[0]
            assert commands.split_talk(f"B flag, {noun}: Ahoi") == ("B flag", commands.Note("Ahoi"))
        seat = translation.gettext("Take my seat back")
        assert commands.parse(seat) == commands.TakeBack()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_an_email_is_a_command_where_it_is_quoted(language: str) -> None:
    texts = [
        text
        for message in messages.stored(language)
        if any(file.startswith("templates/mail/") for file, _line in message.locations)
        for text in (*messages.ids(message), *messages.forms(message))
    ]
    assert len(texts) > 200
    for text in texts:
        for quoted in (text, f"> {text}"):
            assert isinstance(commands.parse(quoted), commands.Move | commands.Answer), quoted


# -- noun phrases ----------------------------------------------------------------------

STEERED = {
    "de": ("bewegt eine Seeschlange von", "bewegt einen Hai von", "bewegt einen Wal von"),
    "fr": ("déplace un serpent de mer", "déplace un requin", "déplace une baleine"),
}
NOT_STEERED = {
    "de": ("bewegt keine Seeschlange.", "bewegt keinen Hai.", "bewegt keinen Wal."),
    "fr": ("ne déplace pas de serpent de mer.", "ne déplace pas de requin.", "pas de baleine."),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_creature_has_its_article_in_the_log(language: str) -> None:
    start, end = BY_NAME["D4"], BY_NAME["D6"]
    with translation.override(language):
        for creature, moved, stayed in zip(
            CREATURES, STEERED[language], NOT_STEERED[language], strict=True
        ):
            said, kept = (
                sentence(Steered(0, creature, start, (end,))),
                sentence(Steered(0, creature)),
            )
            assert said is not None
            assert kept is not None
            assert moved in say(said)
            assert say(kept).endswith(stayed)


# -- pages and emails -------------------------------------------------------------------


@pytest.fixture(params=LANGUAGES)
def reader(request: pytest.FixtureRequest, db: None) -> User:
    """Somebody who reads German or French."""
    return person("Noa", language=request.param, time_zone="Europe/Paris")


@pytest.fixture
def signed_in(reader: User, client: Client) -> Client:
    client.force_login(reader)
    return client


def assert_said_in(language: str, text: str, *words: str) -> None:
    assert english_in(text, language) == []
    assert unspaced_punctuation(text, language) == []
    for word in words:
        assert word in text


PAGES = (
    "/",
    "/new/",
    "/rules/",
    "/settings/",
    "/settings/mails/",
    "/about/",
    "/rules/atlantis/",
    "/accounts/email/",
)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_nothing_in_english(path: str, signed_in: Client, reader: User) -> None:
    answer = signed_in.get(path, follow=True)
    assert answer.status_code == 200
    page = answer.content.decode()
    assert f'<html lang="{reader.language}"' in page
    assert_said_in(reader.language, readable(page))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stranger_is_greeted_in_the_language_of_the_browser(
    language: str, client: Client, db: None
) -> None:
    for path in ("/", "/accounts/login/"):
        page = client.get(path, headers={"accept-language": language}).content.decode()
        assert_said_in(language, readable(page))


def test_the_table_asks_for_a_move_in_the_readers_language(
    signed_in: Client, reader: User, bob: User
) -> None:
    game = table_of(reader, bob)
    play_turns(game, 8)
    page = signed_in.get(f"/g/{game.public_id}/").content.decode()
    question = {"de": "Welche Figur zieht?", "fr": "Quel pion avance\u202f?"}[reader.language]
    events = {"de": " spielt ", "fr": " joue "}[reader.language]
    help_ = {"de": "So schreibst du einen Zug", "fr": "Comment écrire un coup"}[reader.language]
    assert_said_in(reader.language, readable(page), question, events, help_)
    rules = signed_in.get("/rules/atlantis/").content.decode()
    lines = {"de": "Schreibe die Figur", "fr": "Écrivez le pion"}[reader.language]
    assert_said_in(reader.language, readable(rules), lines)


def test_a_finished_table_is_described_in_the_readers_language(
    signed_in: Client, reader: User, bob: User
) -> None:
    game = play_to_the_end(table_of(reader, bob))
    page = signed_in.get(f"/g/{game.public_id}/").content.decode()
    won = {"de": "Das Endergebnis", "fr": "Le score final"}[reader.language]
    assert_said_in(reader.language, readable(page), won)
    assert_said_in(reader.language, _mail_of(row_for(game, Kind.OVER, reader)))


def _mail_of(row: OutboxMail) -> str:
    mail = written(row)
    assert mail.html and mail.text
    return f"{mail.text}\n{mail.words}"


def test_a_turn_email_speaks_the_readers_language(reader: User, bob: User) -> None:
    game = table_of(bob, reader)
    play_turns(game, 7)
    if game.seats.get(user=reader).asked_at is None:
        play_one(game)
    mail = _mail_of(row_for(game, Kind.TURN, reader))
    turn = {"de": "Ziehe mit einer deiner Figuren", "fr": "Déplacez un de vos pions"}[
        reader.language
    ]
    flag = {"de": "fah", "fr": "dra"}[reader.language]  # on the board in letters
    assert_said_in(reader.language, mail, turn, flag)


def test_escape_is_played_in_the_readers_language(
    signed_in: Client, reader: User, bob: User
) -> None:
    game = play_turns(escape_table(reader, bob), 45)
    page = signed_in.get(f"/g/{game.public_id}/").content.decode()
    sank = {"de": " sinkt", "fr": " coule"}[reader.language]
    assert_said_in(reader.language, readable(page), sank)
    mail = _mail_of(row_for(game, Kind.TURN, reader))
    board = {"de": " im Spiel, ", "fr": "sur le plateau"}[reader.language]
    assert_said_in(reader.language, mail, board)


@pytest.mark.parametrize("text", ["legal", "show words", "status", "rules"])
@pytest.mark.parametrize("table", [table_of, escape_table])
def test_an_answer_to_a_reply_speaks_the_readers_language(
    replies: Settings, reader: User, bob: User, table: Callable[[User, User], Game], text: str
) -> None:
    post = Post(table(reader, bob), reader)
    post.write(text)
    answer = post.answer()
    assert_said_in(reader.language, f"{answer.text}\n{answer.words}")


def test_the_first_email_of_a_game_speaks_the_readers_language(reader: User, bob: User) -> None:
    game = table_of(bob, reader)
    begun = {"de": "hat begonnen", "fr": "a commencé"}[reader.language]
    mail = _mail_of(row_for(game, Kind.STARTED, reader))
    assert_said_in(reader.language, mail, begun)


def test_a_refusal_is_in_the_readers_language(reader: User, bob: User) -> None:
    game = table_of(bob, reader, seats=3)
    with translation.override(reader.language), pytest.raises(services.ServiceError) as refused:
        services.game_start(game_id=game.pk, by=reader)
    assert english_in(str(refused.value), reader.language) == []


def test_the_languages_that_can_be_chosen_are_those_of_the_settings() -> None:
    assert [code for code, _name in settings.LANGUAGES] == ["en", *LANGUAGES]
