import django.utils.timezone
from django.db import migrations, models

import aune.server.accounts.models


class Migration(migrations.Migration):
    dependencies = [
        ("campaign", "0003_address"),
    ]

    operations = [
        migrations.AddField(
            model_name="address",
            name="confirmed",
            field=models.BooleanField(default=True),
        ),
        migrations.CreateModel(
            name="Application",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=aune.server.accounts.models.identifier,
                        editable=False,
                        max_length=24,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("team", models.CharField(max_length=200)),
                ("country", models.CharField(blank=True, max_length=80)),
                ("email", models.EmailField(max_length=254, unique=True)),
                ("text", models.CharField(blank=True, max_length=2000)),
                ("made", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
    ]
