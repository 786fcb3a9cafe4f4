from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def moved(apps: Any, schema_editor: Any) -> None:
    """The addresses that members of teams gave."""
    address = apps.get_model("campaign", "Address")
    for member in apps.get_model("campaign", "Membership").objects.exclude(email=""):
        address.objects.create(account_id=member.account_id, email=member.email)


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("campaign", "0002_membership_email"),
    ]

    operations = [
        migrations.CreateModel(
            name="Address",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="address",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
            ],
        ),
        migrations.RunPython(moved, migrations.RunPython.noop),
        migrations.RemoveField(model_name="membership", name="email"),
    ]
