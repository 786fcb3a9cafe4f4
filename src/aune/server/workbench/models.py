"""What the database holds of the workbench: sources, texts, layers, events and snapshots."""

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
"""Who sees a comment."""


class Project(models.Model):
    """Texts that a team annotates together, and what its leader decides about them."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    name = models.CharField(max_length=120)
    guidelines = models.TextField(default="", blank=True)
    """How to annotate, in Markdown."""
    everyone = models.BooleanField(default=True)
    """Whether all annotators of the server see its texts; if not, its members alone."""
    discussion = models.CharField(max_length=16, choices=list(AUDIENCES.items()), default="layers")
    """Who sees comments, beside their author and organisers."""
    schemas = models.JSONField(default=dict)
    """The schema of the texts of each task, by task, as its file has it; none for that of each text."""
    made = models.DateTimeField(default=timezone.now)


class ProjectMember(models.Model):
    """An annotator who sees the texts of a project that is not everyone's."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="members")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")

    class Meta:
        """An account is a member once."""

        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["project", "account"], name="one_membership_per_project")
        ]


class Source(models.Model):
    """A file that was opened: its bytes are in the store under their digest."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    name = models.CharField(max_length=255)
    digest = models.CharField(max_length=64, db_index=True)
    beside = models.JSONField(default=dict)
    """The files that stand beside it (the text of a brat file): digests by ending."""
    task = models.CharField(max_length=16)
    format = models.CharField(max_length=32)
    options = models.JSONField(default=dict)
    """How it was read: the typology of its labels, say."""
    warnings = models.JSONField(default=list)
    owner = models.ForeignKey(Account, null=True, on_delete=models.SET_NULL, related_name="+")
    project = models.ForeignKey(Project, null=True, on_delete=models.PROTECT, related_name="sources")
    """The project of its texts; none for files that are not listed."""
    listed = models.BooleanField(default=True)
    """Whether people find it among their texts; if not, only those with a layer of it come to it."""
    made = models.DateTimeField(default=timezone.now)


class Text(models.Model):
    """What is annotated: one document of a source."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="texts")
    number = models.PositiveIntegerField()
    """Which document of the source it is."""
    name = models.CharField(max_length=255)
    task = models.CharField(max_length=16)
    words = models.PositiveIntegerField()
    content = models.BinaryField()
    """The domain's Text, as JSON."""

    class Meta:
        """A document is opened once."""

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
    """The version at which it was done for the first time: what its author said before any discussion."""
    made_from = models.JSONField(default=list)
    """For a key, the layers that it is made from."""
    purpose = models.CharField(max_length=120, default="")
    """What a proposal is for: whoever asks for it says it, and finds the same layer again."""
    back = models.CharField(max_length=255, default="")
    """The page to which its author goes back when a proposal is done."""
    size = models.PositiveBigIntegerField(default=0)
    """Bytes that it holds in events, states and the file that it came with, counted as they come."""
    made = models.DateTimeField(default=timezone.now)
    due = models.DateField(null=True)
    """The day until which its annotator should be done."""
    withdrawn = models.BooleanField(default=False)
    """Whether its text was given to another annotator: it stays, and counts no more."""
    changed = models.DateTimeField(null=True)
    seconds = models.PositiveIntegerField(default=0)
    """The time spent on it: the intervals between its events, as far as they are short (`layers.PAUSE`)."""
    mentions = models.PositiveIntegerField(null=True)
    """How many mentions it has; None for an older layer that nobody counted yet."""

    class Meta:
        """The layers of an annotator are listed."""

        indexes: ClassVar[list[Any]] = [models.Index(fields=["author", "kind", "done"], name="layers_of_authors")]


class Event(models.Model):
    """One action, in the order of the layer."""

    layer = models.ForeignKey(Layer, on_delete=models.CASCADE, related_name="events")
    version = models.PositiveIntegerField()
    """The version of the layer that this event made."""
    identity = models.CharField(max_length=64)
    """The id that the page gave it: the same one again is the same event."""
    author = models.ForeignKey(Account, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    undoes = models.PositiveIntegerField(null=True)
    redoes = models.PositiveIntegerField(null=True)
    body = models.BinaryField()
    """The domain's Event, as JSON."""
    inverse = models.BinaryField()
    """The changes that put back what was."""

    class Meta:
        """A version is made once, by an event that is there once."""

        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["layer", "version"], name="one_event_per_version"),
            models.UniqueConstraint(fields=["layer", "identity"], name="one_event_per_identity"),
        ]


class Snapshot(models.Model):
    """The state of a layer at a version, so that nobody has to fold all events; version 0 is what it began with."""

    layer = models.ForeignKey(Layer, on_delete=models.CASCADE, related_name="snapshots")
    version = models.PositiveIntegerField()
    state = models.BinaryField()

    class Meta:
        """One snapshot of a version."""

        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["layer", "version"], name="one_snapshot_per_version")
        ]


class Comment(models.Model):
    """What somebody says about a passage of a text; an answer names the comment that it answers."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="comments")
    layer = models.ForeignKey(Layer, null=True, on_delete=models.SET_NULL, related_name="comments")
    """The layer in which it was made."""
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    body = models.TextField()
    is_flag = models.BooleanField(default=False)
    """Whether something is to be looked at by a leader."""
    author = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    answers = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="+")
    made = models.DateTimeField(default=timezone.now)
    resolved = models.DateTimeField(null=True)
    resolver = models.ForeignKey(Account, null=True, on_delete=models.PROTECT, related_name="+")
