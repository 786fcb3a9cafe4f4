"""The page on which the schemas of a project are edited, and schemas as files."""

from __future__ import annotations

from collections import Counter

import msgspec
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from aune.errors import UsageError
from aune.server.accounts.views import person
from aune.server.policy import refusal
from aune.server.workbench import layers, projects
from aune.server.workbench.api import answer, decode_body
from aune.server.workbench.models import Layer, Project, Text
from aune.server.workbench.pages import download
from aune.workbench.files import TASKS
from aune.workbench.schemas import (
    COMMAND_KEYS,
    LABEL_SETS,
    Schema,
    parse_schema,
    ready_made_schema,
    schema_in_use,
    write_schema,
)

MAX_SCHEMA_BYTES = 500_000
MAX_LAYERS = 500  # layers that are read to find the types in use
USED = "what is in use"


class SchemaRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The new schema of a task; null means that each text uses its own."""

    task: str
    schema: msgspec.Raw = msgspec.Raw(b"null")


@require_GET
def schema_page(request: HttpRequest, project: str) -> HttpResponse:
    """The page on which the schemas of a project are edited; with `file`, the schema of a task as a file."""
    row = projects.led_project(person(request), project)
    task = request.GET.get("task", "") or next(iter(row.schemas), "") or _usual_task(row)
    start = request.GET.get("start", "")
    if task not in TASKS:
        return refusal(request, 422, f"Found the task {task!r}, expected {', '.join(TASKS)}.")
    if start not in ("", USED, task, *LABEL_SETS.get(task, ())):
        return refusal(request, 422, f"Found the schema {start!r}, expected one that is listed.")
    schema = _schema_to_edit(row, task, start)
    if "file" in request.GET:
        return download(write_schema(schema), f"schema-{task}.json")
    context = {
        "project": row, "task": task, "tasks": TASKS, "is_stored": task in row.schemas, "start": start,
        "starts": [*LABEL_SETS.get(task, ()), *(["anaphora"] if task == "anaphora" else []), USED],
        "schema": msgspec.to_builtins(schema), "reserved": COMMAND_KEYS,
    }  # fmt: skip
    return render(request, "project_schema.html", context)


def _usual_task(project: Project) -> str:
    """The most frequent task of the texts of a project."""
    counts = Counter(Text.objects.filter(source__project=project).values_list("task", flat=True))
    return counts.most_common(1)[0][0] if counts else "entities"


def _schema_to_edit(project: Project, task: str, start: str) -> Schema:
    """The stored schema of a project, or the one chosen to start from."""
    if start == USED:
        return _used_schema(project, task)
    if not start and (stored := project.schemas.get(task)):
        return msgspec.convert(stored, Schema)
    ready_made = ready_made_schema(task, start if start in LABEL_SETS.get(task, ()) else "")
    return ready_made if ready_made.types else Schema()


def _used_schema(project: Project, task: str) -> Schema:
    """A schema of the types, features and relations in use, most frequent first."""
    texts = Text.objects.filter(source__project=project, task=task)
    rows = Layer.objects.filter(text__in=texts, withdrawn=False).order_by("-made")[:MAX_LAYERS]
    return schema_in_use([layers.head(row).state for row in rows.iterator(layers.FETCH_SIZE)])


@require_POST
def store_schema(request: HttpRequest, project: str) -> HttpResponse:
    """Store the schema of a task, or delete it."""
    led_project = projects.led_project(person(request), project)
    body = decode_body(request, SchemaRequest)
    if isinstance(body, HttpResponse):
        return body
    if body.task not in TASKS or len(request.body) > MAX_SCHEMA_BYTES:
        return refusal(request, 422, f"Expected a task ({', '.join(TASKS)}) and at most {MAX_SCHEMA_BYTES:,} bytes.")
    try:
        schema = None if bytes(body.schema) == b"null" else parse_schema(bytes(body.schema))
    except UsageError as error:
        return refusal(request, 422, str(error))
    with transaction.atomic():
        row = Project.objects.select_for_update().get(pk=led_project.pk)
        others = {task: stored for task, stored in row.schemas.items() if task != body.task}
        row.schemas = others | ({} if schema is None else {body.task: msgspec.to_builtins(schema)})
        row.save(update_fields=["schemas"])
    return answer({"stored": schema is not None})
