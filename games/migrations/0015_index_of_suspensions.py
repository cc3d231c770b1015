from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0014_attention_and_search'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='user',
            index=models.Index(condition=models.Q(('suspended_until__isnull', False)), fields=['suspended_until'], name='games_user_suspended'),
        ),
    ]
