"""Letters made by combining parts: acts, doubts, talk, closings, in English, German and French."""

import itertools
import random
from collections.abc import Iterator, Sequence

LANGUAGES = ("en", "de", "fr")

# Lines that cast doubt, by kind: (what may stand before, the words, what may stand behind).
_DOUBTS: dict[str, dict[str, tuple[Sequence[str], Sequence[str], Sequence[str]]]] = {
    "retracts": {
        "en": (
            ("", "Sorry, ", "Oh, ", "No, ", "Hm, "),
            (
                "hold on",
                "wait",
                "please ignore that",
                "I changed my mind",
                "scrap that",
                "I take that back",
                "that was a mistake",
                "on second thought, A",
            ),
            ("", "!", ", I mean A", ", A instead"),
        ),
        "de": (
            ("", "Sorry, ", "Oh, ", "Nein, ", "Hm, "),
            (
                "warte",
                "Moment",
                "bitte ignorieren",
                "ich habe es mir anders überlegt",
                "vergiss das",
                "ich nehme das zurück",
                "das war ein Versehen",
                "doch lieber A",
            ),
            ("", "!", ", ich meine A", ", lieber A"),
        ),
        "fr": (
            ("", "Pardon, ", "Oh, ", "Non, ", "Euh, "),
            (
                "attends",
                "attendez",
                "ignorez cela",
                "j’ai changé d’avis",
                "oublie ça",
                "je retire ce que j’ai dit",
                "c’était une erreur",
                "finalement A",
            ),
            ("", " !", ", je veux dire A", ", plutôt A"),
        ),
    },
    "denies": {
        "en": (
            ("", "Please ", "But please ", "No: "),
            (
                "do not play this",
                "don’t do that",
                "do not make this move yet",
                "don’t count this",
                "not that one",
                "do not send this move",
            ),
            ("", "!", ", sorry", ", please", ", Ben"),
        ),
        "de": (
            ("", "Bitte ", "Aber bitte ", "Nein: "),
            (
                "das nicht ausführen",
                "nicht so gemeint",
                "diesen Zug nicht machen",
                "noch nicht ziehen",
                "das nicht werten",
                "nicht das",
            ),
            ("", "!", ", sorry", ", bitte", ", Ben"),
        ),
        "fr": (
            ("", "Svp ", "Mais svp ", "Non : "),
            (
                "ne jouez pas ça",
                "ne faites pas ça",
                "ne le faites pas encore",
                "ne comptez pas ce coup",
                "pas celui-là",
                "ne prenez pas ce coup",
            ),
            ("", " !", ", désolé", ", merci", ", Ben"),
        ),
    },
    "restricts": {
        "en": (
            ("", "But ", "And ", "OK, but "),
            (
                "only if Ben agrees",
                "only if we go on in January",
                "unless Ben objects",
                "provided that nobody minds",
                "as long as we finish this year",
                "if that is fine with you all",
            ),
            ("", ".", ", please", ", OK?"),
        ),
        "de": (
            ("", "Aber ", "Und ", "Ok, aber "),
            (
                "nur wenn Ben zustimmt",
                "nur falls wir im Januar weiterspielen",
                "es sei denn, Ben protestiert",
                "vorausgesetzt, keiner hat was dagegen",
                "solange wir dieses Jahr fertig werden",
                "wenn das für euch passt",
            ),
            ("", ".", ", bitte", ", ok?"),
        ),
        "fr": (
            ("", "Mais ", "Et ", "OK, mais "),
            (
                "seulement si Ben est d’accord",
                "uniquement si on reprend en janvier",
                "sauf si Ben s’y oppose",
                "à condition que personne ne proteste",
                "tant que nous finissons cette année",
                "si vous êtes tous d’accord",
            ),
            ("", ".", ", svp", ", ok ?"),
        ),
    },
    "postpones": {
        "en": (
            ("", "But ", "Sorry, ", "Well, "),
            (
                "not before Monday",
                "let me think about it first",
                "I will decide tomorrow",
                "please do it tomorrow",
                "not yet",
                "wait until I write again",
                "as soon as Ben is back",
            ),
            ("", ".", ", please", ", OK?"),
        ),
        "de": (
            ("", "Aber ", "Sorry, ", "Also "),
            (
                "nicht vor Montag",
                "ich muss noch überlegen",
                "ich entscheide morgen",
                "bitte erst morgen",
                "noch nicht",
                "warte, bis ich wieder schreibe",
                "sobald Ben wieder da ist",
            ),
            ("", ".", ", bitte", ", ok?"),
        ),
        "fr": (
            ("", "Mais ", "Désolé, ", "Bon, "),
            (
                "pas avant lundi",
                "je dois encore réfléchir",
                "je décide demain",
                "à faire demain",
                "pas encore",
                "attends que je réécrive",
                "dès que Ben est de retour",
            ),
            ("", ".", ", svp", ", ok ?"),
        ),
    },
}

TALK = {
    "en": (
        "Sorry for being so slow.",
        "What a game!",
        "See you tomorrow",
        "My cat says hello.",
        "That was close, Ben.",
        "I can’t wait to see what you do.",
        "Don’t worry, take your time.",
        "The kids were ill, so I am late.",
        "It’s raining here.",
        "Rome is lovely.",
    ),
    "de": (
        "Sorry, dass es so lange gedauert hat.",
        "Was für ein Spiel!",
        "Bis morgen",
        "Meine Katze grüßt euch.",
        "Das war knapp, Ben.",
        "Ich bin gespannt, was du machst.",
        "Kein Stress, lass dir Zeit.",
        "Die Kinder waren krank.",
        "Hier regnet es.",
        "Rom ist wunderbar.",
    ),
    "fr": (
        "Désolée d’avoir mis autant de temps.",
        "Quelle partie !",
        "À demain",
        "Mon chat vous salue.",
        "C’était juste, Ben.",
        "J’ai hâte de voir la suite.",
        "Pas de stress, prends ton temps.",
        "Les enfants étaient malades.",
        "Il pleut ici.",
        "Rome est superbe.",
    ),
}
GREETINGS = {
    "en": ("", "Hi all,\n", "Hello Ben,\n\n", "Dear friends,\n"),
    "de": ("", "Hallo zusammen,\n", "Hallo Ben,\n\n", "Liebe Leute,\n"),
    "fr": ("", "Bonjour à tous,\n", "Salut Ben,\n\n", "Chers amis,\n"),
}
CLOSINGS = {
    "en": (
        "",
        "\n\nBest wishes\nKarl",
        "\n\nCheers, Karl",
        "\n\nKarl Meier\nSenior Consultant\nACME GmbH\nTel. +49 30 1234567\n\nThis email is confidential. If you are not the intended recipient, do not read it and delete it.",
        "\n-- \nKarl",
    ),
    "de": (
        "",
        "\n\nViele Grüße\nKarl",
        "\n\nLG Karl",
        "\n\nKarl Meier\nVertrieb\nACME GmbH\nHauptstraße 3\n10115 Berlin\nTel. 030 1234567\n\nDiese E-Mail ist vertraulich. Wenn Sie nicht der Empfänger sind, löschen Sie sie und lesen Sie sie nicht.",
        "\n-- \nKarl",
    ),
    "fr": (
        "",
        "\n\nCordialement,\nKarl",
        "\n\nBises, Karl",
        "\n\nKarl Meier\nDirecteur\nACME SARL\n12, rue de la Paix\n75002 Paris\nTél. 01 23 45 67 89\n\nCe message est confidentiel. Si vous n’êtes pas le destinataire, ne le lisez pas.",
        "\n-- \nKarl",
    ),
}
SAY = {"en": "say: ", "de": "sag: ", "fr": "dis : "}
NOTE = {"en": "note: ", "de": "Notiz: ", "fr": "remarque : "}
MOVES = {"en": "B ring", "de": "B Ring", "fr": "B anneau"}
OTHER_MOVES = {"en": "C crown", "de": "C Krone", "fr": "C couronne"}
VOTES = {"en": "vote cancel", "de": "abstimmen abbrechen", "fr": "voter annuler la partie"}
STRUCK = ("-{}-", "~{}~", "~~{}~~", "--{}--", "– {} –")


def doubts(language: str, kind: str) -> list[str]:
    """Lines of this kind of doubt."""
    before, words, behind = _DOUBTS[kind][language]
    lines = (
        f"{a}{b if a else b[0].upper() + b[1:]}{c}"
        for a, b, c in itertools.product(before, words, behind)
    )
    return list(dict.fromkeys(lines))


KINDS = tuple(_DOUBTS)


def random_letters(
    language: str, count: int, seed: int
) -> Iterator[tuple[str, list[str], str, bool]]:
    """(a letter with one move, its talk, its message, whether it has a doubt)."""
    dice = random.Random(f"{language}/{seed}")
    for _letter in range(count):
        talk = dice.sample(TALK[language], dice.choice((0, 0, 1, 2)))
        said = dice.choice(("", dice.choice(TALK[language])))
        doubt = dice.choice(("", "", dice.choice(doubts(language, dice.choice(KINDS)))))
        lines = [MOVES[language]]
        if said:
            lines.insert(dice.choice((0, 1)), f"{SAY[language]}{said}")
        below = [*talk, *([doubt] if doubt else [])]
        dice.shuffle(below)
        if lines[-1].startswith(SAY[language].strip()) and below:
            lines.reverse()  # what follows words for the table belongs to them
            if lines[-1].startswith(SAY[language].strip()):
                below = []
                doubt = ""
                talk = []
        gap = dice.choice(("\n", "\n\n"))
        body = gap.join([*lines, *below])
        yield (
            f"{dice.choice(GREETINGS[language])}{body}{dice.choice(CLOSINGS[language])}",
            talk,
            said,
            bool(doubt),
        )
