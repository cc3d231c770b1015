"""Static files as they are collected for production: style sheets and scripts lose their comments
and their indentation."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.files.base import ContentFile, File
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Comments that have lines of their own; ours have no others.
_COMMENTS = {
    ".css": re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n", re.DOTALL | re.MULTILINE),
    ".js": re.compile(r"^[ \t]*(?://.*|/\*\*.*?\*/[ \t]*)\n", re.MULTILINE),
}
_INDENTATION = re.compile(r"(?<=\n)\s+")  # no string of ours has several lines
_BREAKS_OF_STYLES = re.compile(r"(?<=[{;,}])\n|\n(?=\})")
OURS = "games/"


def compact(name: str, text: str) -> str:
    """The text of a file of ours, by its name below the folder of static files."""
    suffix = name[name.rfind(".") :]
    if not name.startswith(OURS) or suffix not in _COMMENTS:
        return text
    text = _INDENTATION.sub("", _COMMENTS[suffix].sub("", text))
    return _BREAKS_OF_STYLES.sub("", text) if suffix == ".css" else text


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """A table page has three kilobytes less to load without comments and indentation."""

    def _save(self, name: str, content: "File[Any]") -> str:
        if name.startswith(OURS) and name.endswith(tuple(_COMMENTS)):
            content.seek(0)  # its hash has been computed
            text = content.read().decode()
            content = ContentFile(compact(name, text).encode(), name=name)
        return str(super()._save(name, content))

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress all but scripts of the admin of which it loads the minified copy."""
        names: dict[str, str] = self.hashed_files
        unused = {
            hashed for name, hashed in names.items() if name.removesuffix("js") + "min.js" in names
        }
        yield from super().compress_files(path for path in paths if path not in unused)
