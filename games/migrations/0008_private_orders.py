"""A chain for private orders beside the log, and digests that cover time and person.

Like the log, the table of orders is append-only: see 0002.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

UP = """
CREATE FUNCTION games_gameorder_refuse() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'games_gameorder is append-only: % is refused', TG_OP
        USING ERRCODE = 'restrict_violation';
END
$body$;
CREATE TRIGGER games_gameorder_keep_rows BEFORE UPDATE OR DELETE ON games_gameorder
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameorder_refuse();
CREATE TRIGGER games_gameorder_keep_table BEFORE TRUNCATE ON games_gameorder
    FOR EACH STATEMENT EXECUTE FUNCTION games_gameorder_refuse();
ALTER TABLE games_gameorder ENABLE ALWAYS TRIGGER games_gameorder_keep_rows;
ALTER TABLE games_gameorder ENABLE ALWAYS TRIGGER games_gameorder_keep_table;
"""

DOWN = """
DROP TRIGGER games_gameorder_keep_table ON games_gameorder;
DROP TRIGGER games_gameorder_keep_rows ON games_gameorder;
DROP FUNCTION games_gameorder_refuse();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0007_quota_uses"),
    ]

    operations = [
        migrations.AddField(
            model_name="gameevent",
            name="actor",
            field=models.CharField(db_default="", default="", max_length=16),
        ),
        migrations.AddField(
            model_name="gameevent",
            name="chain",
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.CreateModel(
            name="GameOrder",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "game_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("after", models.PositiveIntegerField()),
                ("kind", models.CharField(max_length=40)),
                ("seat", models.PositiveSmallIntegerField()),
                ("schema", models.PositiveSmallIntegerField()),
                ("payload", models.JSONField()),
                ("at", models.DateTimeField()),
                ("digest", models.BinaryField(max_length=32)),
                ("actor", models.CharField(max_length=16)),
                (
                    "by",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "game",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="orders",
                        to="games.game",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="games_gameorder_from_one"
                    )
                ],
            },
        ),
        migrations.RunSQL(UP, DOWN),
    ]
