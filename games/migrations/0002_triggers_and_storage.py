"""Database features without a model option: an append-only log, no indexes for LIKE, fill factors.

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
CREATE TRIGGER games_gameevent_keep_rows BEFORE UPDATE OR DELETE ON games_gameevent
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameevent_refuse();
CREATE TRIGGER games_gameevent_keep_table BEFORE TRUNCATE ON games_gameevent
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameevent_refuse();
CREATE TRIGGER games_gameorder_keep_rows BEFORE UPDATE OR DELETE ON games_gameorder
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameorder_refuse();
CREATE TRIGGER games_gameorder_keep_table BEFORE TRUNCATE ON games_gameorder
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameorder_refuse();
ALTER TABLE games_gameevent ENABLE ALWAYS TRIGGER games_gameevent_keep_rows;
ALTER TABLE games_gameevent ENABLE ALWAYS TRIGGER games_gameevent_keep_table;
ALTER TABLE games_gameorder ENABLE ALWAYS TRIGGER games_gameorder_keep_rows;
ALTER TABLE games_gameorder ENABLE ALWAYS TRIGGER games_gameorder_keep_table;
"""
NOT_APPEND_ONLY = """
DROP TRIGGER games_gameorder_keep_table ON games_gameorder;
DROP TRIGGER games_gameorder_keep_rows ON games_gameorder;
DROP TRIGGER games_gameevent_keep_table ON games_gameevent;
DROP TRIGGER games_gameevent_keep_rows ON games_gameevent;
DROP FUNCTION games_gameorder_refuse();
DROP FUNCTION games_gameevent_refuse();
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
        migrations.RunSQL(DROP_INDEXES_OF_PREFIXES, migrations.RunSQL.noop),
        *(
            migrations.RunSQL(
                f"ALTER TABLE {table} SET (fillfactor = {percent})",
                f"ALTER TABLE {table} RESET (fillfactor)",
            )
            for table, percent in FILL_FACTORS.items()
        ),
    ]
