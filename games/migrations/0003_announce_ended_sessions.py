"""The event process is notified of the end of each session, and finds sessions by their digest.

A trigger, because sessions end in several ways: by a sign-out, with an account, by a purge, by a
new key. See games.table_stamps, which has the channel and the digest.
"""

from django.db import migrations

ANNOUNCE = """
CREATE FUNCTION games_session_announce_end() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    PERFORM pg_notify('tables', encode(sha256(OLD.session_key::bytea), 'hex') || ' gone');
    RETURN NULL;
END
$body$;
CREATE TRIGGER games_session_announce_end AFTER DELETE ON django_session
    FOR EACH ROW EXECUTE FUNCTION games_session_announce_end();
CREATE INDEX games_session_digest ON django_session (encode(sha256(session_key::bytea), 'hex'));
"""
NOT_ANNOUNCED = """
DROP INDEX games_session_digest;
DROP TRIGGER games_session_announce_end ON django_session;
DROP FUNCTION games_session_announce_end();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0002_triggers_and_storage"),
        ("sessions", "0001_initial"),
    ]

    operations = [migrations.RunSQL(ANNOUNCE, NOT_ANNOUNCED)]
