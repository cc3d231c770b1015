"""Emails that are made to cost their reader much time or memory."""

import random

SIZE = 512 * 1024  # bytes that are stored of an email


def plain(text: str) -> bytes:
    return f"From: bob@example.org\nContent-Type: text/plain\n\n{text}".encode()[:SIZE]


def html(text: str) -> bytes:
    return f"From: bob@example.org\nContent-Type: text/html\n\n{text}".encode()[:SIZE]


def both(text: str, page: str) -> bytes:
    return (
        'From: bob@example.org\nContent-Type: multipart/alternative; boundary="x"\n\n'
        f"--x\nContent-Type: text/plain\n\n{text}\n--x\nContent-Type: text/html\n\n{page}\n--x--\n"
    ).encode()


def styled(declarations: int, elements: int) -> str:
    return f"<style>p{{{'top:1;' * declarations}}}</style>{'<p>a' * elements}"


NTH = "<style>p:nth-child(odd):nth-last-child(even) ~ p{}</style>"
POISONOUS = {
    "500 declarations": html(styled(500, 5_000)),
    "2,000 declarations": html(styled(2_000, 20_000)),
    "3,000 declarations": html(styled(3_000, 25_000)),
    "9,900 declarations": html(styled(9_900, 48_000)),
    "nth-child": both("B flag", NTH + "<p>a" * 60_000),
    "elements": both("B flag", "<p>a" * 60_000),
    "addresses": plain(("<" + "@" * 1899 + "\n") * 134),
    "elements that hide": both("B flag", '<p style="opacity:0;color:#fff">a' * 14_000),
    "one long style": html(f'<p style="{"color:#fff;" * 40_000}">a'),
    "one long list of classes": html(f'<style>.a{{opacity:0}}</style><p class="{"a " * 90_000}">a'),
    "blocks in blocks": html("<div><s>" * 60_000 + "a"),
    "digits": html(f'<p style="width:{"0" * 400_000}x;font:{" 0" * 50_000}">a'),
}


PIECES = [
    "<p>",
    "<b>",
    "<s>",
    "<div>",
    "</div>",
    "<table><tr><td>",
    "<blockquote>",
    "&amp;",
    "<!--",
    "<style>",
    "</style>",
    "p{top:1;",
    "p,",
    "*",
    "opacity:0;",
    "rgb(",
    "width:0;",
    "\u0336",
    ":nth-child(odd) ~ ",
    '<p style="color:#fff;',
    '<p class="',
    '">',
    "-----BEGIN PGP ",
    "On a wrote:",
    "From: x\n",
    "--\n",
    "wrote ",
    " ",
    "\n",
    "a",
    "-",
    "(",
    "=?",
    "}",
    "/*",
    "<@",
    "@",
    ">",
]


def poisonous(dice: random.Random) -> bytes:
    """Many times something that parsers or patterns may follow again and again."""
    text = ""
    for _run in range(dice.randint(1, 6)):
        some = "".join(dice.choices(PIECES, k=dice.randint(1, 4)))
        text += some * (dice.randint(1_000, 200_000) // len(some))
    kind = dice.choice((plain, html, lambda page: both("B flag", page)))
    return kind(text)[:SIZE]
