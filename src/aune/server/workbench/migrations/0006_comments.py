import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import aune.server.accounts.models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("workbench", "0005_texts_of_projects"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="discussion",
            field=models.CharField(
                choices=[
                    ("leaders", "its author and organisers"),
                    ("layers", "also those who see the layer"),
                    ("team", "all annotators of the project"),
                ],
                default="layers",
                max_length=16,
            ),
        ),
        migrations.CreateModel(
            name="Comment",
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
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
                ("body", models.TextField()),
                ("is_flag", models.BooleanField(default=False)),
                ("made", models.DateTimeField(default=django.utils.timezone.now)),
                ("resolved", models.DateTimeField(null=True)),
                (
                    "answers",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="workbench.comment",
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "layer",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="comments",
                        to="workbench.layer",
                    ),
                ),
                (
                    "resolver",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "text",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="workbench.text"
                    ),
                ),
            ],
        ),
    ]
