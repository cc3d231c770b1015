"""Generate what docker-compose.yml reads from the folder secrets/: `make secrets`.

Files that exist are kept. The folder is for its owner alone; the files in it are readable, because
each is mounted into containers in which our processes have other user ids. Only the standard
library: it runs before anything is installed.
"""

import hashlib
import secrets
import sys
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
RANDOM = ("secret_key", "data_key", "owner_password", "app_password")
OPTIONAL = (
    "email_url",
    "secret_key_fallbacks",
    "inbound_secret",
    "inbound_settings",
    "dkim_private_key",
)


def values() -> dict[str, str]:
    """The content of a new file of each name."""
    found = {name: secrets.token_hex(32) for name in RANDOM}
    found["broker_url"] = f"redis://atlantis:{secrets.token_hex(32)}@valkey:6379/0"
    return found | dict.fromkeys(OPTIONAL, "")


def broker_users(url: str) -> str:
    """The users of Valkey: the one of this URL, without commands that administer the server."""
    parts = urlsplit(url.strip())
    digest = hashlib.sha256((parts.password or "").encode()).hexdigest()
    rights = "~* &* +@all -@admin -@dangerous +info"
    return f"user default off\nuser {parts.username} on #{digest} {rights}\n"


def make(folder: Path) -> list[str]:
    """Write the files that are missing; return their names."""
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    made = []
    for name, value in values().items():
        if not (folder / name).exists():
            (folder / name).write_text(f"{value}\n")
            made.append(name)
    users = broker_users((folder / "broker_url").read_text())
    (folder / "broker_users").write_text(users)  # always, it follows from the URL
    for path in folder.iterdir():
        path.chmod(0o644)
    return made


def main() -> int:
    """Return 0, or 1 with a message."""
    folder = ROOT / "secrets"
    try:
        made = make(folder)
    except OSError as error:
        print(f"The secrets cannot be written: {error}", file=sys.stderr)
        return 1
    print(f"{folder}: " + (f"made {', '.join(made)}." if made else "nothing was missing."))
    return 0


if __name__ == "__main__":
    sys.exit(main())
