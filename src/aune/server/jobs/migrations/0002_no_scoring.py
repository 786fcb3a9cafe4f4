"""Submissions have no jobs any more: the ledger of their campaign is their queue."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def remove_scoring_jobs(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("jobs", "Job").objects.filter(kind="campaign.score").delete()


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]

    operations = [migrations.RunPython(remove_scoring_jobs, migrations.RunPython.noop)]
