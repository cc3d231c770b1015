"""Remove the rule of each digest: there is one rule."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("games", "0037_invitee_of_rematch")]

    operations = [migrations.RemoveField("gameevent", "chain")]
