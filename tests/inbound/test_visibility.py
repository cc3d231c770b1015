"""Text that the writer struck out, or that nobody sees, is never read."""

from email.message import EmailMessage

import pytest

from games.inbound import mime, reply_parser
from games.inbound.html_text import Page
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
    "display:none": style("display : none"),
    "visibility": style("visibility:hidden"),
    "hidden": f"<div hidden>{WRONG}</div>",
    "font-size:0": style("font-size:0px"),
    "size relative to nothing": f'<div style="font-size:0"><p style="font-size:2em">{WRONG}</p></div>',
    "mso-hide": style("mso-hide:all"),
    "template": f"<template>{WRONG}</template>",
    "script": f"<script>{WRONG}</script>",
    "title": f"<title>{WRONG}</title>",
    "processing instruction": f"<?xml {WRONG} ?>",
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_surely_struck_or_hidden_is_left_out(name: str) -> None:
    assert reply_parser.read(mail(f"{UNSEEN[name]}<p>B flag</p>")) == reply_parser.written("B flag")
    assert reply_parser.read(mail(UNSEEN[name])) == Reply()


@pytest.mark.parametrize("name", UNSEEN)
def test_a_plain_text_without_the_styles_does_not_bring_it_back(name: str) -> None:
    found = reply_parser.read(mail(f"{UNSEEN[name]}<p>B flag</p>", f"{WRONG}\n\nB flag\n"))
    assert found.line == "B flag" or found.problem is Problem.DIFFERS


DOUBTFUL = {
    "class": sheet(".x{text-decoration:line-through}"),
    "class among others": sheet("p, div.Y.X:hover{text-decoration:line-through}", 'class="a x y"'),
    "class in a comment": sheet("<!-- .x{text-decoration:line-through} -->"),
    "id": sheet("#y{display:none}", 'id="y"'),
    "descendant": f"<style>td span{{display:none}}</style><table><tr><td><span>{WRONG}</span>"
    "</td></tr></table>",
    "attribute": sheet('[data-a="1"]{visibility:hidden}', 'data-a="1"'),
    "every element": sheet("div > *{opacity:0}"),
    "pseudo-class": sheet(":nth-child(odd){display:none}"),
    "element": sheet("div{color:white}"),
    "nested rule": sheet("div{&.x{display:none}}"),
    "comment in a rule": sheet(".x{display:/**/none}"),
    "escape in a rule": sheet(r".x{d\69splay:none}"),
    "media": sheet("@media screen and (min-width:1px){.x{display:none}}"),
    "important sheet": f"<style>.x{{display:none !important}}</style>"
    f'<div class="x" style="display:block">{WRONG}</div>',
    "later rule": sheet(".x{display:block} div.x{display:none} .x{display:block}"),
    "comment": style("display:/**/none"),
    "escape": style(r"d\69splay:none"),
    "twice": style("display:none;display:nothing"),
    "aria-hidden": f'<span aria-hidden="true">{WRONG}</span><br>',
    "font-size:1px": style("font-size:1px"),
    "font shorthand": style("font: 0/0 a"),
    "opacity": style("opacity: 0.0"),
    "opacity in per cent": style("opacity:0%"),
    "white on white": style("color:#FFF"),
    "white on white by name": style("color: white; background: #ffffff url(x.png)"),
    "nearly white": style("color:rgb(250, 252, 255)"),
    "white in per cent": style("color:rgb(100% 100% 100%)"),
    "black on black": style("background-color:#000;color:#000000"),
    "font tag": f'<font color="#ffffff">{WRONG}</font><br>',
    "bgcolor": f'<table bgcolor="#123456"><tr><td style="color:#123456">{WRONG}</td></tr></table>',
    "transparent": style("color:transparent"),
    "alpha": style("color:rgba(0,0,0,0)"),
    "alpha in eight digits": style("color:#00000000"),
    "another colour space": style("color:hsl(0 0% 100%)"),
    "fill": style("-webkit-text-fill-color:transparent;color:#000"),
    "off-screen": style("position:absolute;left:-9999px"),
    "off-screen above": style("position:fixed;top:-200em"),
    "text-indent": style("text-indent:-9999px"),
    "margin": style("margin: 0 0 0 -5000px"),
    "calculated": style("margin-left: calc(0px - 100vw)"),
    "transform": style("transform:translateX(-9999px)"),
    "scale": style("transform: scale(0)"),
    "clip": style("position:absolute;clip:rect(0 0 0 0)"),
    "clip-path": style("clip-path:inset(50%)"),
    "details": f"<details><summary>Old</summary>{WRONG}</details>",
    "no size": style("width:0;height:0;overflow:hidden"),
    "preheader": style("max-height:0;overflow:hidden"),
    "zero table": f'<table width="0" height="0"><tr><td>{WRONG}</td></tr></table>',
    "zero table by style": f'<table style="height:0;width:0"><tr><td>{WRONG}</td></tr></table>',
    "dialog": f"<dialog>{WRONG}</dialog>",
    "noscript": f"<noscript>{WRONG}</noscript>",
    "right to left": f'<bdo dir="rtl">{WRONG}</bdo><br>',
    "text area": f"<textarea>{WRONG}</textarea><br>",
    "selection": f"<select><option>{WRONG}</option></select><br>",
    "button": f"<button>{WRONG}</button><br>",
    "data list": f"<datalist><option>{WRONG}</option></datalist><br>",
    "picture": f"<svg><text>{WRONG}</text></svg><br>",
    "an element that nobody knows": f"<x-move>{WRONG}</x-move><br>",
    "meter": f"<meter>{WRONG}</meter><br>",
}


@pytest.mark.parametrize("name", DOUBTFUL)
@pytest.mark.parametrize("plain", [None, f"{WRONG}\n\nB flag\n", "B flag\n"])
def test_about_what_may_be_struck_or_hidden_we_ask(name: str, plain: str | None) -> None:
    found = reply_parser.read(mail(f"{DOUBTFUL[name]}<p>B flag</p>", plain))
    assert found == Reply(problem=Problem.STYLED)


@pytest.mark.parametrize("name", [name for name in DOUBTFUL if "<style>" not in DOUBTFUL[name]])
def test_what_is_doubtful_below_the_first_own_line_does_not_count(name: str) -> None:
    assert reply_parser.read(mail(f"<p>B flag</p>{DOUBTFUL[name]}<p>Bye</p>")).line == "B flag"


def test_a_word_of_a_line_that_may_be_hidden_makes_the_line_doubtful() -> None:
    found = reply_parser.read(mail("<p>A flag <button>helmet</button> ring</p>"))
    assert found.problem is Problem.STYLED


SEEN = {
    "plain": "<p>B flag</p>",
    "a link that is no URL": '<style>a:local-link{color:red}</style><a href="//[">B flag</a>',
    "the last of many lines": "<style>p:last-child{color:red}</style><p>B flag</p>"
    + "<p>Thanks</p>" * 1100,
    "bold": "<p><b>B</b> <i>flag</i></p>",
    "black": '<p style="color:#000000;background:white">B flag</p>',
    "made visible": '<div style="visibility:hidden"><p style="visibility:visible">B flag</p></div>',
    "reset size": '<td style="font-size:0"><span style="font-size:14px">B flag</span></td>',
    "unused class": "<style>.y{display:none}</style><p class='x'>B flag</p>",
    "unused class of this element": "<style>p.y{display:none}</style><p class='x'>B flag</p>",
    "underlined": '<p style="text-decoration:underline">B flag</p>',
    "broken style": '<p style="}{;;color:;display:none-such!">B flag</p>',
    "outlook": "<style>/* Style */ p.MsoNormal{margin:0cm;font-size:11.0pt;font-family:Aptos}"
    "a:link{color:#0563C1}</style>"
    '<p class="MsoNormal"><span style="mso-fareast-language:EN-US">B flag<o:p></o:p></span></p>',
    "list of Outlook": '<p style="margin-left:36.0pt;text-indent:-18.0pt;margin-bottom:.0001pt">'
    "B flag</p>",
    "inserted": "<p><ins>B flag</ins></p>",
    "strong colour": '<font color="red">B flag</font>',
    "highlighted": '<span style="background:yellow;color:rgb(0, 0, 0)">B flag</span>',
    "dark grey": '<span style="color:rgba(33, 37, 41, 0.9)">B flag</span>',
}


@pytest.mark.parametrize("name", SEEN)
def test_what_is_seen_is_read(name: str) -> None:
    assert reply_parser.read(mail(SEEN[name])).line == "B flag"


def test_a_struck_word_is_left_out_of_its_line() -> None:
    html = "<div>B flag <s>helmet</s> ring</div>"
    assert list(Page(html).lines()) == ["B flag ring"]
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


@pytest.mark.django_db
@pytest.mark.usefixtures("replies")
@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<p>C olive</p>", "two versions of your text, and they differ"),
        ("<p style='opacity:0'>C olive</p>", "may hide or strike out"),
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
    answer = one_line(Post(game, alice).answer().text)
    assert reason in answer
    assert "plain text" in answer
    assert "Make your move on this page:" in answer
