"""A player who has nothing but the text of emails: examples, and the list that "legal" gives.

Knows no game: only that an example stands below a heading, behind a bar and four spaces, a legal
line behind a bar and two, and that one of each pair of braces is to be chosen, and nothing twice.
"""

import random
import re

EXAMPLE = re.compile(r"\|     (\S.*)")
BROKEN = re.compile(r"\|         (\S.*)")
LEGAL = re.compile(r"\|   (\S.*)")
CONTINUED = re.compile(r"\|       (\S.*)")
PART = re.compile(r"\{([^{}]*)\}|([^{}]+)")


def examples(text: str) -> list[str]:
    """The answers that the email gives as examples, with what they lead to."""
    lines, is_list = list[str](), False  # below a heading behind a bar
    for line in text.splitlines():
        if line.startswith("| ") and line.endswith(":"):
            is_list = True
        elif not line.startswith("|"):
            is_list = False
        elif is_list and (found := EXAMPLE.fullmatch(line)):
            lines.append(found[1])
        elif is_list and lines and (found := BROKEN.fullmatch(line)):
            lines[-1] += f" {found[1]}"
    return lines


def legal_list(text: str) -> list[str]:
    """The list of legal answers as it stands in the email: the first lines behind bars."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("| "))
    return lines[start : lines.index("", start)]


def legal_lines(text: str) -> list[str]:
    """The lines of the list of legal answers with what they lead to, without headings."""
    lines: list[str] = []
    for line in legal_list(text):
        if found := LEGAL.fullmatch(line):
            lines.append(found[1])
        elif lines and (found := CONTINUED.fullmatch(line)):
            lines[-1] += f" {found[1]}"
    return [line for line in lines if not line.endswith(":")]


def one_of(line: str, dice: random.Random) -> str:
    """One answer of those that a line stands for."""
    chosen: list[str] = []
    for choices, words in PART.findall(line):
        if choices:
            left = [choice for choice in choices.split(", ") if choice not in chosen]
            chosen.append(dice.choice(left))
        else:
            chosen.append(words.strip())
    return " ".join(filter(None, chosen))
