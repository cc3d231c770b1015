"""Text that the writer struck out, or that nobody sees, is never read."""

from email.message import EmailMessage

import pytest

from games.inbound import html_text, mime, reply_parser
from games.inbound.reply_parser import Problem, Reply
from games.models import Game, User
from tests.factories import log_of, table_of
from tests.support.replies import Outcome, Post, address_of, arrive, line_of, one_line

WRONG = "C olive"


def mail(html: str, plain: str | None = None) -> mime.ParsedMail:
    message = EmailMessage()
    message["From"] = "bob@example.org"
    if plain is None:
        message.set_content(html, subtype="html")
    else:
        message.set_content(plain)
        message.add_alternative(html, subtype="html")
    return mime.read(message.as_bytes())


def style(css: str) -> str:
    return f'<div style="{css}">{WRONG}</div>'


def sheet(css: str, attribute: str = 'class="x"') -> str:
    return f"<style>{css}</style><div {attribute}>{WRONG}</div>"


UNSEEN = {
    "s": f"<s>{WRONG}</s>",
    "del": f"<del>{WRONG}</del>",
    "strike": f"<p><strike>{WRONG}</strike></p>",
    "nested s": f"<s><b><i>{WRONG}</i></b></s>",
    "line-through": style("text-decoration: line-through"),
    "line-through with colour": style("text-decoration: red LINE-THROUGH wavy"),
    "text-decoration-line": style("text-decoration-line:underline line-through"),
    "important line-through": style("text-decoration:line-through!important"),
    "class": sheet(".x{text-decoration:line-through}"),
    "class in a comment": sheet("<!-- .x{text-decoration:line-through} -->"),
    "id": sheet("#y{display:none}", 'id="y"'),
    "descendant": f"<style>td span{{display:none}}</style><table><tr><td><span>{WRONG}</span>"
    "</td></tr></table>",
    "attribute": sheet('[data-a="1"]{visibility:hidden}', 'data-a="1"'),
    "media": sheet("@media screen and (min-width:1px){.x{display:none}}"),
    "important sheet": f"<style>.x{{display:none !important}}</style>"
    f'<div class="x" style="display:block">{WRONG}</div>',
    "later rule": sheet(".x{display:block} div.x{display:none} .x{display:block}"),
    "display:none": style("display : none"),
    "visibility": style("visibility:hidden"),
    "hidden": f"<div hidden>{WRONG}</div>",
    "aria-hidden": f'<span aria-hidden="true">{WRONG}</span><br>',
    "font-size:0": style("font-size:0px"),
    "font-size:1px": style("font-size:1px"),
    "font shorthand": style("font: 0/0 a"),
    "opacity": style("opacity: 0.0"),
    "opacity in per cent": style("opacity:0%"),
    "white on white": style("color:#FFF"),
    "white on white by name": style("color: white; background: #ffffff url(x.png)"),
    "nearly white": style("color:rgb(250, 252, 255)"),
    "black on black": style("background-color:#000;color:#000000"),
    "font tag": f'<font color="#ffffff">{WRONG}</font><br>',
    "bgcolor": f'<table bgcolor="#123456"><tr><td style="color:#123456">{WRONG}</td></tr></table>',
    "transparent": style("color:transparent"),
    "alpha": style("color:rgba(0,0,0,0)"),
    "fill": style("-webkit-text-fill-color:transparent;color:#000"),
    "off-screen": style("position:absolute;left:-9999px"),
    "off-screen above": style("position:fixed;top:-200em"),
    "text-indent": style("text-indent:-9999px"),
    "margin": style("margin: 0 0 0 -5000px"),
    "transform": style("transform:translateX(-9999px)"),
    "scale": style("transform: scale(0)"),
    "clip": style("position:absolute;clip:rect(0 0 0 0)"),
    "clip-path": style("clip-path:inset(50%)"),
    "mso-hide": style("mso-hide:all"),
    "details": f"<details><summary>Old</summary>{WRONG}</details>",
    "details with a block": f"<details><summary>Old</summary><p>{WRONG}</p></details>",
    "no size": style("width:0;height:0;overflow:hidden"),
    "preheader": style("max-height:0;overflow:hidden"),
    "zero table": f'<table width="0" height="0"><tr><td>{WRONG}</td></tr></table>',
    "zero table by style": f'<table style="height:0;width:0"><tr><td>{WRONG}</td></tr></table>',
    "template": f"<template>{WRONG}</template>",
    "dialog": f"<dialog>{WRONG}</dialog>",
    "noscript": f"<noscript>{WRONG}</noscript>",
    "right to left": f'<bdo dir="rtl">{WRONG}</bdo><br>',
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_struck_or_hidden_is_not_read(name: str) -> None:
    assert reply_parser.read(mail(f"{UNSEEN[name]}<p>B flag</p>")).line in ("B flag", "Old")
    assert WRONG not in reply_parser.read(mail(UNSEEN[name])).line


@pytest.mark.parametrize("name", UNSEEN)
def test_a_plain_text_without_the_styles_does_not_bring_it_back(name: str) -> None:
    found = reply_parser.read(mail(f"{UNSEEN[name]}<p>B flag</p>", f"{WRONG}\n\nB flag\n"))
    assert found.line in ("B flag", "Old") or found.problem is Problem.DIFFERS


@pytest.mark.parametrize(
    "css",
    [
        "p," * 3000 + "p{color:red}",
        "a " * 60 + "p{color:red}",
        ":is(" + "a," * 60 + "a){color:red}",
        f"{':is(' * 999}a{')' * 999}{{color:red}}",
        f"p{{color:{'(' * 5000}}}",
        f"@media {'(' * 3000}{')' * 3000}{{p{{color:red}}}}",
    ],
)
@pytest.mark.parametrize("plain", ["", "B flag\n"])
def test_beside_more_style_sheets_than_are_worked_out_nothing_is_read(css: str, plain: str) -> None:
    found = reply_parser.read(mail(f"<style>{css}</style><p>B flag</p>", plain))
    assert found == Reply("", problem=Problem.STYLED)


def test_in_a_style_that_nests_too_deeply_nothing_is_read() -> None:
    found = reply_parser.read(mail(f'<p style="color:{"(" * 5000}">B flag</p>'))
    assert found.problem is Problem.STYLED


SEEN = {
    "plain": "<p>B flag</p>",
    "a colour without numbers": '<p style="background:color()">B flag</p>',
    "a selector that cssselect2 does not know": "<style>[*|x]{color:red}</style><p>B flag</p>",
    "a link that is no URL": '<style>a:local-link{color:red}</style><a href="//[">B flag</a>',
    "the last of many lines": "<style>p:last-child{color:red}</style><p>B flag</p>"
    + "<p>Thanks</p>" * 1100,
    "bold": "<p><b>B</b> <i>flag</i></p>",
    "black": '<p style="color:#000000;background:white">B flag</p>',
    "white on dark": '<body bgcolor="#202020" text="#ffffff"><p>B flag</p></body>',
    "white on a dark block": '<div style="background:#222"><p style="color:white">B flag</p></div>',
    "reset size": '<td style="font-size:0"><span style="font-size:14px">B flag</span></td>',
    "made visible": '<div style="visibility:hidden"><p style="visibility:visible">B flag</p></div>',
    "open details": "<details open><summary></summary><p>B flag</p></details>",
    "unused class": "<style>.y{display:none}</style><p class='x'>B flag</p>",
    "print only": "<style>@media print{p{display:none}}</style><p>B flag</p>",
    "underlined": '<p style="text-decoration:underline">B flag</p>',
    "broken style": '<p style="}{;;color:;display:none!">B flag</p>',
    "outlook": "<style>p.MsoNormal{margin:0cm;font-size:11.0pt;font-family:Aptos}</style>"
    '<p class="MsoNormal"><span style="mso-fareast-language:EN-US">B flag</span></p>',
    "inserted": "<p><ins>B flag</ins></p>",
    "strong colour": '<font color="red">B flag</font>',
}


@pytest.mark.parametrize("name", SEEN)
def test_what_is_seen_is_read(name: str) -> None:
    assert reply_parser.read(mail(SEEN[name])).line == "B flag"


def test_a_struck_word_is_left_out_of_its_line() -> None:
    html = "<div>B flag <s>helmet</s> ring</div>"
    assert html_text.lines_of(html) == ["B flag ring"]
    assert reply_parser.read(mail(html, "B flag helmet ring\n")).line == "B flag ring"


@pytest.mark.parametrize("struck", ["C\u0336 \u0336o\u0336l\u0336i\u0336v\u0336e\u0336 B flag"])
def test_letters_under_combining_strokes_are_struck_out(struck: str) -> None:
    assert reply_parser.read(mail("", f"{struck}\n")).line.strip() == "B flag"


def test_a_line_that_a_program_broke_in_the_plain_text_is_whole_in_the_html() -> None:
    found = reply_parser.read(mail("<div>B flag pay 3 and 2</div>", "B flag pay\n3 and 2\n"))
    assert (found.line, found.problem) == ("B flag pay 3 and 2", None)


@pytest.mark.parametrize(
    ("html", "plain"),
    [
        ("<p>B flag</p>", "C olive\n"),
        ("<p>B flag</p>", "B flag pay 3\n"),
        ("<p>B flag pay 3</p>", "B flag\n"),
        ("<p style='display:none'>B flag</p>", "C olive\n"),
        ("<blockquote>C olive</blockquote>", "C olive\n"),
    ],
)
def test_two_versions_that_differ_are_noticed(html: str, plain: str) -> None:
    assert reply_parser.read(mail(html, plain)).problem is Problem.DIFFERS


def test_style_sheets_cannot_slow_the_reading_down() -> None:
    rules = "".join(f"div div.a{n} > p:not(.b){{display:none}}" for n in range(3000))
    html = f"<style>{rules}</style>" + "<div class='a1'><p>x" * 3000
    html_text.lines_of(html[:250_000])


@pytest.mark.django_db
@pytest.mark.usefixtures("replies")
@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<p>C olive</p>", "two versions of your text, and they differ"),
        (f"<style>{'p,' * 3000}p{{color:red}}</style>", "more formatting than we can read"),
    ],
)
def test_what_nobody_can_read_is_answered_with_why(
    html: str, reason: str, alice: User, bob: User
) -> None:
    game: Game = table_of(alice, bob)
    to, version = address_of(game, alice), log_of(game).version
    message = EmailMessage()
    message["Authentication-Results"] = "mx.example.org; dmarc=pass header.from=example.org"
    message["From"], message["To"] = alice.email, to
    message.set_content(f"{line_of(game)}\n")
    message.add_alternative(html, subtype="html")
    row = arrive(message.as_bytes(), to)
    assert row.outcome == Outcome.REFUSED
    assert log_of(game).version == version
    answer = Post(game, alice).answer().text
    assert reason in one_line(answer)
    assert "plain text" in one_line(answer)
