"""Replies as mail programs write them, with the line that must be read in each.

`python -m tests.support.reply_samples` writes them to tests/samples/*.eml.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from .mail_programs import (
    ADDRESS,
    ORIGINAL,
    SPEECH,
    TRAP,
    US,
    apple,
    as_html,
    bare,
    gmail,
    gmail_phone,
    gmail_within,
    gmx,
    head_block,
    k9,
    mail,
    mutt,
    outlook,
    outlook_web,
    part,
    parts,
    quoted,
    thunderbird,
    yahoo,
)

FOLDER = Path(__file__).resolve().parents[1] / "samples"
LONG = (
    "A amphora helmet olive crown pay 7 5 3 2 olive olive ring flag statue statue crown amphora "
    "bridge 27"
)


@dataclass(frozen=True)
class Sample:
    """line: what must be read as the command or move, "" where nothing is the writer's own."""

    name: str
    line: str
    content: bytes
    program: str = "User-Agent: Sample\r\n"
    subject: str = "Re: Atlantis: Round the mainland"
    more: str = ""
    below: tuple[str, ...] = ()
    raw: bytes = field(init=False)

    def __post_init__(self) -> None:
        raw = mail(
            self.content,
            program=self.program,
            name=self.name,
            subject=self.subject,
            more=self.more,
        )
        object.__setattr__(self, "raw", raw)


OUTLOOK = "X-Mailer: Microsoft Outlook 16.0\r\nThread-Index: AQHabcdef==\r\n"
OWA = "x-ms-exchange-messagesentrepresentingtype: 1\r\nx-ms-has-attach:\r\n"
IPHONE = "X-Mailer: iPhone Mail (22F76)\r\n"
APPLE = "X-Mailer: Apple Mail (2.3826.600.51.1.1)\r\n"
THUNDERBIRD = "User-Agent: Mozilla Thunderbird\r\n"
K9 = "User-Agent: K-9 Mail for Android\r\n"
YAHOO = "X-Mailer: WebService/1.1.24652 YMailNovation\r\n"
GMX = "X-UI-Message-Type: mail\r\n"
MUTT = "User-Agent: Mutt/2.2.13\r\n"

MOVES = {
    "en": "B flag helmet pay 5 2",
    "de": "B Flagge Helm zahle 5 2",
    "fr": "B drapeau casque paie 5 2",
}
BRIDGES = {"de": "Brücke 27 B Flagge", "fr": "achète 6", "en": "bridge 27 B flag"}
AW = {"en": "Re: ", "de": "AW: ", "fr": "TR: Re: "}


def samples() -> Iterator[Sample]:
    """All of them, in order."""
    for language, words in SPEECH.items():
        move, bridge = MOVES[language], BRIDGES[language]
        subject = f"{AW[language] if language == 'de' else 'Re: '}Atlantis: Round the mainland"

        def made(
            name: str,
            content: bytes,
            line: str = move,
            program: str = "",
            language: str = language,
            subject: str = subject,
        ) -> Sample:
            return Sample(f"{name}-{language}", line, content, program, subject)

        yield made("gmail-top", gmail(words, move))
        yield made("gmail-below", gmail(words, bridge, below=True), bridge)
        yield made("gmail-within", gmail_within(words, move))
        yield made("gmail-phone", gmail_phone(words, bridge), bridge)
        yield made("outlook-desktop", outlook(words, move), program=OUTLOOK)
        yield made("outlook-old", outlook(words, bridge, old=True), bridge, OUTLOOK)
        yield made("outlook-web", outlook_web(words, bridge), bridge, OWA)
        yield made("outlook-phone", outlook_web(words, move, phone=True), program=OWA)
        yield made("apple-mail", apple(words, move), program=APPLE)
        yield made("iphone", apple(words, bridge, phone=True, way="base64"), bridge, IPHONE)
        yield made("thunderbird-top", thunderbird(words, move), program=THUNDERBIRD)
        yield made(
            "thunderbird-below",
            thunderbird(words, bridge, below=True, signature="Bob\nBremen"),
            bridge,
            THUNDERBIRD,
        )
        yield made("k9", k9(words, move), program=K9)
        yield made("k9-signed-above", k9(words, bridge, above=True), bridge, K9)
        yield made("yahoo", yahoo(words, move), program=YAHOO)
        yield made("yahoo-phone", yahoo(words, bridge, phone=True), bridge, YAHOO)
        # -- nothing of one's own, or nothing that is a command
        yield made("empty-outlook", outlook(words, ""), "", OUTLOOK)
        yield made("empty-iphone", apple(words, "", phone=True), "", IPHONE)
    yield from more_samples()


def more_samples() -> Iterator[Sample]:
    """Yield the samples that do not exist in three languages."""
    en, de, fr = SPEECH["en"], SPEECH["de"], SPEECH["fr"]
    move = MOVES["en"]
    yield Sample("gmx-web", "B Flagge Helm", gmx(de, "B Flagge Helm"), GMX)
    yield Sample("gmx-app", "B Flagge Helm", gmx(de, "B Flagge Helm", only_html=False), GMX)
    yield Sample("mutt-below", move, mutt(move), MUTT)
    yield Sample("mutt-top", move, mutt(move, below=False), MUTT)
    yield Sample(
        "mutt-latin-1",
        "Brücke 27 B Flagge",
        mutt("Brücke 27 B Flagge", charset="iso-8859-1", said=f"* {US} [06.11.26 10:12]:"),
        MUTT,
    )
    yield Sample(
        "thunderbird-latin-1",
        "achète 6",
        thunderbird(fr, "achète 6", way="8bit", charset="iso-8859-1"),
        THUNDERBIRD,
    )
    yield Sample("long-gmail", LONG, gmail(en, LONG))
    yield Sample("long-thunderbird", LONG, thunderbird(en, LONG), THUNDERBIRD)
    yield Sample("long-outlook", LONG, outlook(en, LONG, charset="utf-8"), OUTLOOK)
    yield Sample("html-only-outlook", move, outlook_web(en, move, only_html=True), OWA)
    yield Sample(
        "html-only-iphone",
        move,
        part(
            f'<html><body dir="auto"><div>{move}</div><div><br></div><div>Sent from my iPhone</div>'
            f'<div><br><blockquote type="cite">{escape(en.apple)}<br>{as_html()}</blockquote></div>'
            "</body></html>",
            "text/html",
        ),
        IPHONE,
    )
    yield Sample(
        "html-below",
        move,
        part(
            f'<div class="moz-cite-prefix">{escape(en.thunderbird)}<br></div>'
            f'<blockquote type="cite">{as_html()}</blockquote><p>{move}</p>'
            '<pre class="moz-signature">-- \nBob</pre>',
            "text/html",
        ),
        THUNDERBIRD,
    )
    said_latin = "Brücke 27 B Flagge\n\n" + quoted().replace("×", "x")
    yield Sample(
        "says-ascii-is-utf-8",
        "Brücke 27 B Flagge",
        part(said_latin, way="8bit", charset="utf-8", says="us-ascii"),
    )
    yield Sample(
        "says-utf-8-is-latin-1",
        "Brücke 27 B Flagge",
        part(said_latin, way="quoted-printable", charset="iso-8859-1", says="utf-8"),
    )
    yield Sample(
        "says-nonsense", "Brücke 27 B Flagge", part(said_latin, way="8bit", says="x-unknown-42")
    )
    yield Sample("says-nothing", "Brücke 27 B Flagge", part(said_latin, way="8bit", says=""))
    yield Sample(
        "with-note",
        move,
        gmail(en, f"{move}\nnote Well played, Alice!"),
        below=("note Well played, Alice!",),
    )
    yield Sample(
        "with-note-fr",
        MOVES["fr"],
        thunderbird(fr, f"{MOVES['fr']}\n\nnote Très bien joué !", signature="Bob"),
        THUNDERBIRD,
        below=("", "note Très bien joué !"),
    )
    yield Sample("command-show", "show", apple(en, "show", phone=True), IPHONE)
    yield Sample("command-hilfe", "Hilfe", gmail(de, "Hilfe"))
    yield Sample(
        "chat",
        "Sorry, I am away until Sunday.",
        gmail(en, "Sorry, I am away until Sunday.\n\nBob"),
    )
    yield Sample("greeting-first", "Hi all,", gmail(en, f"Hi all,\n\n{move}\n\nBest\nBob"))
    yield Sample("signature-only", "", thunderbird(en, "", signature=TRAP), THUNDERBIRD)
    yield Sample(
        "interleaved",
        "",
        part(
            f"{en.thunderbird}\n"
            + quoted(ORIGINAL[:14])
            + "\n> a line that goes on and on until it reaches the margin and B\nflag helmet\n"
            + quoted(ORIGINAL[14:])
            + "\n"
        ),
        THUNDERBIRD,
    )
    forwarded = "---------- Forwarded message ---------\n" + head_block(en) + "\n\n" + bare()
    yield Sample(
        "forwarded",
        "",
        part(f"\n\n{forwarded}\n"),
        subject="Fwd: Atlantis: Round the mainland",
    )
    yield Sample(
        "forwarded-apple",
        "What do you think?",
        part(
            "What do you think?\n\nDébut du message réexpédié :\n\n"
            + "\n".join(f"> {line}" for line in head_block(fr, "*").split("\n"))
            + f"\n\n{quoted()}\n"
        ),
        APPLE,
        subject="Fwd: Atlantis: Round the mainland",
    )
    inner = mail(part(f"{TRAP}\n"), program="", name="inner")
    yield Sample(
        "forwarded-whole",
        "",
        parts(part("\n"), b"Content-Type: message/rfc822\r\n\r\n" + inner, kind="mixed"),
        subject="WG: Atlantis: Round the mainland",
    )
    picture = (
        b'Content-Type: image/png; name="photo.png"\r\nContent-Transfer-Encoding: base64\r\n'
        b'Content-Disposition: attachment; filename="photo.png"\r\n\r\niVBORw0KGgo=\r\n'
    )
    yield Sample(
        "attachment",
        move,
        parts(gmail(en, move).replace(b"_Part_000", b"_Part_001"), picture, kind="mixed"),
    )
    text_file = (
        b'Content-Type: text/plain; name="moves.txt"\r\n'
        b'Content-Disposition: attachment; filename="moves.txt"\r\n\r\n' + TRAP.encode() + b"\r\n"
    )
    yield Sample("attachment-only", "", parts(text_file, picture, kind="mixed"))
    deeper = "\n".join(f"> {line}" for line in quoted().split("\n"))
    yield Sample(
        "second-round",
        move,
        part(f"{move}\n\n{en.apple}\n> B ring\n>\n> {en.apple}\n{deeper}\n"),
    )
    polish = f"W dniu 6.11.2026 o 10:12, {US} pisze:"
    yield Sample("unknown-language-below", move, part(f"{polish}\n{quoted()}\n\n{move}\n"))
    dutch = f"Op vr 6 nov 2026 om 10:12 schreef {US} <{ADDRESS}>:"
    yield Sample("dutch-top", move, part(f"{move}\n\n{dutch}\n\n{quoted()}\n"))
    yield Sample(
        "old-marks", move, part(f"{move}\n\n" + "\n".join(f"AM> {line}" for line in ORIGINAL))
    )
    yield Sample("marker-alone", move, part(f"{move}\n\n{bare()}\n"))


def write(say: Callable[[str], object] = print) -> None:
    """All samples as files."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.eml"):
        old.unlink()
    for sample in samples():
        (FOLDER / f"{sample.name}.eml").write_bytes(sample.raw)
    say(f"{len(list(samples()))} samples in {FOLDER.name}/")


if __name__ == "__main__":
    write()
