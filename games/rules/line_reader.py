"""What the notations of all games share: how a line falls into words, and how errors quote it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence

from .contract import AmbiguousMove, IllegalMove, MalformedMove
from .text import Text, _

ECHO = 60  # characters of a line, or of a word, that an error quotes


class Vocabulary:
    """Keywords in several languages, words to ignore, and how a line falls into words.

    keywords: keyword → how people write it, in lower case without accents.
    """

    def __init__(
        self, keywords: Mapping[str, Sequence[str]], fillers: str, token: str, longest: int
    ) -> None:
        self.keyword = {word: keyword for keyword, words in keywords.items() for word in words}
        self.fillers = frozenset(fillers.split())
        self.token = re.compile(token)
        self.longest = longest  # characters of a line

    def words(self, line: str) -> list[str]:
        """The words of a line in lower case without accents, fillers left out."""
        tokens = (token.replace(" ", "") for token in self.token.findall(plain(line)))
        return [token for token in tokens if token not in self.fillers]

    def keywords(self, words: Collection[str]) -> list[str]:
        """The same words, keywords of any language in English."""
        return [self.keyword.get(word, word) for word in words]


def plain(line: str) -> str:
    """Lower case without accents, "×" as "x"."""
    decomposed = unicodedata.normalize("NFKD", line.casefold().replace("×", "x"))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


class LineReader:
    """One line, read from left to right; words that are read are taken off `words`."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.line = " ".join(text.split())
        if len(self.line) > vocabulary.longest:
            raise self.malformed(_("This line is too long to be a move."))
        self.words = vocabulary.words(self.line)

    def echo(self, reason: Text) -> Text:
        """The line and what there is to say about it."""
        return _("In “%(line)s”: %(reason)s", line=shortened(self.line), reason=reason)

    def malformed(self, reason: Text) -> MalformedMove:
        return MalformedMove(self.echo(reason))

    def illegal(self, reason: Text) -> IllegalMove:
        return IllegalMove(self.echo(reason))

    def ambiguous(self, reason: Text) -> AmbiguousMove:
        return AmbiguousMove(self.echo(reason))

    def finish(self) -> None:
        """MalformedMove where a word is left over."""
        if self.words:
            word = self.words[0][:ECHO]
            raise self.malformed(_("“%(word)s” does not belong here.", word=word))


def shortened(line: str) -> str:
    return line if len(line) <= ECHO else f"{line[:ECHO]}…"
