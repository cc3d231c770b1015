"""Database features without a model option: append-only tables, the end of sessions, storage.

The proxy SecondFactor is here because mfa needs the users of 0001, and the proxy needs mfa. The
indexes of prefixes are dropped here because Django makes them at the end of 0001.
"""

from django.db import migrations

# Statement triggers refuse changes of the log to everybody, the owner of its tables included
# (ENABLE ALWAYS: also while replicating). The role of the service has no such right in the first
# place: see `manage.py grant_app_role`. A test database may disable the triggers keep_table, and
# those alone, to empty tables between tests.
APPEND_ONLY = """
CREATE FUNCTION games_gameevent_refuse() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'games_gameevent is append-only: % is refused, the log of a game is never changed', TG_OP
        USING ERRCODE = 'restrict_violation',
              HINT = 'Undo with a table.rolled_back event (services.moderate_rollback).';
END
$body$;
CREATE FUNCTION games_gameorder_refuse() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'games_gameorder is append-only: % is refused', TG_OP
        USING ERRCODE = 'restrict_violation';
END
$body$;
CREATE FUNCTION games_decision_refuse() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'games_decision is append-only: % is refused', TG_OP
        USING ERRCODE = 'restrict_violation',
              HINT = 'Remove the row of games_decisiontext, or decide anew.';
END
$body$;
CREATE TRIGGER games_gameevent_keep_rows BEFORE UPDATE OR DELETE ON games_gameevent
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameevent_refuse();
CREATE TRIGGER games_gameevent_keep_table BEFORE TRUNCATE ON games_gameevent
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameevent_refuse();
CREATE TRIGGER games_gameorder_keep_rows BEFORE UPDATE OR DELETE ON games_gameorder
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameorder_refuse();
CREATE TRIGGER games_gameorder_keep_table BEFORE TRUNCATE ON games_gameorder
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameorder_refuse();
CREATE TRIGGER games_decision_keep_rows BEFORE UPDATE OR DELETE ON games_decision
    FOR EACH STATEMENT EXECUTE FUNCTION games_decision_refuse();
CREATE TRIGGER games_decision_keep_table BEFORE TRUNCATE ON games_decision
    FOR EACH STATEMENT EXECUTE FUNCTION games_decision_refuse();
ALTER TABLE games_gameevent ENABLE ALWAYS TRIGGER games_gameevent_keep_rows;
ALTER TABLE games_gameevent ENABLE ALWAYS TRIGGER games_gameevent_keep_table;
ALTER TABLE games_gameorder ENABLE ALWAYS TRIGGER games_gameorder_keep_rows;
ALTER TABLE games_gameorder ENABLE ALWAYS TRIGGER games_gameorder_keep_table;
ALTER TABLE games_decision ENABLE ALWAYS TRIGGER games_decision_keep_rows;
ALTER TABLE games_decision ENABLE ALWAYS TRIGGER games_decision_keep_table;
"""
NOT_APPEND_ONLY = """
DROP TRIGGER games_decision_keep_table ON games_decision;
DROP TRIGGER games_decision_keep_rows ON games_decision;
DROP TRIGGER games_gameorder_keep_table ON games_gameorder;
DROP TRIGGER games_gameorder_keep_rows ON games_gameorder;
DROP TRIGGER games_gameevent_keep_table ON games_gameevent;
DROP TRIGGER games_gameevent_keep_rows ON games_gameevent;
DROP FUNCTION games_decision_refuse();
DROP FUNCTION games_gameorder_refuse();
DROP FUNCTION games_gameevent_refuse();
"""

# The event process is notified of the end of each session, and finds sessions by their digest. A
# trigger, because sessions end in several ways: by a sign-out, with an account, by a purge, by a
# new key. See games.table_stamps, which has the channel and the digest.
ANNOUNCE_ENDED_SESSIONS = """
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
ENDED_SESSIONS_NOT_ANNOUNCED = """
DROP INDEX games_session_digest;
DROP TRIGGER games_session_announce_end ON django_session;
DROP FUNCTION games_session_announce_end();
"""

# Django makes an index for LIKE 'prefix%' beside that of each unique text. No query asks for
# prefixes; these indexes took 293 MB with a million games.
DROP_INDEXES_OF_PREFIXES = r"""
DO $$
DECLARE name text;
BEGIN
    FOR name IN
        SELECT indexname FROM pg_indexes
        WHERE schemaname = current_schema() AND tablename LIKE 'games\_%'
            AND indexname LIKE '%\_like'
    LOOP
        EXECUTE format('DROP INDEX %I', name);
    END LOOP;
END $$
"""

# Percent of each page that new rows fill. The rest is for new versions of rows, which change
# several times.
FILL_FACTORS = {"games_game": 85, "games_seat": 80, "games_outboxmail": 70}


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0001_initial"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("sessions", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SecondFactor",
            fields=[],
            options={
                "verbose_name": "two-factor device",
                "verbose_name_plural": "two-factor devices",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("mfa.authenticator",),
        ),
        migrations.RunSQL(APPEND_ONLY, NOT_APPEND_ONLY),
        migrations.RunSQL(ANNOUNCE_ENDED_SESSIONS, ENDED_SESSIONS_NOT_ANNOUNCED),
        migrations.RunSQL(DROP_INDEXES_OF_PREFIXES, migrations.RunSQL.noop),
        *(
            migrations.RunSQL(
                f"ALTER TABLE {table} SET (fillfactor = {percent})",
                f"ALTER TABLE {table} RESET (fillfactor)",
            )
            for table, percent in FILL_FACTORS.items()
        ),
    ]
