"""Replace the seed of recovery codes by hashes of the codes that were not used.

Codes that people have on paper go on working; nobody can read them again.
"""

import hashlib
import hmac
import secrets
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

COUNT, DIGITS, ITERATIONS = 10, 8, 210_000


def codes_of(data: dict[str, Any]) -> list[str]:
    """The codes that allauth 65 derives from a seed, without those that were used."""
    digest = hmac.new(data["seed"].encode("ascii"), digestmod=hashlib.sha1)
    codes = []
    for number in range(COUNT):
        digest.update(f"{number:3},".encode())
        value = int.from_bytes(digest.digest()[: DIGITS // 2], "big") % 10**DIGITS
        if not data["used_mask"] >> number & 1:
            codes.append(f"{value:0{DIGITS}}")
    return codes


def hash_codes(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Hash the codes of all users; about two seconds for each of the few who have some."""
    authenticators = apps.get_model("mfa", "Authenticator").objects
    for factor in authenticators.filter(type="recovery_codes", data__has_key="seed"):
        salt = secrets.token_bytes(16)
        factor.data = {
            "salt": salt.hex(),
            "iterations": ITERATIONS,
            "hashes": [
                hashlib.pbkdf2_hmac("sha512", code.encode(), salt, ITERATIONS).hex()
                for code in codes_of(factor.data)
            ],
            "migrated_codes": [],
        }
        factor.save(update_fields=["data"])


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0031_list_running_games"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    # Hashes cannot be undone: with earlier code, these users generate new codes.
    operations = [migrations.RunPython(hash_codes, migrations.RunPython.noop)]
