"""Whether somebody had reported what a decision is about, and the name that it replaced."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0010_roles")]

    operations = [
        migrations.AddField(
            model_name="decision",
            name="reported",
            field=models.BooleanField(db_default=False, default=False, verbose_name="reported"),
        ),
        migrations.AddField(
            model_name="decisiontext",
            name="before",
            field=models.CharField(
                blank=True, db_default="", max_length=60, verbose_name="name before"
            ),
        ),
    ]
