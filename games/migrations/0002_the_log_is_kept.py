"""The log is append-only, and the database itself sees to it.

Statement triggers refuse UPDATE, DELETE and TRUNCATE on games_gameevent for everybody, the
owner of the table included (ENABLE ALWAYS: also while replicating). They are the second lock:
the role the service runs as has no such right in the first place (manage.py grant_app_role).
A test database may lift games_gameevent_keep_table, and that alone, to flush between tests.
"""

from django.db import migrations

UP = """
CREATE FUNCTION games_gameevent_refuse() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'games_gameevent is append-only: % is refused, the log of a game is never changed', TG_OP
        USING ERRCODE = 'restrict_violation',
              HINT = 'Undo with a table.rolled_back event (services.moderate_rollback).';
END
$body$;
CREATE TRIGGER games_gameevent_keep_rows BEFORE UPDATE OR DELETE ON games_gameevent
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameevent_refuse();
CREATE TRIGGER games_gameevent_keep_table BEFORE TRUNCATE ON games_gameevent
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameevent_refuse();
ALTER TABLE games_gameevent ENABLE ALWAYS TRIGGER games_gameevent_keep_rows;
ALTER TABLE games_gameevent ENABLE ALWAYS TRIGGER games_gameevent_keep_table;
"""

DOWN = """
DROP TRIGGER games_gameevent_keep_table ON games_gameevent;
DROP TRIGGER games_gameevent_keep_rows ON games_gameevent;
DROP FUNCTION games_gameevent_refuse();
"""


class Migration(migrations.Migration):
    dependencies = (("games", "0001_first_tables"),)

    operations = (migrations.RunSQL(UP, DOWN),)
