import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import aune.server.accounts.models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("workbench", "0003_room"),
    ]

    operations = [
        migrations.CreateModel(
            name="Project",
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
                ("name", models.CharField(max_length=120)),
                ("guidelines", models.TextField(blank=True, default="")),
                ("everyone", models.BooleanField(default=True)),
                ("made", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name="ProjectMember",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="members", to="workbench.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "account"), name="one_membership_per_project")
                ],
            },
        ),
        migrations.AddField(
            model_name="source",
            name="project",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="sources",
                to="workbench.project",
            ),
        ),
        migrations.AddField(model_name="layer", name="due", field=models.DateField(null=True)),
        migrations.AddField(model_name="layer", name="withdrawn", field=models.BooleanField(default=False)),
        migrations.AddField(model_name="layer", name="changed", field=models.DateTimeField(null=True)),
        migrations.AddField(model_name="layer", name="seconds", field=models.PositiveIntegerField(default=0)),
        migrations.AddField(model_name="layer", name="mentions", field=models.PositiveIntegerField(null=True)),
        migrations.AddIndex(
            model_name="layer",
            index=models.Index(fields=["author", "kind", "done"], name="layers_of_authors"),
        ),
    ]
