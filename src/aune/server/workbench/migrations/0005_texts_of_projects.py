"""Existing texts become those of one project; what is known of the work on existing layers is noted."""

from typing import Any

from django.db import migrations

PAUSE = 300  # seconds, as in layers.py


def put_into_a_project(apps: Any, schema_editor: Any) -> None:
    """All files that people find among their texts become those of one project, which everybody sees as before."""
    sources = apps.get_model("workbench", "Source").objects.filter(listed=True, project=None)
    if sources.exists():
        project = apps.get_model("workbench", "Project").objects.create(name="Texts")
        sources.update(project=project)


def note_work(apps: Any, schema_editor: Any) -> None:
    """When each layer changed last, and the time between its events."""
    layers = apps.get_model("workbench", "Layer").objects
    events = apps.get_model("workbench", "Event").objects.order_by("layer_id", "version").values_list("layer_id", "at")
    work: dict[str, Any] = {}
    for layer, at in events.iterator():
        seconds, last = work.get(layer, (0, at))
        interval = (at - last).total_seconds()
        work[layer] = seconds + (interval if 0 <= interval < PAUSE else 0), at
    for layer, (seconds, changed) in work.items():
        layers.filter(pk=layer).update(changed=changed, seconds=round(seconds))


class Migration(migrations.Migration):
    dependencies = [
        ("workbench", "0004_projects"),
    ]

    operations = [
        migrations.RunPython(put_into_a_project, migrations.RunPython.noop),
        migrations.RunPython(note_work, migrations.RunPython.noop),
    ]
