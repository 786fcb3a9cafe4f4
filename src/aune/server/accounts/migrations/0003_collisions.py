"""Invitations count the names of others that somebody tried to take with them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_room")]

    operations = [
        migrations.AddField(model_name="invitation", name="collisions", field=models.PositiveIntegerField(default=0))
    ]
