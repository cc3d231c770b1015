"""Since when a push service has refused messages to a device."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0038_one_rule_for_digests")]

    operations = [
        migrations.AddField("pushdevice", "refused_since", models.DateTimeField(null=True))
    ]
