"""Replies in people's own words, as further mail programs write them.

`python -m tests.support.wording_samples` writes them to tests/samples/wordings/*.eml. The email
that they quote contains a move as a trap; every outcome is for a position in which all moves are
legal.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from . import reply_samples
from .mail_programs import (
    SPEECH,
    US,
    apple,
    as_html,
    bare,
    gmail,
    head_block,
    mail,
    outlook_web,
    paragraphs,
    part,
    parts,
    quoted,
)

FOLDER = reply_samples.FOLDER / "wordings"

# (what somebody writes, what becomes of it, the move): "played" at once, "offered" as "Did you
# mean …?", or "asked" what was meant.
WORDINGS: dict[str, list[tuple[str, str, str]]] = {
    "en": [
        ("I play B ring", "played", "B ring"),
        ("B flag please", "played", "B flag"),
        ("My move: B olive", "played", "B olive"),
        ("B plays a helmet", "offered", "B helmet"),
        ("Hi Alice,\n\nI'd like to play B with the crown.\n\nBob", "offered", "B crown"),
        ("B -> flag 😀", "played", "B flag"),
        ("I'll take figure C and play the ring, thanks!", "played", "C ring"),
        ("sorry I'm late, B helmet", "offered", "B helmet"),
        ("B helmt", "offered", "B helmet"),
        ("Let's play B flag.", "played", "B flag"),
        ("maybe B flag?", "asked", ""),
        ("I played B flag yesterday", "asked", ""),
        ("B flag or B ring", "asked", ""),
        ("B flag, note: well played", "played", "B flag"),
        ("Play the amphora with figure A", "played", "A amphora"),
        ("OK, B ring for me", "played", "B ring"),
        ("Please don't play B flag", "asked", ""),
        ("a flag please", "asked", ""),
        ("Move B using the olive branch", "played", "B olive"),
        ("*B flag*", "played", "B flag"),
        ("Hello everybody! My move is B crown. Good luck!", "played", "B crown"),
        ("figure b with the helmet it is", "played", "B helmet"),
        ("B flag – no, wait, B ring", "asked", ""),
        ("Great game so far, so B amphora", "offered", "B amphora"),
    ],
    "de": [
        ("Ich ziehe B mit Helm", "played", "B helmet"),
        ("Figur B mit Flagge bitte", "played", "B flag"),
        ("Mein Zug: B Olive", "played", "B olive"),
        ("Hallo Alice,\n\nich spiele B Ring.\n\nViele Grüße\nBob", "played", "B ring"),
        ("Ich möchte B mit der Krone ziehen", "offered", "B crown"),
        ("B → Fahne 😊", "played", "B flag"),
        ("Ich nehme Figur C und spiele den Ring, danke!", "played", "C ring"),
        ("Entschuldigung für die Verspätung, B Helm", "offered", "B helmet"),
        ("B Flage", "offered", "B flag"),
        ("ich habe B Flagge gespielt", "asked", ""),
        ("vielleicht B Flagge", "asked", ""),
        ("soll ich B Flagge spielen?", "asked", ""),
        ("B Flagge oder B Ring", "asked", ""),
        ("B Flagge, Notiz: gut gespielt", "played", "B flag"),
        ("Spiele die Amphore mit Figur A", "played", "A amphora"),
        ("Guten Morgen, B Statue bitte", "played", "B statue"),
        ("nicht B Flagge", "asked", ""),
        ("ICH SPIELE B KRONE", "played", "B crown"),
        ("dann ziehe ich jetzt B mit dem Olivenzweig", "played", "B olive"),
        ("B - Flagge", "played", "B flag"),
        ("Moin zusammen, ich werde B mit Ring ziehen. Viel Glück!", "played", "B ring"),
        ("B mit Helm, ausser jemand protestiert", "asked", ""),
        ("Schönes Spiel bisher, also B Amphore", "offered", "B amphora"),
        ("ich nehme die Flagge", "asked", ""),
    ],
    "fr": [
        ("Je joue B casque", "played", "B helmet"),
        ("figure B avec le drapeau svp", "played", "B flag"),
        ("Mon coup : B olive", "played", "B olive"),
        ("Bonjour Alice,\n\nje joue B anneau.\n\nBob", "played", "B ring"),
        ("Je voudrais jouer B avec la couronne", "offered", "B crown"),
        ("B => drapeau 🙂", "played", "B flag"),
        ("Je prends la figure C et je joue l'anneau, merci !", "played", "C ring"),
        ("désolé du retard, B casque", "offered", "B helmet"),
        ("B drapau", "offered", "B flag"),
        ("j'ai joué B drapeau", "asked", ""),
        ("peut-être B drapeau", "asked", ""),
        ("et si je jouais B drapeau ?", "asked", ""),
        ("B drapeau ou B anneau", "asked", ""),
        ("B drapeau, note : bien joué", "played", "B flag"),
        ("je joue l'amphore avec la figure A", "played", "A amphora"),
        ("Bonsoir, B statue s'il vous plaît", "played", "B statue"),
        ("pas B drapeau", "asked", ""),
        ("JE JOUE B COURONNE", "played", "B crown"),
        ("alors je vais jouer B avec le rameau", "played", "B olive"),
        ("je joue B anneau sil vous plait", "played", "B ring"),
        ("Salut à tous, mon coup est B couronne. Bonne chance !", "played", "B crown"),
        ("B casque, sauf si quelqu'un proteste", "asked", ""),
        ("Belle partie, donc B amphore", "offered", "B amphora"),
        ("je joue une olive", "asked", ""),
    ],
}


@dataclass(frozen=True)
class WordingSample:
    """how, move: as in WORDINGS."""

    name: str
    raw: bytes
    how: str
    move: str


def wrote(language: str, when: dict[str, str]) -> str:
    said = {"en": f"{US} wrote:", "de": f"schrieb {US}:", "fr": f"{US} a écrit\u00a0:"}[language]
    return f"{when[language]} {said}"


def cited(own: str, said: str, *, intro: str = "", kind: str = "blockquote") -> bytes:
    """The writer's lines above an introduction and a quotation, as text and as HTML."""
    text = f"{own}\n\n{said}\n{quoted()}\n"
    head = intro or f"<div>{escape(said)}</div>"
    html = f'<html><body>{paragraphs(own)}<div><br></div>{head}<{kind} type="cite">{as_html()}</{kind}>'
    return parts(part(text), part(f"{html}</body></html>", "text/html"))


def samsung(language: str, own: str) -> bytes:
    divider = {
        "en": "-------- Original message --------",
        "de": "-------- Ursprüngliche Nachricht --------",
        "fr": "-------- Message d'origine --------",
    }[language]
    head = head_block(SPEECH[language])
    text = f"{own}\n\n\nSent from my Galaxy\n\n\n{divider}\n{head}\n\n{bare()}\n"
    html = (
        f'<html><body dir="auto">{paragraphs(own)}<div dir="auto"><br></div>'
        '<div id="composer_signature" dir="auto"><div style="font-size:12px;color:#575757">Sent from my '
        f'Galaxy</div></div><div><br></div><div style="font-size:100%;color:#000000"><div>{divider}'
        f"</div>{paragraphs(head)}<div><br></div></div>{as_html()}</body></html>"
    )
    return parts(part(text, way="base64"), part(html, "text/html", way="base64"))


def proton(language: str, own: str) -> bytes:
    when = {
        "en": "On Friday, November 6th, 2026 at 10:12 AM,",
        "de": "Am Freitag, 6. November 2026 um 10:12",
        "fr": "Le vendredi 6 novembre 2026 à 10:12,",
    }
    said = wrote(language, when)
    text = f"{own}\n\nSent with Proton Mail secure email.\n\n{said}\n\n{quoted()}\n"
    html = (
        f'<div style="font-family: Arial, sans-serif; font-size: 14px;">{paragraphs(own)}</div>'
        '<div class="protonmail_signature_block"><div class="protonmail_signature_block-proton">'
        'Sent with <a href="https://proton.me/">Proton Mail</a> secure email.</div></div><div><br></div>'
        f'<div class="protonmail_quote">{escape(said)}<br><blockquote class="protonmail_quote" '
        f'type="cite">{as_html()}</blockquote><br></div>'
    )
    return parts(part(text), part(html, "text/html"))


def fastmail(language: str, own: str) -> bytes:
    when = {"en": "On Fri, 6 Nov 2026, at 10:12 AM,", "de": "Am Fr, 6. Nov 2026, um 10:12,"}
    return cited(own, wrote(language, {**when, "fr": "Le ven. 6 nov. 2026, à 10:12,"}))


def evolution(language: str, own: str) -> bytes:
    when = {
        "en": "On Fri, 2026-11-06 at 10:12 +0100,",
        "de": "Am Freitag, dem 06.11.2026 um 10:12 +0100",
        "fr": "Le vendredi 06 novembre 2026 à 10:12 +0100,",
    }
    return cited(own, wrote(language, when))


def kmail(language: str, own: str) -> bytes:
    when = {
        "en": "On Friday, 6 November 2026 10:12:44 CET",
        "de": "Am Freitag, 6. November 2026, 10:12:44 CET",
        "fr": "Le vendredi 6 novembre 2026, 10:12:44 CET",
    }
    return part(f"{wrote(language, when)}\n{quoted()}\n\n{own}\n\n", way="8bit")


def roundcube(language: str, own: str) -> bytes:
    when = {
        "en": "On 2026-11-06 10:12,",
        "de": "Am 2026-11-06 10:12,",
        "fr": "Le 2026-11-06 10:12,",
    }
    said = wrote(language, when)
    return cited(own, said, intro=f'<p id="reply-intro">{escape(said)}</p>')


def orange(language: str, own: str) -> bytes:
    head = f"Message du 06/11/26 10:12\nDe : {US}\nA : bob@example.org\nObjet : Atlantis"
    quote = "\n".join(f"> {line}" for line in f"{head}\n\n{bare()}".split("\n"))
    html = (
        f'{paragraphs(own)}<p>&nbsp;</p><blockquote style="border-left:2px solid #ff7900">'
        f"{paragraphs(head)}{as_html()}</blockquote>"
    )
    return parts(part(f"{own}\n\n\n{quote}\n"), part(html, "text/html"))


def zimbra(language: str, own: str) -> bytes:
    divider = {
        "en": "----- Original Message -----",
        "de": "----- Ursprüngliche Mail -----",
        "fr": "----- Mail original -----",
    }[language]
    head = head_block(SPEECH[language])
    html = (
        f"<div style='font-family: arial; font-size: 12pt'>{paragraphs(own)}<div><br></div><hr "
        f'id="zwchr"><div data-marker="__QUOTED_TEXT__"><blockquote>{paragraphs(head)}{as_html()}'
        "</blockquote></div></div>"
    )
    return parts(part(f"{own}\n\n{divider}\n{head}\n\n{bare()}\n"), part(html, "text/html"))


def outlook_phone(language: str, own: str) -> bytes:
    return outlook_web(SPEECH[language], own, phone=True)


def ios(language: str, own: str) -> bytes:
    return apple(SPEECH[language], own, phone=True, way="base64")


def gmail_words(language: str, own: str) -> bytes:
    return gmail(SPEECH[language], own, way="base64")


def smime(language: str, own: str) -> bytes:
    signature = (
        b'Content-Type: application/pkcs7-signature; name="smime.p7s"\r\nContent-Transfer-Encoding: '
        b'base64\r\nContent-Disposition: attachment; filename="smime.p7s"\r\n\r\nMIIFxgYJKoZIhvcNAQc=\r\n'
    )
    content = cited(own, SPEECH[language].apple).replace(b"_Part_000", b"_Part_001")
    return parts(content, signature, kind="signed; micalg=sha-256")


def pgp_mime(language: str, own: str) -> bytes:
    signature = (
        b'Content-Type: application/pgp-signature; name="signature.asc"\r\n\r\n'
        b"-----BEGIN PGP SIGNATURE-----\r\n\r\niHUEARYKAB0=\r\n-----END PGP SIGNATURE-----\r\n"
    )
    text = part(f"{own}\n\n{SPEECH[language].thunderbird}\n{quoted()}\n")
    return parts(text, signature, kind="signed")


def pgp_inline(language: str, own: str) -> bytes:
    body = f"{own}\n\n{SPEECH[language].thunderbird}\n{quoted()}\n"
    escaped = "\n".join(f"- {line}" if line.startswith("-") else line for line in body.split("\n"))
    return part(
        f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{escaped}\n"
        "-----BEGIN PGP SIGNATURE-----\n\niHUEARYKAB0WIQ==\n=abcd\n-----END PGP SIGNATURE-----\n"
    )


def utf_16(language: str, own: str) -> bytes:
    text = f"{own}\n\n{SPEECH[language].thunderbird}\n{quoted()}\n"
    return part(text, way="base64", charset="utf-16")


PROGRAMS: dict[str, Callable[[str, str], bytes]] = {
    "samsung": samsung,
    "proton": proton,
    "fastmail": fastmail,
    "evolution": evolution,
    "kmail": kmail,
    "roundcube": roundcube,
    "orange": orange,
    "zimbra": zimbra,
    "outlook-mobile": outlook_phone,
    "ios": ios,
    "gmail": gmail_words,
    "smime": smime,
    "pgp-mime": pgp_mime,
    "pgp-inline": pgp_inline,
    "utf-16": utf_16,
}
EACH = 4  # wordings of a language that each program writes

WRONG = "C olive"
HIDDEN = {
    "struck": f"<s>{WRONG}</s>",
    "deleted": f"<p><del>{WRONG}</del></p>",
    "struck-by-style": f'<div style="text-decoration:line-through">{WRONG}</div>',
    "struck-by-class": f'<style>.x{{text-decoration:line-through}}</style><div class="x">{WRONG}</div>',
    "hidden-by-class": f'<style>.x{{display:none}}</style><div class="x">{WRONG}</div>',
    "hidden-attribute": f"<div hidden>{WRONG}</div>",
    "aria-hidden": f'<div aria-hidden="true">{WRONG}</div>',
    "no-size": f'<div style="font-size:0">{WRONG}</div>',
    "transparent": f'<div style="opacity:0">{WRONG}</div>',
    "white": f'<div style="color:#fff">{WRONG}</div>',
    "off-screen": f'<div style="position:absolute;left:-9999px">{WRONG}</div>',
    "mso-hide": f'<div style="mso-hide:all">{WRONG}</div>',
    "details": f"<details>{WRONG}</details>",
    "zero-table": f'<table width="0" height="0"><tr><td>{WRONG}</td></tr></table>',
}
# What surely is not seen is left out; about these we ask.
DOUBTFUL = {
    "struck-by-class",
    "hidden-by-class",
    "aria-hidden",
    "transparent",
    "white",
    "off-screen",
    "details",
    "zero-table",
}


def samples() -> Iterator[WordingSample]:
    """All of them, in order."""
    for number, (program, write) in enumerate(PROGRAMS.items()):
        for language, wordings in WORDINGS.items():
            for each in range(EACH):
                text, how, move = wordings[(number * EACH + each) % len(wordings)]
                name = f"{program}-{language}-{each + 1}"
                yield _sample(name, write(language, text), how, move)
    for name, html in HIDDEN.items():
        both = f"<html><body>{html}<div>B flag</div></body></html>"
        became = ("asked", "") if name in DOUBTFUL else ("played", "B flag")
        yield _sample(f"html-{name}", part(both, "text/html"), *became)
        plain = part(f"{WRONG}\n\nB flag\n")
        yield _sample(f"both-{name}", parts(plain, part(both, "text/html")), *became)
    other = part("<div>C olive</div>", "text/html")
    yield _sample("parts-differ", parts(part("B flag\n"), other), "asked", "")
    sealed = (
        b'Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"\r\n'
    )
    yield _sample("smime-encrypted", sealed + b"\r\nMIIFxgYJKoZIhvcNAQc=\r\n", "asked", "")
    signed = sealed.replace(b"enveloped", b"signed")
    yield _sample("smime-opaque", signed + b"\r\nMIIFxgYJKoZIhvcNAQc=\r\n", "asked", "")
    armour = "-----BEGIN PGP MESSAGE-----\n\nhQEMA5\n-----END PGP MESSAGE-----\n"
    yield _sample("pgp-encrypted", part(armour), "asked", "")


def _sample(name: str, content: bytes, how: str, move: str) -> WordingSample:
    return WordingSample(
        name, mail(content, program="User-Agent: Sample\r\n", name=name), how, move
    )


def write(say: Callable[[str], object] = print) -> None:
    """All samples as files, and what becomes of each."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.eml"):
        old.unlink()
    for sample in samples():
        (FOLDER / f"{sample.name}.eml").write_bytes(sample.raw)
    outcomes = {sample.name: [sample.how, sample.move] for sample in samples()}
    (FOLDER / "outcomes.json").write_text(json.dumps(outcomes, indent=1) + "\n")
    say(f"{len(outcomes)} samples in {FOLDER.name}/")


if __name__ == "__main__":
    write()
