"""Decisions of moderators and hosts, which nobody changes; they take over the reasons of events and
what the admin's history says of looks at hidden information."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

# As for the log: see 0002.
APPEND_ONLY = """
CREATE FUNCTION games_decision_refuse() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'games_decision is append-only: % is refused', TG_OP
        USING ERRCODE = 'restrict_violation',
              HINT = 'Remove the row of games_decisiontext, or decide anew.';
END
$body$;
CREATE TRIGGER games_decision_keep_rows BEFORE UPDATE OR DELETE ON games_decision
    FOR EACH STATEMENT EXECUTE FUNCTION games_decision_refuse();
CREATE TRIGGER games_decision_keep_table BEFORE TRUNCATE ON games_decision
    FOR EACH STATEMENT EXECUTE FUNCTION games_decision_refuse();
ALTER TABLE games_decision ENABLE ALWAYS TRIGGER games_decision_keep_rows;
ALTER TABLE games_decision ENABLE ALWAYS TRIGGER games_decision_keep_table;
"""
NOT_APPEND_ONLY = """
DROP TRIGGER games_decision_keep_table ON games_decision;
DROP TRIGGER games_decision_keep_rows ON games_decision;
DROP FUNCTION games_decision_refuse();
"""

# Each event by which somebody intervened, also where the reason was deleted, but not what players
# voted for; and each look. 4 was the flag of a look in the history of the admin.
TAKE_OVER = """
INSERT INTO games_decision (at, by_id, as_host, action, game_id, message, rule, seq)
SELECT event.at, event.by_id, event.by_id IS NOT DISTINCT FROM game.host_id,
    CASE event.kind
        WHEN 'table.paused' THEN 'pause' WHEN 'table.resumed' THEN 'resume'
        WHEN 'table.extended' THEN 'extend' WHEN 'table.excused' THEN 'excuse'
        WHEN 'table.bot_played' THEN 'play_bot' WHEN 'table.seat_handed' THEN 'hand_seat'
        WHEN 'table.rolled_back' THEN 'rollback' WHEN 'table.aborted' THEN 'abort'
        ELSE 'own_game' END,
    event.game_id, '', '', event.seq
FROM games_gameevent event JOIN games_game game ON game.id = event.game_id
WHERE event.kind IN ('table.paused', 'table.resumed', 'table.extended', 'table.excused',
        'table.bot_played', 'table.seat_handed', 'table.rolled_back', 'table.aborted',
        'table.player_moderates')
    AND NOT EXISTS (SELECT FROM games_gameevent settled
        WHERE settled.game_id = event.game_id AND settled.seq = event.seq - 1
        AND settled.kind = 'table.vote_settled')
    AND (event.kind NOT IN ('table.bot_played', 'table.seat_handed', 'table.aborted')
        OR event.payload->>'code' = 'moderator' OR EXISTS (
        SELECT FROM games_eventreason reason
        WHERE reason.game_id = event.game_id AND reason.seq = event.seq))
ORDER BY event.at, event.seq;
INSERT INTO games_decisiontext (decision_id, text)
SELECT decision.id, reason.text
FROM games_eventreason reason JOIN games_decision decision USING (game_id, seq);
"""
TAKE_OVER_LOOKS = """
WITH looks AS (
    SELECT nextval(pg_get_serial_sequence('games_decision', 'id')) AS id, entry.action_time,
        entry.user_id, entry.object_id, entry.change_message, kind.model
    FROM django_admin_log entry JOIN django_content_type kind ON kind.id = entry.content_type_id
    WHERE entry.action_flag = 4 AND kind.app_label = 'games' AND kind.model IN ('game', 'inboundmail')
        AND entry.object_id ~ '^[0-9]{1,18}$'
    ORDER BY entry.action_time
), decisions AS (
    INSERT INTO games_decision (id, at, by_id, as_host, action, game_id, message, rule)
    SELECT id, action_time, user_id, false,
        CASE model WHEN 'game' THEN 'reveal' ELSE 'read_reply' END,
        CASE model WHEN 'game' THEN object_id::bigint END,
        CASE model WHEN 'game' THEN '' ELSE 'inboundmail ' || object_id END, ''
    FROM looks RETURNING id
)
INSERT INTO games_decisiontext (decision_id, text)
SELECT looks.id, left(looks.change_message, 300) FROM looks JOIN decisions USING (id)
WHERE looks.change_message > '';
"""


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0007_votes'),
        ('admin', '0003_logentry_add_action_flag_choices'),
    ]

    operations = [
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='time')),
                ('as_host', models.BooleanField(default=False, verbose_name='as host')),
                ('action', models.CharField(max_length=20, verbose_name='action')),
                ('message', models.CharField(blank=True, max_length=40, verbose_name='message')),
                ('rule', models.CharField(blank=True, max_length=20, verbose_name='rule of conduct')),
                ('until', models.DateTimeField(null=True, verbose_name='until')),
                ('seq', models.PositiveIntegerField(null=True, verbose_name='event')),
                ('by', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('game', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='decisions', to='games.game', verbose_name='game')),
                ('person', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'verbose_name': 'decision',
                'verbose_name_plural': 'decisions',
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='DecisionText',
            fields=[
                ('decision', models.OneToOneField(on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='words', serialize=False, to='games.decision')),
                ('text', models.CharField(max_length=300, verbose_name='reason')),
            ],
            options={
                'verbose_name': 'reason',
                'verbose_name_plural': 'reasons',
            },
        ),
        migrations.AddIndex(
            model_name='decision',
            index=models.Index(condition=models.Q(('game__isnull', False)), fields=['game'], name='games_decision_game'),
        ),
        migrations.AddIndex(
            model_name='decision',
            index=models.Index(condition=models.Q(('person__isnull', False)), fields=['person'], name='games_decision_person'),
        ),
        migrations.AddIndex(
            model_name='decision',
            index=models.Index(fields=['by'], name='games_decision_by'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.UniqueConstraint(condition=models.Q(('seq__isnull', False)), fields=('game', 'seq'), name='games_decision_once'),
        ),
        migrations.RunSQL(TAKE_OVER, migrations.RunSQL.noop),
        migrations.RunSQL(TAKE_OVER_LOOKS, migrations.RunSQL.noop),
        # The check of the foreign key that waits for the end would keep the table from changing.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.RunSQL(APPEND_ONLY, NOT_APPEND_ONLY),
        migrations.DeleteModel(
            name='EventReason',
        ),
    ]
