"""The preferences are declared in the model: names, choices and help. Changes the state only."""

from django.db import migrations, models

import games.models.mail_preferences


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0009_one_to_eight_seats"),
    ]

    operations = [
        migrations.AlterField(
            model_name="user",
            name="delivery_modes",
            field=models.JSONField(blank=True, db_column="mail_ways", default=dict, editable=False),
        ),
        migrations.AlterField(
            model_name="user",
            name="digest_hour",
            field=models.PositiveSmallIntegerField(
                choices=games.models.mail_preferences.hours,
                default=8,
                help_text="In your time zone. Sent only when there is something new.",
                verbose_name="Send the daily digest at",
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="gather_minutes",
            field=models.PositiveSmallIntegerField(
                choices=games.models.mail_preferences.gather_delays,
                default=15,
                help_text="If several games are waiting by then, you get one email about all of them.",
                verbose_name="Wait to group emails for",
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="hold_while_online",
            field=models.BooleanField(
                db_column="mail_waits",
                default=False,
                help_text="Emails are sent a few minutes after you leave. None are lost.",
                verbose_name="Hold emails while I am using the site",
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="last_seen_at",
            field=models.DateTimeField(blank=True, db_column="seen_at", editable=False, null=True),
        ),
        migrations.AlterField(
            model_name="user",
            name="quiet_from",
            field=models.PositiveSmallIntegerField(
                blank=True,
                choices=games.models.mail_preferences.hours,
                null=True,
                verbose_name="Quiet hours start",
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="quiet_until",
            field=models.PositiveSmallIntegerField(
                blank=True,
                choices=games.models.mail_preferences.hours,
                null=True,
                verbose_name="Quiet hours end",
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="saved_modes",
            field=models.JSONField(
                blank=True, db_column="mail_ways_before", default=dict, editable=False
            ),
        ),
    ]
