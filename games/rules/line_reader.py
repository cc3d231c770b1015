"""The common base of all notations: splitting a line into words, and quoting it in errors.

A line may be a sentence, as long as every word of it is accounted for: by the keywords of the
game, or by the fillers that all games share. A sentence with a doubtful word is never a move.
"""

import difflib
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

import msgspec

from .errors import AmbiguousMove, IllegalMove, MalformedMove
from .everyday_words import (
    BESIDE,
    COURTESIES,
    DOUBTFUL_SIGNS,
    DOUBTS,
    ELISIONS,
    FILLERS,
    MOVING,
    OPENERS,
    OPENING,
    PHRASES,
    POLITE,
    REPORTING,
    has_participle,
)
from .text import Text, _

ECHO = 60  # characters of a line, or of a word, that an error quotes
LONGEST_GUESS = 60  # words of a line that is corrected; each costs about a millisecond
MOST_UNKNOWN = 4  # words of a clause about moving that mean nothing
SHORTEST = 4  # letters of a word that may be misspelt; three where a letter is doubled or swapped
DOUBTFUL = "?"  # instead of a word of doubt that was misspelt
ALIKE = 0.79  # how alike a word and the nearest one are for a hint, as difflib counts

# Characters between and around words: arrows, dashes, quotation marks, bold marks, brackets.
_ORNAMENT = re.compile(
    "[\u2010-\u2015\u2212\u2190-\u21ff\u27f0-\u27ff\u2794\u27a1\u2b05-\u2b07\u2013„“”«»‹›‘’•·…`#@_{}\\[\\]]"
    r"|(?<![-=~])[-=~]++>[=>]*+|(?<![!<=>])[=>]++(?!<)|(?<!\d)\*+|\*+(?!\s*\w)"
)
# Where a clause ends, as opposed to a step or a word.
_CLAUSE_END = re.compile(r"[.,;:!()\n\u2013\u2014]| - ")
_SLASH = re.compile(r"(?<!\w)(\w++)\s*+/\s*(?=(\w+))")


_ACCENTED = ("à", "dé")  # fillers that mean something else without their accent
_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")


class Token(msgspec.Struct, frozen=True):
    """One word of a line. word: in lower case without accents; raw: as it was written.

    opens: it begins the line or a sentence of it, where a capital says nothing. clause: its number.
    """

    word: str
    raw: str
    opens: bool = False
    clause: int = 0


class Vocabulary:
    """Keywords in several languages, words to ignore, and how a line falls into words.

    keywords: keyword → how people write it, in lower case without accents. fillers: words to ignore
    besides those that all games ignore. kinds: patterns of words that mean different things, so
    that a slash between two of them joins and names no alternative.
    """

    def __init__(
        self,
        keywords: Mapping[str, Sequence[str]],
        fillers: str,
        token: str,
        longest: int,
        kinds: Sequence[str] = (),
    ) -> None:
        self.keyword = {word: keyword for keyword, words in keywords.items() for word in words}
        self.fillers = (FILLERS | frozenset(fillers.split())).difference(self.keyword)
        self.doubts = DOUBTS.difference(self.keyword, fillers.split())
        self.token = re.compile(token, re.IGNORECASE)
        self.longest = longest  # characters of a line
        self.kinds = [re.compile(kind) for kind in kinds]

    def tokens(self, line: str) -> list[Token]:
        """All words of a line, fillers included, courtesies and ornaments left out."""
        text = cleaned(line)
        found: list[Token] = []
        end = clause = 0
        for match in self.token.finditer(text):
            between = text[end : match.start()]
            opens = not found or bool(re.search(r"[.!;\n]", between))
            clause += _CLAUSE_END.search(between) is not None
            found.append(Token(plain(match[0]).replace(" ", ""), match[0], opens, clause))
            end = match.end()
        return found

    def words(self, line: str) -> list[str]:
        """The words of a line in lower case without accents, fillers left out."""
        return [token.word for token in self.tokens(line) if not self.is_filler(token)]

    def keywords(self, words: Collection[str]) -> list[str]:
        """The same words, keywords of any language in English."""
        return [self.keyword.get(word, word) for word in words]

    def is_filler(self, token: Token) -> bool:
        return token.word in self.fillers or token.raw.casefold() in _ACCENTED

    def is_doubtful(self, line: str, *, polite: bool = False) -> bool:
        """Return whether a line negates, doubts, asks, reports or looks back.

        polite: a wish in the conditional counts as one too ("I would like to …").
        """
        text = without_courtesies(line)
        if polite and POLITE.search(text):
            return True
        text = PHRASES.sub(" ", POLITE.sub(" ", text))
        if DOUBTFUL_SIGNS.search(text) or has_participle(text):
            return True
        words = _WORD.findall(plain(re.sub(r"['’`]", "", text)))
        parts = _WORD.findall(plain(text))
        return not self.doubts.isdisjoint(words) or not self.doubts.isdisjoint(parts)

    def simplified(self, line: str) -> str:
        """The line without a greeting or an apology and the clause behind it, without the numbers
        of a list, and with spaces for slashes that join.

        Clauses that name a figure or a number stay, and so does the last one behind a greeting.
        """
        kept, follows = list[str](), False
        clauses = re.split(r"(?<=[.,;:!–—\n])\s+", composed(line))
        for number, clause in enumerate(clauses, 1):
            opens = OPENING.match(clause) is not None
            names = re.search(r"\d|\b[abc]\b", clause, re.IGNORECASE) is not None
            is_reason = follows and number < len(clauses)
            if names or not (opens or is_reason):
                kept.append(clause)
            follows = opens
        text = " ".join(kept)
        if re.match(r"\s*1[.)]\s", text):
            text = re.sub(r"(?<!\S)[1-9][.)]\s+", "", text)
        return _SLASH.sub(self._joined, text)

    def _joined(self, slash: re.Match[str]) -> str:
        first, second = (
            next((n for n, kind in enumerate(self.kinds) if kind.fullmatch(plain(word))), None)
            for word in slash.groups()
        )
        return slash[0] if first == second else f"{slash[1]} "

    def correction(self, word: str, names: Collection[str]) -> str:
        """One of `names`, a keyword or a filler that was misspelt; DOUBTFUL for a doubtful word, ""
        for any other."""
        if (found := _misspelt(word, tuple(names))) is not None:
            return found
        for known in (self.keyword, MOVING, self.fillers, self.doubts):
            found = _misspelt(word, _with_ends(word, known))
            is_short = known is not self.keyword and len(word) <= SHORTEST
            if found is not None and not (is_short and sorted(found) != sorted(word)):
                return DOUBTFUL if known is self.doubts else found
        return ""

    def nearest(self, word: str, others: Collection[str] = ()) -> str | None:
        """The keyword, or one of `others`, that was probably meant by an unknown word."""
        if len(word) < 3:
            return None
        known = [name for name in (*self.keyword, *others) if len(name) > 3]
        return _closest(word, tuple(known), ALIKE)


@lru_cache(maxsize=4096)  # each search takes a millisecond, and answers repeat the same help
def _misspelt(word: str, names: tuple[str, ...]) -> str | None:
    """The first of these words that `word` is with one typing error; None if there is none."""
    return next((name for name in names if _is_slip(word, name)), None)


def _with_ends(word: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the names that begin and end like the word, or have its letters. A word with another
    end is another form, or another word."""
    ends, letters = (word[:1], word[-1:]), sorted(word)  # a lone accent leaves no letter
    return tuple(
        name for name in names if name and ((name[0], name[-1]) == ends or sorted(name) == letters)
    )


def _is_slip(typed: str, word: str) -> bool:
    """Return whether one letter is missing, added or wrong, or two are swapped."""
    more = len(typed) - len(word)
    if abs(more) > 1 or len(word) < SHORTEST - 1 or typed == word:
        return False
    alike = next((n for n, (a, b) in enumerate(zip(typed, word, strict=False)) if a != b), None)
    at = min(len(typed), len(word)) if alike is None else alike
    if more == 1:
        return typed[at + 1 :] == word[at:]
    if more == 0 and typed[at : at + 2] == word[at : at + 2][::-1]:
        return typed[at + 2 :] == word[at + 2 :]
    if len(word) < SHORTEST:
        return False
    return typed[at + 1 :] == word[at + 1 :] if more == 0 else typed[at:] == word[at + 1 :]


@lru_cache(maxsize=4096)
def _closest(word: str, names: tuple[str, ...], alike: float) -> str | None:
    """The name that is most like the word; None if none has at least this ratio (0 … 1)."""
    return next(iter(difflib.get_close_matches(word, names, 1, alike)), None)


def composed(line: str) -> str:
    """The line in composed letters, "×" as "x", keycap digits as digits, "w/" as "with"."""
    text = unicodedata.normalize("NFKC", line.replace("\ufe0f\u20e3", "").replace("×", "x"))
    return re.sub(r"\bw/\s*", "with ", text.replace("\u20e3", ""))


def without_courtesies(line: str) -> str:
    """The composed line without thanks and wishes, which change the meaning of no line."""
    return COURTESIES.sub(" , ", composed(line))


def cleaned(line: str) -> str:
    """The line without courtesies, ornaments and pictures."""
    text = PHRASES.sub(" ", POLITE.sub(" ", without_courtesies(line)))
    text = re.sub("[\u2013\u2014…]", ",", ELISIONS.sub(" ", text))
    text = _ORNAMENT.sub(" ", text)
    return "".join(" " if unicodedata.category(c) in ("So", "Sk") else c for c in text)


def has_phrase(line: str) -> bool:
    """Return whether a line has a turn of phrase, as a sentence has."""
    text = without_courtesies(line)
    return PHRASES.search(text) is not None or POLITE.search(text) is not None


def plain(line: str) -> str:
    """Lower case without accents, "×" as "x"."""
    decomposed = unicodedata.normalize("NFKD", line.casefold().replace("×", "x"))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


class LineReader:
    """One line, read from left to right; words that are read are taken off `words`."""

    def __init__(self, text: str, vocabulary: Vocabulary, *, is_guess: bool = False) -> None:
        """is_guess: the line is only asked about, so it may be a polite conditional."""
        self.line = " ".join(text.split())
        if len(self.line) > vocabulary.longest:
            raise self.malformed(_("This line is too long to be a move."))
        self.vocabulary = vocabulary
        self.has_phrase = has_phrase(self.line)
        if vocabulary.is_doubtful(self.line, polite=not is_guess):
            raise self.no_order()
        self.tokens = vocabulary.tokens(self.line)
        self.words = [token.word for token in self.tokens if not vocabulary.is_filler(token)]

    def echo(self, reason: Text) -> Text:
        """The line and what there is to say about it."""
        return _("In “%(line)s”: %(reason)s", line=shortened(self.line), reason=reason)

    def malformed(self, reason: Text) -> MalformedMove:
        return MalformedMove(self.echo(reason))

    def no_order(self) -> MalformedMove:
        """The error for a line that may be meant for no move at all."""
        return self.malformed(
            _("It is not clear whether this line is a move. To move, send only the move.")
        )

    def illegal(self, reason: Text) -> IllegalMove:
        return IllegalMove(self.echo(reason))

    def ambiguous(self, reason: Text) -> AmbiguousMove:
        return AmbiguousMove(self.echo(reason))

    def unknown(self, word: str, others: Collection[str] = ()) -> MalformedMove:
        """The error for a word that means nothing here, with the nearest one that does."""
        near = self.vocabulary.nearest(word, others)
        if near is not None and near != word:
            return self.malformed(
                _(
                    "We do not know “%(word)s”. Did you mean “%(near)s”?",
                    word=word[:ECHO],
                    near=near,
                )
            )
        return self.malformed(
            _("We do not understand “%(word)s” as part of a move.", word=word[:ECHO])
        )

    def leave_out_unknown(self, known: Callable[[str], bool], names: Collection[str] = ()) -> None:
        """Correct words that are misspelt, and leave out what stands around the move.

        known: whether a word other than a keyword means something. names: of things of the game.
        MalformedMove where the line is not about moving: a clause that names something of the game
        may have other words only behind a greeting or an apology, or if it has a verb of moving. A
        line that names nothing but an answer may have none at all.
        """
        if len(self.tokens) > LONGEST_GUESS:
            raise self.malformed(_("This line is too long to be a move."))
        left_out, kept = 0, list[Token]()
        for _clause, tokens in groupby(self.tokens, lambda token: token.clause):
            clause = self.without_opening(list(tokens), known)
            words = [self.meaning(token, known, names) for token in clause]
            if any(not a and b in REPORTING for a, b in pairwise(words)):
                raise self.malformed(_("This seems to be about someone else."))
            terms = any(self.is_term(word, known) for word in words)
            if terms and DOUBTFUL in words:
                raise self.no_order()
            strange = words.count("")
            if terms and strange > (0 if MOVING.isdisjoint(words) else MOST_UNKNOWN):
                raise self.no_order()
            left_out += strange + len(BESIDE.intersection(words) - self.vocabulary.fillers)
            left_out += sum(
                word not in ("", token.word) and not self.is_term(word, known)
                for token, word in zip(clause, words, strict=True)
            )
            kept += [
                msgspec.structs.replace(token, word=word)
                for token, word in zip(clause, words, strict=True)
                if terms and (self.vocabulary.is_filler(token) or self.is_term(word, known))
            ]
        if left_out and not any(known(token.word) for token in kept):
            raise self.no_order()
        self.tokens = kept
        self.words = [token.word for token in kept if not self.vocabulary.is_filler(token)]

    def without_opening(self, clause: list[Token], known: Callable[[str], bool]) -> list[Token]:
        """The clause without a greeting or an apology that it begins with."""
        words = [token.word for token in clause]
        first = next((n for n, word in enumerate(words) if self.is_term(word, known)), len(words))
        opener = next((n for n, word in enumerate(words[:first]) if word in OPENERS), None)
        return clause if opener is None else clause[:opener] + clause[first:]

    def meaning(self, token: Token, known: Callable[[str], bool], names: Collection[str]) -> str:
        """The word as it was meant; "" for one that means nothing, DOUBTFUL for a doubtful one."""
        word, vocabulary = token.word, self.vocabulary
        if self.is_around(token) or word in OPENERS or self.is_term(word, known):
            return word
        return vocabulary.correction(word, names)

    def is_around(self, token: Token) -> bool:
        """Return whether a word says nothing about which move is meant."""
        is_term = token.word in self.vocabulary.keyword
        return self.vocabulary.is_filler(token) or (
            not is_term and token.word in MOVING | BESIDE | REPORTING
        )

    def is_term(self, word: str, known: Callable[[str], bool]) -> bool:
        return word in self.vocabulary.keyword or known(word)

    def finish(self) -> None:
        """MalformedMove where a word is left over."""
        if self.words:
            word = self.words[0][:ECHO]
            raise self.malformed(_("“%(word)s” does not belong here.", word=word))


def shortened(line: str) -> str:
    return line if len(line) <= ECHO else f"{line[:ECHO]}…"
