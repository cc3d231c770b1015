"""What people write, from tests/samples: emails of mail programs, wordings of moves, and talk.

Its text files have comments ("-- …"), headings ("== …") and lines "text | what it means".
"""

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "samples"
TRAP = "C statue"  # the line of the email that all emails quote which is a move


class Line(NamedTuple):
    heading: str
    text: str
    meaning: str


def lines(name: str) -> Iterator[Line]:
    """The lines of a file, with line breaks for "\\n"."""
    heading = ""
    for line in (FOLDER / f"{name}.txt").read_text().splitlines():
        if line.startswith("== "):
            heading = line[3:]
        elif line and not line.startswith("-- "):
            text, _mark, meaning = line.replace("\\n", "\n").partition(" |")
            yield Line(heading, text, meaning.strip(" "))


# -- emails ---------------------------------------------------------------------------------------


class Sample(NamedTuple):
    """line: the first line of the writer's own, "" where nothing is. below: lines below it that
    must count as well. problem: the name of what keeps the email from being read, or ""."""

    name: str
    raw: bytes
    line: str
    below: list[str]
    problem: str


def emails() -> list[Sample]:
    """An email of each program, in each language in which it writes its own words."""
    found = []
    for _heading, name, meaning in lines("emails"):
        raw = (FOLDER / f"{name}.eml").read_bytes()
        line, *below = meaning.split("\n")
        found.append(
            Sample(name, raw, "", [], line)
            if line.isupper() and " " not in line
            else Sample(name, raw, line, below, "")
        )
    return found


# -- wordings with gaps ---------------------------------------------------------------------------


class Wording(NamedTuple):
    """question: whose position it answers. move: what it means, in notation."""

    question: str
    language: str
    line: str
    move: str


ITEMS = {
    "en": {
        item: (item, f"the {item}", f"the {item}")
        for item in ("flag", "ring", "helmet", "crown", "olive", "statue", "amphora")
    },
    "de": {
        "flag": ("Flagge", "die Flagge", "der Flagge"),
        "ring": ("Ring", "den Ring", "dem Ring"),
        "helmet": ("Helm", "den Helm", "dem Helm"),
        "crown": ("Krone", "die Krone", "der Krone"),
        "olive": ("Olive", "die Olive", "der Olive"),
        "statue": ("Statue", "die Statue", "der Statue"),
        "amphora": ("Amphore", "die Amphore", "der Amphore"),
    },
    "fr": {
        "flag": ("drapeau", "le drapeau", ""),
        "ring": ("anneau", "l'anneau", ""),
        "helmet": ("casque", "le casque", ""),
        "crown": ("couronne", "la couronne", ""),
        "olive": ("olive", "l'olive", ""),
        "statue": ("statue", "la statue", ""),
        "amphora": ("amphore", "l'amphore", ""),
    },
}


def wordings() -> Iterator[Wording]:
    """Each line is filled once; the gaps go round what the position allows."""
    for number, (heading, line, _meaning) in enumerate(lines("kinds-of-wordings"), 1):
        kind, _mark, move = heading.partition(" | ")
        question, language, _kind = kind.split(", ")
        gaps = _gaps(language, number)
        yield Wording(question, language, _slipped(line, gaps, number), move.format(**gaps))


def _gaps(language: str, number: int) -> dict[str, str]:
    item, (bare, the, dative) = list(ITEMS[language].items())[number % 7]
    explorer, start = (("U1", "E5"), ("U2", "E5"))[number % 2]
    return {
        "f": "ABC"[number % 3] if number % 3 else "B",
        "item": item,
        "c": bare,
        "the": the,
        "dat": dative,
        "e": explorer,
        "o": start,
        "h": "E6",
        "s": ("E5", "J5")[number % 3 // 2],
        "v": str(2 + number % 5),
        "x": ("E5", "D5", "E7", "D8", "F10")[number % 5],
        "to": ("C6", "E7", "B5")[number % 3],
    }


def _slipped(line: str, gaps: dict[str, str], number: int) -> str:
    """The line with its gaps filled, and one typing error in each word behind "~"."""
    dice = random.Random(number)
    return " ".join(
        slip(word[1:].format(**gaps), dice) if word.startswith("~") else word.format(**gaps)
        for word in line.split(" ")
    )


def slip(word: str, dice: random.Random) -> str:
    """The word with two letters swapped, one left out, doubled or replaced by its neighbour."""
    at = dice.randrange(1, len(word) - 1)
    way = dice.choice(["swap", "drop", "double", "wrong"])
    if way == "swap" and word[at] != word[at + 1 : at + 2]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if way == "drop":
        return word[:at] + word[at + 1 :]
    if way == "wrong":
        return word[:at] + ("k" if word[at] != "k" else "m") + word[at + 1 :]
    return word[:at] + word[at] + word[at:]


# -- talk -----------------------------------------------------------------------------------------

FIGURES, EXPLORERS, HEXES, NUMBERS = "ABC", ("U1", "V1"), ("E5", "D6"), ("3", "6")


def talk() -> Iterator[tuple[str, str]]:
    """(language, sentence), each in several forms."""
    for language, line, _meaning in lines("talk"):
        items = [bare for bare, _the, _dative in list(ITEMS[language].values())[:4]]
        forms = {
            line.format(f=f, c=c, e=e, h=h, n=n)
            for f, c, (e, h, n) in product(
                FIGURES, items, zip(EXPLORERS, HEXES, NUMBERS, strict=True)
            )
        }
        yield from ((language, form) for form in sorted(forms))
