"""The database models of the workbench: sources, texts, layers, events and snapshots."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from django.utils import timezone

from aune.server.accounts.models import Account, identifier

KINDS = {
    "imported": "as the file has it",
    "annotation": "what an annotator says",
    "system": "what a system says",
    "key": "what was adjudicated",
    "proposal": "what somebody proposes to change in a key",
}


AUDIENCES = {
    "leaders": "its author and organisers",
    "layers": "also those who see the layer",
    "team": "all annotators of the project",
}
"""Who may see a comment."""


class Project(models.Model):
    """Texts that a team annotates together, with the settings of its leader."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    name = models.CharField(max_length=120)
    guidelines = models.TextField(default="", blank=True)
    """Annotation guidelines in Markdown."""
    everyone = models.BooleanField(default=True)
    """Whether all annotators of the server may see its texts; otherwise only its members."""
    discussion = models.CharField(max_length=16, choices=list(AUDIENCES.items()), default="layers")
    """Who may see comments, besides their author and organisers."""
    schemas = models.JSONField(default=dict)
    """The annotation schema by task, in the form of a schema file; a missing task uses the schema of each text."""
    made = models.DateTimeField(default=timezone.now)


class ProjectMember(models.Model):
    """An annotator who may see the texts of a project that is not open to all."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="members")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")

    class Meta:
        """An account is a member of a project at most once."""

        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["project", "account"], name="one_membership_per_project")
        ]


class Source(models.Model):
    """A file that was opened; its bytes are in the file store under their digest."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    name = models.CharField(max_length=255)
    digest = models.CharField(max_length=64, db_index=True)
    beside = models.JSONField(default=dict)
    """The companion files (such as the text of a brat file): digests by suffix."""
    task = models.CharField(max_length=16)
    format = models.CharField(max_length=32)
    options = models.JSONField(default=dict)
    """The options with which it was read, for example the typology of its labels."""
    warnings = models.JSONField(default=list)
    owner = models.ForeignKey(Account, null=True, on_delete=models.SET_NULL, related_name="+")
    project = models.ForeignKey(Project, null=True, on_delete=models.PROTECT, related_name="sources")
    """The project of its texts; None for files that are not listed."""
    listed = models.BooleanField(default=True)
    """Whether it is listed among the texts; otherwise it is reachable only through a layer of it."""
    made = models.DateTimeField(default=timezone.now)


class Text(models.Model):
    """A text to annotate: one document of a source."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="texts")
    number = models.PositiveIntegerField()
    """The index of the document in the source."""
    name = models.CharField(max_length=255)
    task = models.CharField(max_length=16)
    words = models.PositiveIntegerField()
    content = models.BinaryField()
    """The domain's Text, as JSON."""

    class Meta:
        """Each document is stored at most once."""

        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["source", "number"], name="one_text_per_document")
        ]


class Layer(models.Model):
    """One annotation of a text."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="layers")
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=16, choices=list(KINDS.items()))
    author = models.ForeignKey(Account, null=True, on_delete=models.PROTECT, related_name="layers")
    version = models.PositiveIntegerField(default=0)
    done = models.BooleanField(default=False)
    first_done = models.PositiveIntegerField(null=True)
    """The version at which it was first marked as done: its state before any discussion."""
    made_from = models.JSONField(default=list)
    """For a key, the ids of the layers that it is made from."""
    purpose = models.CharField(max_length=120, default="")
    """What a proposal or a system's layer is for. Asking for a proposal with the same purpose finds the same layer."""
    back = models.CharField(max_length=255, default="")
    """The page to which the author of a proposal returns when it is done."""
    size = models.PositiveBigIntegerField(default=0)
    """Bytes of its events, snapshots and imported file, updated as they are stored."""
    made = models.DateTimeField(default=timezone.now)
    due = models.DateField(null=True)
    """The day by which its annotator should be done."""
    withdrawn = models.BooleanField(default=False)
    """Whether its text was reassigned to another annotator: the layer is kept, but no longer counts."""
    changed = models.DateTimeField(null=True)
    seconds = models.PositiveIntegerField(default=0)
    """The working time: the sum of the intervals between events that are shorter than `layers.PAUSE`."""
    mentions = models.PositiveIntegerField(null=True)
    """The number of mentions; None for an older layer that has not been counted yet."""

    class Meta:
        """The index supports listing the layers of an annotator."""

        indexes: ClassVar[list[Any]] = [models.Index(fields=["author", "kind", "done"], name="layers_of_authors")]


class Event(models.Model):
    """One action; the events of a layer are ordered by version."""

    layer = models.ForeignKey(Layer, on_delete=models.CASCADE, related_name="events")
    version = models.PositiveIntegerField()
    """The version of the layer that this event created."""
    identity = models.CharField(max_length=64)
    """The id from the page, by which a repeated event is recognised."""
    author = models.ForeignKey(Account, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    undoes = models.PositiveIntegerField(null=True)
    redoes = models.PositiveIntegerField(null=True)
    body = models.BinaryField()
    """The domain's Event, as JSON."""
    inverse = models.BinaryField()
    """The changes that undo the event."""

    class Meta:
        """In a layer, each version and each event id occurs at most once."""

        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["layer", "version"], name="one_event_per_version"),
            models.UniqueConstraint(fields=["layer", "identity"], name="one_event_per_identity"),
        ]


class Snapshot(models.Model):
    """The state of a layer at a version, which saves replaying all events; version 0 is the initial state."""

    layer = models.ForeignKey(Layer, on_delete=models.CASCADE, related_name="snapshots")
    version = models.PositiveIntegerField()
    state = models.BinaryField()

    class Meta:
        """At most one snapshot per version."""

        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["layer", "version"], name="one_snapshot_per_version")
        ]


class Comment(models.Model):
    """A comment on a passage of a text; an answer refers to the comment that it answers."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="comments")
    layer = models.ForeignKey(Layer, null=True, on_delete=models.SET_NULL, related_name="comments")
    """The layer on which the comment was made."""
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    body = models.TextField()
    is_flag = models.BooleanField(default=False)
    """Whether the comment asks a leader to look at the passage."""
    author = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    answers = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="+")
    made = models.DateTimeField(default=timezone.now)
    resolved = models.DateTimeField(null=True)
    resolver = models.ForeignKey(Account, null=True, on_delete=models.PROTECT, related_name="+")
