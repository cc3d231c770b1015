"""Commands of manage.py. Their output is in English."""


def counted(number: int, noun: str) -> str:
    """ "1 game", "2 games"; for nouns whose plural has an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
