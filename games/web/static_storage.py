"""Static files as they are collected for production: named by their hashes and compressed."""

from collections.abc import Iterable, Iterator

from whitenoise.storage import CompressedManifestStaticFilesStorage

OURS = "games/"
# Django's own pattern wants a semicolon, which our scripts do not have.
_IMPORT = r'(?P<matched>(?P<names>import \{[^}]*\} from )"(?P<url>\./[^"]+)")'


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Static files named by their hash, with the imports of our scripts."""

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (f"{OURS}*.js", ((_IMPORT, '%(names)s"%(url)s"'),)),
    )

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress all but scripts of the admin of which it loads the minified copy."""
        names: dict[str, str] = self.hashed_files
        unused = {
            hashed for name, hashed in names.items() if name.removesuffix("js") + "min.js" in names
        }
        yield from super().compress_files(path for path in paths if path not in unused)
