"""Days as people write them in English, German and French, without a slash: its order is
unclear."""

import re

_MONTHS = (
    "jan january januar janner janvier janv",
    "feb february februar feber fevrier fev fevr",
    "mar march marz maerz mrz mars",
    "apr april avril avr",
    "may mai",
    "jun june juni juin",
    "jul july juli juillet juil",
    "aug august aout",
    "sep sept september septembre",
    "oct october okt oktober octobre",
    "nov november novembre",
    "dec december dez dezember decembre",
)
_NUMBER = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er)?")
_UNSAID = frozenset(["the", "of", "den", "dem", "le", "einschliesslich", "inclusive", "inclus"])


def parse(words: str) -> tuple[int, int, int] | None:
    """(day, month, year, 0 if there is none) in words without accents and punctuation: "3 jan",
    "january 3rd", "1er janvier 2027", "3 1 2027", "2027 01 03". None if they are anything else."""
    parts = [part for part in words.split() if part not in _UNSAID]
    if len(parts) == 3 and all(part.isdecimal() for part in parts) and len(parts[0]) == 4:
        parts.reverse()
    if not 2 <= len(parts) <= 3:
        return None
    year = parts[2] if len(parts) == 3 else "0"
    day, month = (parts[1], parts[0]) if parts[0] in _NUMBER else (parts[0], parts[1])
    found = _DAY.fullmatch(day)
    number = _NUMBER.get(month) or (int(month) if re.fullmatch(r"\d{1,2}", month) else 0)
    if found is None or not 1 <= number <= 12 or not re.fullmatch(r"0|20\d\d", year):
        return None
    return int(found[1]), number, int(year)
