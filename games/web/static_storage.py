"""Static files as they are collected for production: style sheets and scripts lose their comments
and their indentation."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.files.base import ContentFile, File
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Comments that have lines of their own.
_COMMENTS = {
    ".css": re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n", re.DOTALL | re.MULTILINE),
    ".js": re.compile(r"^[ \t]*(?://.*|/\*\*.*?\*/[ \t]*)\n", re.MULTILINE),
}
_AFTER_CODE = re.compile(
    r"""^((?:[^"'`\n]|"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)*?) // .*$""", re.MULTILINE
)
_INDENTATION = re.compile(r"(?<=\n)\s+")  # no string of ours has several lines
_BREAKS_OF_STYLES = re.compile(r"(?<=[{;,}])\n|\n(?=\})")
OURS = "games/"
# Django's own pattern wants a semicolon, which our scripts do not have.
_IMPORT = r'(?P<matched>(?P<names>import \{[^}]*\} from )"(?P<url>\./[^"]+)")'


def compact(name: str, text: str) -> str:
    """The text of a file of ours, by its name below the folder of static files."""
    suffix = name[name.rfind(".") :]
    if not name.startswith(OURS) or suffix not in _COMMENTS:
        return text
    text = _INDENTATION.sub("", _COMMENTS[suffix].sub("", text))
    if suffix == ".css":
        return _BREAKS_OF_STYLES.sub("", text)
    return _AFTER_CODE.sub(r"\1", text)


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """A table page has three kilobytes less to load without comments and indentation. What a script
    of ours imports is named by its hash, like all files."""

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (f"{OURS}*.js", ((_IMPORT, '%(names)s"%(url)s"'),)),
    )

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
