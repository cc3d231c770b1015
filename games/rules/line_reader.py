"""What the notations of all games share: how a line falls into words, and how errors quote it.

A line may be a sentence, as long as every word of it is accounted for: by the keywords of the
game, or by the fillers that all games share. A sentence with a doubtful word is never a move.
"""

import difflib
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

import msgspec

from .errors import AmbiguousMove, IllegalMove, MalformedMove
from .everyday_words import (
    COURTESIES,
    DOUBTFUL_SIGNS,
    DOUBTS,
    ELISIONS,
    FILLERS,
    PHRASES,
    POLITE,
    REPORTING,
    has_participle,
)
from .text import Text, _

ECHO = 60  # characters of a line, or of a word, that an error quotes
LONGEST_GUESS = 60  # words of a line that is corrected; each costs about a millisecond
MOST_UNKNOWN = 12  # words of a line that mean nothing, for it to be close to a move
ALIKE = 0.79  # how alike a word and its correction are, as difflib counts
VERY_ALIKE = 0.85  # the same for keywords

# What people put between and around words: arrows, dashes, quotation marks, bold marks.
_ORNAMENT = re.compile(
    "[\u2010-\u2015\u2212\u2190-\u21ff\u27f0-\u27ff\u2794\u27a1\u2b05-\u2b07\u2013„“”«»‹›‘’•·…`]"
    r"|[-=~]+>|(?<!\d)\*+|\*+(?!\s*\w)|(?<!\w)_+|_+(?!\w)"
)


_ACCENTED = ("à", "dé")  # fillers that mean something else without their accent
_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")


class Token(msgspec.Struct, frozen=True):
    """One word of a line. word: in lower case without accents; raw: as it was written.

    opens: it begins the line or a sentence of it, where a capital says nothing.
    """

    word: str
    raw: str
    opens: bool = False


class Vocabulary:
    """Keywords in several languages, words to ignore, and how a line falls into words.

    keywords: keyword → how people write it, in lower case without accents. fillers: words to ignore
    besides those that all games ignore.
    """

    def __init__(
        self, keywords: Mapping[str, Sequence[str]], fillers: str, token: str, longest: int
    ) -> None:
        self.keyword = {word: keyword for keyword, words in keywords.items() for word in words}
        self.fillers = (FILLERS | frozenset(fillers.split())).difference(self.keyword)
        self.doubts = DOUBTS.difference(self.keyword, fillers.split())
        self.token = re.compile(token, re.IGNORECASE)
        self.longest = longest  # characters of a line

    def tokens(self, line: str) -> list[Token]:
        """All words of a line, fillers included, courtesies and ornaments left out."""
        text = cleaned(line)
        found: list[Token] = []
        end = 0
        for match in self.token.finditer(text):
            between = text[end : match.start()]
            opens = not found or bool(re.search(r"[.!;\n]", between))
            found.append(Token(plain(match[0]).replace(" ", ""), match[0], opens))
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
        """Whether a line negates, doubts, asks, reports or looks back.

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

    def correction(self, word: str, names: Collection[str]) -> str | None:
        """One of `names`, or a keyword, that was misspelt. Keywords are short, and so more words
        look like them."""
        known = [name for name in names if len(name) > 3] if len(word) > 2 else []
        return _closest(word, tuple(known), ALIKE) or _closest(
            word, tuple(self.keyword), VERY_ALIKE
        )

    def nearest(self, word: str, others: Collection[str] = ()) -> str | None:
        """The keyword, or one of `others`, that was probably meant by an unknown word."""
        if len(word) < 3:
            return None
        known = [name for name in (*self.keyword, *others) if len(name) > 3]
        return _closest(word, tuple(known), ALIKE)


@lru_cache(maxsize=4096)  # each search takes a millisecond, and answers repeat the same help
def _closest(word: str, names: tuple[str, ...], alike: float) -> str | None:
    """The name that is most like the word; None if none has at least this ratio (0 … 1)."""
    return next(iter(difflib.get_close_matches(word, names, 1, alike)), None)


def composed(line: str) -> str:
    """The line in composed letters, "×" as "x", keycap digits as digits, "w/" as "with"."""
    text = unicodedata.normalize("NFKC", line.replace("\ufe0f\u20e3", "").replace("×", "x"))
    return re.sub(r"\bw/\s*", "with ", text.replace("\u20e3", ""))


def without_courtesies(line: str) -> str:
    """The composed line without thanks and wishes, which change the meaning of no line."""
    return COURTESIES.sub(" ", composed(line))


def cleaned(line: str) -> str:
    """The line without courtesies, ornaments and pictures."""
    text = PHRASES.sub(" ", POLITE.sub(" ", without_courtesies(line)))
    text = _ORNAMENT.sub(" ", ELISIONS.sub(" ", text))
    return "".join(" " if unicodedata.category(c) in ("So", "Sk") else c for c in text)


def has_phrase(line: str) -> bool:
    """Whether a line has a turn of phrase, as a sentence has."""
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
            raise self.malformed(
                _("This line does not clearly ask for a move. To move, send only the move.")
            )
        self.tokens = vocabulary.tokens(self.line)
        self.words = [token.word for token in self.tokens if not vocabulary.is_filler(token)]

    def echo(self, reason: Text) -> Text:
        """The line and what there is to say about it."""
        return _("In “%(line)s”: %(reason)s", line=shortened(self.line), reason=reason)

    def malformed(self, reason: Text) -> MalformedMove:
        return MalformedMove(self.echo(reason))

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

    def leave_out_unknown(self, known: Callable[[str], bool], names: Collection[str] = ()) -> int:
        """Correct words that are misspelt, leave out those that mean nothing; how many these are.

        known: whether a word other than a keyword means something. names: of things of the game.
        MalformedMove where the line says what somebody else does.
        """
        if len(self.tokens) > LONGEST_GUESS:
            raise self.malformed(_("This line is too long to be a move."))
        kept: list[Token] = []
        for at, token in enumerate(self.tokens):
            word, vocabulary = token.word, self.vocabulary
            if vocabulary.is_filler(token) or word in vocabulary.keyword or known(word):
                kept.append(token)
            elif (near := vocabulary.correction(word, names)) is not None:
                kept.append(msgspec.structs.replace(token, word=near))
            elif at + 1 < len(self.tokens) and self.tokens[at + 1].word in REPORTING:
                raise self.malformed(_("This seems to be about somebody else."))
        left_out = len(self.tokens) - len(kept)
        self.tokens = kept
        self.words = [token.word for token in kept if not self.vocabulary.is_filler(token)]
        return left_out

    def finish(self) -> None:
        """MalformedMove where a word is left over."""
        if self.words:
            word = self.words[0][:ECHO]
            raise self.malformed(_("“%(word)s” does not belong here.", word=word))


def shortened(line: str) -> str:
    return line if len(line) <= ECHO else f"{line[:ECHO]}…"
