"""The guidelines of projects as parts of pages."""

from __future__ import annotations

from django.utils.safestring import mark_safe

from aune.server.workbench.models import Project
from aune.workbench.markdown import render_markdown


def guidelines_html(project: Project | None) -> str:
    """The guidelines of a project as HTML that pages contain as it is; nothing where there are none."""
    return mark_safe(render_markdown(project.guidelines)) if project and project.guidelines else ""
