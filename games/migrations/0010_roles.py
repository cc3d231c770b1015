"""Two groups: staff become moderators, superusers administrators. See games.services.roles."""

from typing import Any

from django.db import migrations


def appoint(apps: Any, _schema_editor: object) -> None:
    group, user = apps.get_model("auth", "Group"), apps.get_model("games", "User")
    moderators = group.objects.get_or_create(name="moderator")[0]
    administrators = group.objects.get_or_create(name="administrator")[0]
    user.objects.filter(is_superuser=True).update(is_staff=True)
    moderators.user_set.add(*user.objects.filter(is_staff=True, is_superuser=False))
    administrators.user_set.add(*user.objects.filter(is_superuser=True))


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("games", "0009_messages"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": (("change_roles", "Can change roles"),),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
        migrations.RunPython(appoint, migrations.RunPython.noop),
    ]
