"""Replies as the usual mail programs build them: attributions, quotations, signatures and parts.

The email quoted in all of them contains a line that is a move, as a trap; our own emails never
contain such a line.
"""

import base64
import quopri
from dataclasses import dataclass
from html import escape

TO = "move+abcdefghijkl.1.17.aaaabbbbccccddddeeee@reply.example.org"
TRAP = "C statue"
ORIGINAL = [
    "-=-=- Answer above this line -=-=-",
    "",
    "Hello Bob,",
    "",
    "It is your turn in Round the mainland.",
    "",
    "Your time runs until Monday, 9 November, 10:12 (Europe/Berlin)",
    "",
    "Since your last move",
    "",
    "| Alice plays flag and helmet: figure B goes from space 3 to space 17",
    "| and takes olive 4.",
    "",
    TRAP,
    "",
    "Your hand",
    "",
    "  2 × flag",
    "  1 × helmet",
    "",
    "-- ",
    "Atlantis by Mail",
    "http://games.example.org",
]
US = "Atlantis by Mail"
ADDRESS = "games@example.org"


@dataclass(frozen=True)
class Words:
    """The words of a program in one language."""

    gmail: str
    gmail_phone: str
    thunderbird: str
    apple: str
    yahoo: str
    head: tuple[str, str, str, str]  # From, Sent, To, Subject
    when: str
    divider: str
    iphone: str
    k9: str
    outlook_phone: str
    yahoo_phone: str


SPEECH = {
    "en": Words(
        gmail=f"On Fri, Nov 6, 2026 at 10:12 AM {US} <{ADDRESS}>\nwrote:",
        gmail_phone=f"On Fri, 6 Nov 2026, 10:12 {US}, <{ADDRESS}> wrote:",
        thunderbird=f"On 11/6/26 10:12, {US} wrote:",
        apple=f"On Nov 6, 2026, at 10:12 AM, {US} <{ADDRESS}> wrote:",
        yahoo=f"On Friday, November 6, 2026 at 10:12:44 AM GMT+1, {US} <{ADDRESS}> wrote:",
        head=("From", "Sent", "To", "Subject"),
        when="Friday, November 6, 2026 10:12 AM",
        divider="-----Original Message-----",
        iphone="Sent from my iPhone",
        k9="Sent from my Android device with K-9 Mail. Please excuse my brevity.",
        outlook_phone="Get Outlook for iOS<https://aka.ms/o0ukef>",
        yahoo_phone="Sent from Yahoo Mail on Android",
    ),
    "de": Words(
        gmail=f"Am Fr., 6. Nov. 2026 um 10:12 Uhr schrieb {US} <\n{ADDRESS}>:",
        gmail_phone=f"{US} <{ADDRESS}> schrieb am Fr., 6. Nov. 2026, 10:12:",
        thunderbird=f"Am 06.11.26 um 10:12 schrieb {US}:",
        apple=f"Am 06.11.2026 um 10:12 schrieb {US} <{ADDRESS}>:",
        yahoo=f"Am Freitag, 6. November 2026 um 10:12:44 MEZ hat {US} <{ADDRESS}> Folgendes"
        " geschrieben:",
        head=("Von", "Gesendet", "An", "Betreff"),
        when="Freitag, 6. November 2026 10:12",
        divider="-----Ursprüngliche Nachricht-----",
        iphone="Von meinem iPhone gesendet",
        k9="Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
        outlook_phone="Outlook für iOS<https://aka.ms/o0ukef> beziehen",
        yahoo_phone="Von Yahoo Mail auf Android gesendet",
    ),
    "fr": Words(
        gmail=f"Le ven. 6 nov. 2026 à 10:12, {US} <{ADDRESS}> a\nécrit\u00a0:",
        gmail_phone=f"Le ven. 6 nov. 2026 à 10:12, {US} <{ADDRESS}> a écrit\u00a0:",
        thunderbird=f"Le 06/11/2026 à 10:12, {US} a écrit\u00a0:",
        apple=f"Le 6 nov. 2026 à 10:12, {US} <{ADDRESS}> a écrit\u00a0:",
        yahoo=f"Le vendredi 6 novembre 2026 à 10:12:44 UTC+1, {US} <{ADDRESS}> a écrit\u00a0:",
        head=("De\u00a0", "Envoyé\u00a0", "À\u00a0", "Objet\u00a0"),
        when="vendredi 6 novembre 2026 10:12",
        divider="-----Message d'origine-----",
        iphone="Envoyé de mon iPhone",
        k9="Envoyé de mon appareil Android avec K-9 Mail. Veuillez excuser ma brièveté.",
        outlook_phone="Télécharger Outlook pour iOS<https://aka.ms/o0ukef>",
        yahoo_phone="Envoyé depuis Yahoo Mail pour Android",
    ),
}


# -- bodies --------------------------------------------------------------------------------


def quoted(lines: list[str] = ORIGINAL) -> str:
    """Each line behind a mark."""
    return "\n".join(f"> {line}".rstrip() for line in lines)


def bare(lines: list[str] = ORIGINAL) -> str:
    return "\n".join(lines)


def as_html(lines: list[str] = ORIGINAL) -> str:
    return "<br>\n".join(escape(line) for line in lines)


def paragraphs(text: str, attributes: str = "") -> str:
    return "\n".join(
        f"<div{attributes}>{escape(line) or '<br>'}</div>" for line in text.split("\n")
    )


def head_block(words: Words, mark: str = "") -> str:
    """Outlook's head of the email that is answered."""
    values = (f"{US} <{ADDRESS}>", words.when, "bob@example.org", "Atlantis: Round the mainland")
    return "\n".join(
        f"{mark}{name}:{mark} {value}" for name, value in zip(words.head, values, strict=True)
    )


# -- emails ---------------------------------------------------------------------------------


def encoded(text: str, way: str, charset: str) -> tuple[str, bytes]:
    """(Content-Transfer-Encoding, body)."""
    data = text.replace("\n", "\r\n").encode(charset)
    if way == "base64":
        return way, base64.encodebytes(data).replace(b"\n", b"\r\n")
    if way == "quoted-printable":
        lines = [
            quopri.encodestring(line).replace(b"=\n", b"=\r\n") for line in data.split(b"\r\n")
        ]
        return way, b"\r\n".join(lines)
    return way, data


def part(
    text: str,
    kind: str = "text/plain",
    *,
    way: str = "quoted-printable",
    charset: str = "utf-8",
    says: str | None = None,
    more: str = "",
) -> bytes:
    """A body with its head. says: the charset it claims to be in, "" for none."""
    name, body = encoded(text, way, charset)
    claimed = charset if says is None else says
    claim = f'; charset="{claimed}"' if claimed else ""
    return (
        f"Content-Type: {kind}{claim}{more}\r\nContent-Transfer-Encoding: {name}\r\n\r\n".encode()
        + body
    )


def parts(*bodies: bytes, kind: str = "alternative") -> bytes:
    edge = "----=_Part_000_0001"
    head = f'Content-Type: multipart/{kind}; boundary="{edge}"\r\n\r\n'.encode()
    inner = b"".join(f"--{edge}\r\n".encode() + body + b"\r\n" for body in bodies)
    return head + inner + f"--{edge}--\r\n".encode()


def mail(
    content: bytes,
    *,
    program: str,
    name: str,
    subject: str = "Re: Atlantis: Round the mainland",
    more: str = "",
) -> bytes:
    head = (
        "Return-Path: <bob@example.org>\r\n"
        "Received: from mail.example.org (mail.example.org [192.0.2.7]) by mx.example.org"
        " with ESMTPS; Fri, 6 Nov 2026 12:00:03 +0000\r\n"
        "From: Bob Example <bob@example.org>\r\n"
        f"To: {US} <{TO}>\r\n"
        f"Subject: {subject}\r\n"
        "Date: Fri, 06 Nov 2026 13:00:00 +0100\r\n"
        f"Message-ID: <{name}@mail.example.org>\r\n"
        "In-Reply-To: <0123456789abcdef0123456789abcdef@games.example.org>\r\n"
        "References: <game-abcdefghijkl@games.example.org>\r\n"
        " <0123456789abcdef0123456789abcdef@games.example.org>\r\n"
        f"{program}{more}MIME-Version: 1.0\r\n"
    )
    return head.encode("ascii") + content


# -- programs ------------------------------------------------------------------------------


def gmail(words: Words, own: str, *, below: bool = False, way: str = "quoted-printable") -> bytes:
    wrapped = "\n".join(fold(line, 78) for line in own.split("\n"))
    said = words.gmail
    text = (
        f"{said}\n\n{quoted()}\n\n{wrapped}\n" if below else f"{wrapped}\n\n{said}\n\n{quoted()}\n"
    )
    quote = (
        '<br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">'
        f"{escape(said)}<br></div><blockquote class='gmail_quote' style='margin:0 0 0 .8ex'>"
        f"{as_html()}</blockquote></div>"
    )
    mine = f'<div dir="ltr">{paragraphs(own)}</div>'
    html = f"{quote}{mine}" if below else f"{mine}{quote}"
    return parts(part(text, way=way), part(html, "text/html", way=way))


def gmail_within(words: Words, own: str) -> bytes:
    """Written between quoted lines: Gmail keeps that in the same block as what it quotes."""
    first, rest = ORIGINAL[:3], ORIGINAL[3:]
    text = "\n\n".join((words.gmail, quoted(first), own, quoted(rest)))
    blocks = [
        f"<blockquote class='gmail_quote' style='margin:0 0 0 .8ex'>{as_html(lines)}</blockquote>"
        for lines in (first, rest)
    ]
    html = (
        '<div dir="ltr"><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class='
        f'"gmail_attr">{escape(words.gmail)}<br></div>{blocks[0]}<div><br></div>'
        f"<div>{escape(own)}</div><div><br></div>{blocks[1]}</div></div>"
    )
    return parts(part(text), part(html, "text/html"))


def fold(line: str, width: int) -> str:
    """A line broken as programs break it, where it is longer than `width`."""
    lines, rest = [], line
    while len(rest) > width:
        at = rest.rfind(" ", 0, width + 1)
        if at <= 0:
            break
        lines.append(rest[:at])
        rest = rest[at + 1 :]
    return "\n".join([*lines, rest])


def gmail_phone(words: Words, own: str) -> bytes:
    text = f"{own}\n\n{words.gmail_phone}\n\n{quoted()}\n"
    html = (
        f'<div dir="auto">{paragraphs(own)}</div><br><div class="gmail_quote">'
        f'<div dir="ltr" class="gmail_attr">{escape(words.gmail_phone)}<br></div>'
        f'<blockquote class="gmail_quote">{as_html()}</blockquote></div>'
    )
    return parts(part(text), part(html, "text/html"))


def outlook(words: Words, own: str, *, charset: str = "iso-8859-1", old: bool = False) -> bytes:
    """The desktop program: nothing marks the quoted lines but the head above them."""
    divider = f"{words.divider}\n" if old else ""
    text = f"{own}\n\n \n\n{divider}{head_block(words)} \n\n\n{bare()}\n"
    html = (
        "<html xmlns:o='urn:schemas-microsoft-com:office:office'><head><style>"
        "p.MsoNormal {margin:0cm}</style></head><body lang=EN-GB><div class=WordSection1>"
        + "".join(f"<p class=MsoNormal>{escape(line)}<o:p></o:p></p>" for line in own.split("\n"))
        + "<p class=MsoNormal><o:p>&nbsp;</o:p></p><div><div style='border:none;border-top:solid "
        "#E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal>"
        + head_block(words).replace("<", "&lt;").replace("\n", "<br>")
        + f"</p></div></div><p class=MsoNormal>{as_html()}</p></div></body></html>"
    )
    body = text if charset == "utf-8" else text.replace("×", "x")
    shown = html if charset == "utf-8" else html.replace("×", "x")
    return parts(part(body, charset=charset), part(shown, "text/html", charset=charset))


def outlook_web(words: Words, own: str, *, phone: bool = False, only_html: bool = False) -> bytes:
    sent = f"\n\n{words.outlook_phone}" if phone else ""
    rule = "_" * 32
    text = f"{own}{sent}\n{rule}\n{head_block(words)}\n\n{bare()}\n"
    html = (
        '<html><body><div class="elementToProof" style="font-family: Aptos">'
        f"{paragraphs(own)}</div>"
        + (f'<div id="ms-outlook-mobile-signature">{escape(sent.strip())}</div>' if phone else "")
        + '<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
        '<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri">'
        + head_block(words).replace("<", "&lt;").replace("\n", "<br>")
        + f"</font></div><div>{as_html()}</div></body></html>"
    )
    if only_html:
        return part(html, "text/html", way="base64")
    return parts(part(text), part(html, "text/html"))


def apple(words: Words, own: str, *, phone: bool = False, way: str = "quoted-printable") -> bytes:
    sent = f"\n\n{words.iphone}" if phone else ""
    mark = "\n> \ufeff" if phone else "\n> "
    text = f"{own}{sent}\n\n> {words.apple}\n> {mark}{quoted()[2:]}\n"
    html = (
        f'<html><body dir="auto">{paragraphs(own)}<br id="lineBreakAtBeginningOfSignature">'
        f'<div dir="ltr">{escape(sent.strip())}</div><div dir="ltr"><br><blockquote type="cite">'
        f"{escape(words.apple)}<br><br></blockquote></div><blockquote type='cite'>"
        f"<div dir='ltr'>\ufeff{as_html()}</div></blockquote></body></html>"
    )
    return parts(part(text, way=way), part(html, "text/html", way=way))


def flowed(text: str, width: int = 72) -> str:
    """Own lines broken with a space at their end (RFC 3676); quoted ones are left whole."""
    return "\n".join(
        line if line.startswith(">") else fold(line, width).replace("\n", " \n")
        for line in text.split("\n")
    )


def thunderbird(
    words: Words,
    own: str,
    *,
    below: bool = False,
    signature: str = "",
    way: str = "8bit",
    charset: str = "utf-8",
) -> bytes:
    end = f"\n\n-- \n{signature}" if signature else ""
    quote = f"{words.thunderbird}\n{quoted()}"
    text = f"{quote}\n\n{own}{end}\n" if below else f"{own}{end}\n\n{quote}\n"
    text = text if charset == "utf-8" else text.replace("×", "x")
    return part(flowed(text), way=way, charset=charset, more="; format=flowed")


def k9(words: Words, own: str, *, above: bool = False) -> bytes:
    sign = f"-- \n{words.k9}"
    text = (
        f"{own}\n\n{sign}\n\n{words.apple}\n{quoted()}\n"
        if above
        else f"{own}\n\n{words.apple}\n{quoted()}\n\n{sign}\n"
    )
    return part(text, way="quoted-printable")


def yahoo(words: Words, own: str, *, phone: bool = False) -> bytes:
    sent = f"\n\n{words.yahoo_phone}" if phone else ""
    inner = "\n".join(f" {line}" for line in ["", *ORIGINAL])
    text = f" {own}{sent}\n\n    {words.yahoo}  \n{inner}   \n"
    html = (
        f'<html><body><div class="yahoo-style-wrap"><div dir="ltr">{escape(own)}</div></div>'
        f'<div id="yahoo_quoted_3141592653" class="yahoo_quoted"><div>{escape(words.yahoo)}</div>'
        f"<div>{as_html()}</div></div></body></html>"
    )
    return parts(part(text), part(html, "text/html"))


def gmx(words: Words, own: str, *, only_html: bool = True) -> bytes:
    order = [words.head[1], words.head[0], words.head[2], words.head[3]]
    values = ["Freitag, 06. November 2026 um 10:12 Uhr", f'"{US}" <{ADDRESS}>']
    values += ["bob@example.org", "Atlantis: Round the mainland"]
    head = "<br>\n".join(
        f"<b>{name}:</b>&nbsp;{escape(value)}" for name, value in zip(order, values, strict=True)
    )
    html = (
        f'<html><body><div style="font-family: Verdana;font-size: 12.0px;"><div>{escape(own)}</div>'
        '<div>&nbsp;</div><div>&nbsp;<div name="quote" style="margin:10px 5px 5px 10px; padding: '
        '10px 0 10px 10px; border-left:2px solid #C3D9E5;"><div style="margin:0 0 10px 0;">'
        f'{head}</div><div name="quoted-content">{as_html()}</div></div></div></div></body></html>'
    )
    if only_html:
        return part(html, "text/html")
    plain = "\n".join(f"{name}: {value}" for name, value in zip(order, values, strict=True))
    return part(f"{own}\n\n-- \nGesendet mit der GMX Mail App\n\n{plain}\n\n{bare()}\n")


def mutt(own: str, *, said: str = "", charset: str = "us-ascii", below: bool = True) -> bytes:
    said = said or f"On Fri, Nov 06, 2026 at 10:12:44AM +0100, {US} wrote:"
    text = (
        f"{said}\n{quoted()}\n\n{own}\n\n-- \nbob\n" if below else f"{own}\n\n{said}\n{quoted()}\n"
    )
    text = text if charset == "utf-8" else text.replace("×", "x")
    way = "7bit" if charset == "us-ascii" else "8bit"
    return part(text, way=way, charset=charset)
