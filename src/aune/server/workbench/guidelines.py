"""The guidelines of projects, rendered as HTML."""

from __future__ import annotations

from django.utils.safestring import mark_safe

from aune.server.workbench.models import Project
from aune.workbench.markdown import render_markdown


def guidelines_html(project: Project | None) -> str:
    """The guidelines of a project as safe HTML; empty if it has none."""
    return mark_safe(render_markdown(project.guidelines)) if project and project.guidelines else ""
