"""Reports by players."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0015_index_of_suspensions'),
    ]

    operations = [
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('about', models.CharField(choices=[('message', 'message'), ('name', 'name'), ('conduct', 'conduct at the table')], max_length=7, verbose_name='about')),
                ('message', models.PositiveBigIntegerField(null=True, verbose_name='message')),
                ('quoted', models.CharField(blank=True, max_length=1000, verbose_name='reported text')),
                ('text', models.CharField(max_length=1000, verbose_name='text')),
                ('at', models.DateTimeField(db_index=True, default=django.utils.timezone.now, verbose_name='time')),
                ('outcome', models.CharField(blank=True, choices=[('', 'open'), ('acted', 'We have acted on your report.'), ('allowed', 'We have found nothing against the rules of conduct.'), ('unclear', 'We could not find out what happened, so nothing has been done.')], default='', max_length=7, verbose_name='outcome')),
                ('note', models.CharField(blank=True, max_length=300, verbose_name='note for moderators')),
                ('closed_at', models.DateTimeField(null=True, verbose_name='closed')),
                ('game', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='games.game', verbose_name='game')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports_about', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                ('reporter', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports_made', to=settings.AUTH_USER_MODEL, verbose_name='reported by')),
            ],
            options={
                'verbose_name': 'report',
                'verbose_name_plural': 'reports',
                'ordering': ('-pk',),
                'indexes': [models.Index(condition=models.Q(('outcome', '')), fields=['person', 'id'], name='games_report_open')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('outcome', '')), fields=('reporter', 'person', 'about', 'game', 'message'), name='games_report_open_once', nulls_distinct=False)],
            },
        ),
    ]
