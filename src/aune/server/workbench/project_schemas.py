"""The annotation schemas of projects."""

from __future__ import annotations

import msgspec

from aune.server.workbench import layers
from aune.server.workbench.models import Project, Text
from aune.workbench.schemas import Schema, ready_made_schema, write_schema


def project_schema(text: Text) -> Schema | None:
    """The schema that the project of a text has for its task, or None."""
    project = text.source.project
    stored = project.schemas.get(text.task) if project else None
    return msgspec.convert(stored, Schema) if stored else None


def schema_of(text: Text) -> Schema:
    """The annotation schema of a text."""
    schema = project_schema(text)
    return schema or ready_made_schema(text.task, layers.text_content(text.pk).typology)


def schema_files(project: Project) -> dict[str, bytes]:
    """The schemas of a project as files, by name."""
    return {
        f"schema-{task}.json": write_schema(msgspec.convert(stored, Schema))
        for task, stored in sorted(project.schemas.items())
    }
