import django.contrib.postgres.fields
import django.db.models.functions.comparison
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0013_suspensions"),
    ]

    operations = [
        migrations.AddField(
            model_name="heartbeat",
            name="faults",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=12), db_default=[], default=list, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                django.db.models.functions.comparison.Collate(
                    django.db.models.functions.text.Lower("name"), "C"
                ),
                name="games_game_name_begins",
            ),
        ),
        migrations.AddIndex(
            model_name="inboundmail",
            index=models.Index(
                condition=models.Q(("state", "failed")),
                fields=["-received_at"],
                name="games_inbound_failed",
            ),
        ),
        migrations.AddIndex(
            model_name="inboundmail",
            index=models.Index(
                condition=models.Q(("message_id__gt", "")),
                fields=["message_id"],
                name="games_inbound_message_id",
            ),
        ),
        migrations.AddIndex(
            model_name="quotause",
            index=models.Index(
                condition=models.Q(("refused__gte", 10)),
                fields=["-refused_at"],
                name="games_quotause_often",
            ),
        ),
        migrations.AddIndex(
            model_name="seat",
            index=models.Index(
                condition=models.Q(("overdue", True)), fields=["due_at"], name="games_seat_overdue"
            ),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(
                django.db.models.functions.comparison.Collate(
                    django.db.models.functions.text.Lower("display_name"), "C"
                ),
                name="games_user_name_begins",
            ),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(
                django.db.models.functions.comparison.Collate(
                    django.db.models.functions.text.Lower("email"), "C"
                ),
                name="games_user_email_begins",
            ),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(
                condition=models.Q(("mail_trouble__gt", "")),
                fields=["id"],
                name="games_user_mail_trouble",
            ),
        ),
    ]
