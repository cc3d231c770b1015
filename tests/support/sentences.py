"""Sentences in which people say a move, and some in which they only seem to, made at random.

A sentence is made from a move in pieces, so the move that it means is known without reading it.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from games.rules.escape.notation.vocabulary import DENIALS

LANGUAGES = ("en", "de", "fr")

ITEMS = {
    "en": dict.fromkeys(("flag", "olive", "helmet", "amphora", "ring", "crown", "statue"), ""),
    "de": {
        "flag": "Flagge",
        "olive": "Olive",
        "helmet": "Helm",
        "amphora": "Amphore",
        "ring": "Ring",
        "crown": "Krone",
        "statue": "Statue",
    },
    "fr": {
        "flag": "drapeau",
        "olive": "olive",
        "helmet": "casque",
        "amphora": "amphore",
        "ring": "anneau",
        "crown": "couronne",
        "statue": "statue",
    },
}
ITEMS["en"] = {item: item for item in ITEMS["en"]}

PAY = {"en": ["pay", "and pay", "I pay"], "de": ["zahle", "ich zahle"], "fr": ["paie", "je paie"]}
BRIDGE = {
    "en": ["bridge {}", "a bridge on {}", "bridge at {}"],
    "de": ["Brücke {}", "Brücke auf {}", "Brücke über {}"],
    "fr": ["pont {}", "pont sur {}", "pont sur la case {}"],
}
ARTICLES = {
    "en": ["", "the ", "my "],
    "de": ["", "die ", "eine ", "mein ", "den "],
    "fr": ["", "le ", "la ", "mon ", "une "],
}
AND = {"en": " and ", "de": " und ", "fr": " et "}
MOVES = {
    "en": [
        "{f} {c}",
        "I play {f} {c}",
        "I'll play {f} with {c}",
        "my move: {f} {c}",
        "My move is {f} {c}",
        "figure {f} with {c}",
        "move {f} with {c}",
        "I move figure {f} using {c}",
        "with {f} I play {c}",
        "play {c} with figure {f}",
        "let's play {f} {c}",
        "{f} – {c}",
        "{f} -> {c}",
        "{f}: {c}",
        "*{f} {c}*",
        "I want to take {f} and play {c}",
        "{f} goes with {c}",
    ],
    "de": [
        "{f} {c}",
        "ich spiele {f} mit {c}",
        "Ich ziehe {f} mit {c}",
        "mein Zug: {f} {c}",
        "Mein Zug ist {f} {c}",
        "Figur {f} mit {c}",
        "mit {f} spiele ich {c}",
        "ich ziehe mit Figur {f} und spiele {c}",
        "ich möchte {f} mit {c} ziehen",
        "spiele {c} mit Figur {f}",
        "{f} – {c}",
        "{f} → {c}",
        "ich werde {f} mit {c} ziehen",
        "ich nehme {f} und {c}",
    ],
    "fr": [
        "{f} {c}",
        "je joue {f} {c}",
        "Je joue {f} avec {c}",
        "mon coup : {f} {c}",
        "Mon coup est {f} {c}",
        "figure {f} avec {c}",
        "avec {f} je joue {c}",
        "je vais jouer {f} avec {c}",
        "je voudrais jouer {f} {c}",
        "je joue {c} avec la figure {f}",
        "c'est {f} {c}",
        "{f} – {c}",
        "{f} => {c}",
        "je prends {f} et {c}",
    ],
}
BEFORE = {
    "en": ["", "", "", "Hi, ", "Hello all! ", "ok, ", "Thanks, ", "please ", "Dear all, ", "So "],
    "de": ["", "", "", "Hallo, ", "Guten Morgen, ", "ok, ", "Moin! ", "bitte ", "also "],
    "fr": ["", "", "", "Bonjour, ", "Salut à tous, ", "ok, ", "merci, ", "alors "],
}
BEHIND = {
    "en": ["", "", "", " please", ", thanks!", " 😀", ".", "!", ", thank you very much", " 🎉🎉"],
    "de": ["", "", "", " bitte", ", danke!", " 😊", ".", ", vielen Dank", ", viele Grüße"],
    "fr": ["", "", "", " svp", ", merci !", " 🙂", ".", ", s'il vous plaît", ", merci beaucoup"],
}
# What makes of any move none.
DOUBT = {
    "en": [
        "not {}",
        "don't play {}",
        "maybe {}",
        "should I play {}",
        "{}?",
        "I played {}",
        "if I can, {}",
        "Bob said {}",
        "I would play {}",
        "{} or not",
        "I think {}",
        "never {}",
        "{} instead",
        "I was going to say {}",
        "what about {}",
        "perhaps {}",
        "{}, but later",
        "forget {}",
        "I have {}",
        "{} is wrong",
        "~~{}~~",
        "he wants {}",
        "👎 {}",
        "unless {}",
    ],
    "de": [
        "nicht {}",
        "ich spiele nicht {}",
        "vielleicht {}",
        "soll ich {} spielen",
        "{}?",
        "ich habe {} gespielt",
        "wenn es geht, {}",
        "Bob sagte {}",
        "ich würde {} ziehen",
        "{} oder nicht",
        "ich glaube {}",
        "nie {}",
        "statt {}",
        "{}, aber später",
        "kein {}",
        "{} war falsch",
        "lieber {}",
        "ich hatte {}",
        "was ist mit {}",
        "noch nicht {}",
    ],
    "fr": [
        "pas {}",
        "je ne joue pas {}",
        "peut-être {}",
        "dois-je jouer {} ?",
        "{} ?",
        "j'ai joué {}",
        "si possible {}",
        "Bob a dit {}",
        "je jouerais {} sinon",
        "{} ou non",
        "je pense {}",
        "jamais {}",
        "au lieu de {}",
        "{}, mais plus tard",
        "sans {}",
        "{} était faux",
        "plutôt {}",
        "j'avais {}",
        "et si je jouais {}",
        "aucun {}",
    ],
}


# A move whose figure is not named, and a noun in front of which "a" is an article.
UNNAMED = {
    "en": ["{}", "play {}", "I play {}", "a {}", "A {} please", "play a {}", "a {}, please"],
    "de": ["{}", "spiele {}", "ich spiele {}", "ich nehme die {}", "{} bitte", "mit {}"],
    "fr": ["{}", "joue {}", "je joue {}", "je prends le {}", "{} svp", "avec {}", "une {}"],
}
NAMED = {
    "en": ["{f} plays a {c}", "{f} a {c}", "{f} with a {c}", "figure {f}: play a {c}"],
    "de": ["{f} spielt die {c}", "{f} die {c}", "{f} mit einer {c}", "Figur {f}: spiele {c}"],
    "fr": ["{f} joue le {c}", "{f} la {c}", "{f} avec une {c}", "figure {f} : je joue {c}"],
}


@dataclass(frozen=True)
class Sentence:
    """line: what somebody writes. move: what it means, in notation; None for no move at all.

    is_unnamed: the line does not say which figure is meant.
    """

    line: str
    move: str | None
    language: str
    is_unnamed: bool = False


def atlantis(moves: list[str], language: str, dice: random.Random) -> Iterator[Sentence]:
    """Endless sentences about these moves in notation."""
    while True:
        move = dice.choice(moves)
        words = move.split()
        if len(words) == 2 and words[0] in "ABC" and dice.random() < 0.5:
            item = ITEMS[language][words[1]]
            if dice.random() < 0.5:
                line = dice.choice(UNNAMED[language]).format(item)
                yield Sentence(line, move, language, is_unnamed=True)
            else:
                line = dice.choice(NAMED[language]).format(f=words[0], c=item)
                yield Sentence(_typed(line, dice), move, language)
            continue
        said = _atlantis(move, language, dice)
        yield from _spoken(said, move, language, dice)


def _spoken(said: str, move: str, language: str, dice: random.Random) -> Iterator[Sentence]:
    if dice.random() < 0.25 and said not in DENIALS:  # "aucun rien" denies no more than "rien"
        yield Sentence(_typed(dice.choice(DOUBT[language]).format(said), dice), None, language)
        return
    said = dice.choice(BEFORE[language]) + said + dice.choice(BEHIND[language])
    yield Sentence(_typed(said, dice), move, language)


def _typed(line: str, dice: random.Random) -> str:
    """The line with capitals and accents as people type them."""
    way = dice.random()
    if way < 0.1:
        line = re.sub(r"(?<![\w'])([ac])(?![\w'])", lambda m: m[1], line)
        line = re.sub(r"\b(?![ACac]\b)\w+", lambda m: m[0].lower(), line)
    elif way < 0.2:
        line = line[:1].upper() + line[1:]
    if dice.random() < 0.2:
        line = line.translate(str.maketrans("éèêàçùâîôû", "eeeacuaiou")).replace("ü", "ue")
    return line


def _atlantis(move: str, language: str, dice: random.Random) -> str:
    words = move.split()
    if words[0] == "buy":
        verb = {"en": "sell tile {}", "de": "ich verkaufe {}", "fr": "je vends {}"}[language]
        return dice.choice(
            [verb, {"en": "buy {}", "de": "kaufe {}", "fr": "achète {}"}[language]]
        ).format(words[1])
    if words[0] == "pass":
        return {"en": "I pass", "de": "ich passe", "fr": "je passe"}[language]
    before = ""
    if words[0] == "bridge":
        before = dice.choice(BRIDGE[language]).format(words[1]) + dice.choice([", ", " "])
        words = words[2:]
    figure, words = words[0], words[1:]
    cards, coins, after = [], [], ""
    while words and words[0] not in ("pay", "bridge"):
        cards.append(words.pop(0))
    if words and words[0] == "pay":
        words.pop(0)
        while words and words[0] != "bridge":
            coins.append(words.pop(0))
    if words:
        after = dice.choice([", ", " "]) + dice.choice(BRIDGE[language]).format(words[1])
    names, article = ITEMS[language], dice.choice(ARTICLES[language])
    joined = dice.choice([" ", ", ", AND[language]]).join(article + names[card] for card in cards)
    said = before + dice.choice(MOVES[language]).format(f=figure, c=joined)
    if coins:
        join = dice.choice([" ", ", ", AND[language]])
        paid = join.join(names.get(coin, coin) for coin in coins)
        said += dice.choice([" ", ", "]) + dice.choice(PAY[language]) + " " + paid
    return said + after


ESCAPE = {
    "en": {
        "walk": [
            "{0} {1}",
            "{0} to {1}",
            "I move {0} to {1}",
            "move {0} to {1}",
            "{0} goes to {1}",
            "{0} -> {1}",
        ],
        "ship": ["{0} ship {1}", "{0} boards the ship on {1}", "{0} into the ship at {1}"],
        "swim": ["{0} swim {1}", "{0} swims to {1}", "{0} jumps into the water at {1}"],
        "isle": ["{0} isle", "{0} goes ashore", "{0} to the island"],
        "sail": ["sail {0} {1}", "sail from {0} to {1}", "I sail the ship from {0} to {1}"],
        "sink": ["sink {0}", "I sink {0}", "then sink the tile {0}", "and sink {0}"],
        "place": ["place {0} {1}", "I place my {0} on {1}", "place the {0} at {1}", "{0} on {1}"],
        "launch": ["ship {0}", "place a ship on {0}", "a ship at {0}"],
        "creature": ["{2} {0} {1}", "the {2} from {0} to {1}", "move the {2} from {0} to {1}"],
    },
    "de": {
        "walk": [
            "{0} {1}",
            "{0} nach {1}",
            "ich ziehe {0} nach {1}",
            "{0} geht auf {1}",
            "bewege {0} nach {1}",
        ],
        "ship": ["{0} Schiff {1}", "{0} auf das Schiff {1}", "{0} geht ins Schiff auf {1}"],
        "swim": ["{0} schwimmt nach {1}", "{0} schwimm {1}", "{0} springt ins Wasser auf {1}"],
        "isle": ["{0} Insel", "{0} geht an Land", "{0} auf die Insel"],
        "sail": [
            "segle {0} {1}",
            "segle von {0} nach {1}",
            "ich segle das Schiff von {0} nach {1}",
        ],
        "sink": [
            "versenke {0}",
            "ich versenke {0}",
            "dann versenke ich {0}",
            "und versenke das Feld {0}",
        ],
        "place": [
            "setze {0} {1}",
            "ich setze meine {0} auf {1}",
            "setze die {0} auf {1}",
            "{0} auf {1}",
        ],
        "launch": ["Schiff {0}", "setze ein Schiff auf {0}", "ein Schiff auf {0}"],
        "creature": [
            "{2} {0} {1}",
            "den {2} von {0} nach {1}",
            "ich ziehe den {2} von {0} nach {1}",
        ],
    },
    "fr": {
        "walk": ["{0} {1}", "{0} en {1}", "je déplace {0} en {1}", "{0} va en {1}", "{0} vers {1}"],
        "ship": ["{0} navire {1}", "{0} dans le navire en {1}", "{0} sur le bateau {1}"],
        "swim": ["{0} nage {1}", "{0} nage en {1}", "{0} saute dans l'eau en {1}"],
        "isle": ["{0} île", "{0} sur l'île"],
        "sail": ["navigue {0} {1}", "je navigue de {0} à {1}", "navigue de {0} vers {1}"],
        "sink": ["coule {0}", "je coule {0}", "puis je coule {0}", "et je coule la tuile {0}"],
        "place": ["pose {0} {1}", "je pose mon {0} en {1}", "place le {0} sur {1}", "{0} en {1}"],
        "launch": ["navire {0}", "je pose un navire en {0}", "un bateau sur {0}"],
        "creature": ["{2} {0} {1}", "le {2} de {0} à {1}", "je déplace le {2} de {0} en {1}"],
    },
}
CREATURES = {
    "en": {"serpent": "serpent", "shark": "shark", "whale": "whale"},
    "de": {"serpent": "Seeschlange", "shark": "Hai", "whale": "Wal"},
    "fr": {"serpent": "serpent", "shark": "requin", "whale": "baleine"},
}
WHOLE = {
    "en": {"defend": "I defend", "allow": "I allow it", "stay": "stay", "roll": "roll the dice"},
    "de": {
        "defend": "ich wehre ab",
        "allow": "ich lasse es zu",
        "stay": "bleib",
        "roll": "würfeln",
    },
    "fr": {
        "defend": "je me défends",
        "allow": "je laisse faire",
        "stay": "rien",
        "roll": "je lance le dé",
    },
}


def escape(moves: list[str], language: str, dice: random.Random) -> Iterator[Sentence]:
    """Endless sentences about these moves in notation."""
    while True:
        move = dice.choice(moves)
        orders = [_escape(order, language, dice) for order in move.split(", ")]
        said = dice.choice([", ", "; ", AND[language]]).join(orders)
        yield from _spoken(said, move, language, dice)


def _escape(order: str, language: str, dice: random.Random) -> str:
    ways, words = ESCAPE[language], order.split()
    if order in WHOLE[language]:
        return dice.choice([order, WHOLE[language][order]])
    match words:
        case ["sail" | "sink" as verb, *hexes]:
            return dice.choice(ways[verb]).format(*hexes)
        case ["place", value, hex_]:
            return dice.choice(ways["place"]).format(value, hex_)
        case ["ship", hex_]:
            return dice.choice(ways["launch"]).format(hex_)
        case [who, "ship" | "swim" as verb, hex_]:
            return dice.choice(ways[verb]).format(who, hex_)
        case [who, "isle"]:
            return dice.choice(ways["isle"]).format(who)
        case [creature, start, to] if creature in CREATURES["en"]:
            return dice.choice(ways["creature"]).format(start, to, CREATURES[language][creature])
        case [who, hex_]:
            return dice.choice(ways["walk"]).format(who, hex_)
    return order
