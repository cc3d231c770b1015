"""Suspensions with an end, in the place of accounts that are not active."""

from django.db import migrations, models

# 9000 stands for good. Each suspension is a decision, to which its person can appeal.
TAKE_OVER = """
UPDATE games_user SET suspended_until = '9000-01-01 00:00+00' WHERE NOT is_active;
INSERT INTO games_decision (as_host, action, person_id, message, rule)
SELECT false, 'suspend', id, '', '' FROM games_user
WHERE NOT is_active AND NOT EXISTS (
    SELECT FROM games_decision WHERE person_id = games_user.id AND action = 'suspend'
);
"""
BACK = "UPDATE games_user SET is_active = coalesce(suspended_until <= now(), true)"


class Migration(migrations.Migration):
    dependencies = [("games", "0012_user_blocked")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="suspended_until",
            field=models.DateTimeField(
                blank=True, editable=False, null=True, verbose_name="suspended until"
            ),
        ),
        migrations.AddField(
            model_name="mailaddress",
            name="suspended_until",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": (
                    ("change_roles", "Can change roles"),
                    ("suspend_user", "Can warn and suspend users"),
                ),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
        migrations.RunSQL(TAKE_OVER, BACK),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.RemoveField(model_name="user", name="is_active"),
    ]
