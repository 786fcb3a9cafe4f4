"""The tasks that aune measures, one package each."""

ALIASES = {
    "anaphora": ("pronouns",),
    "coref": ("coreference",),
    "entities": ("ner", "entity"),
    "speech": ("asr", "stt", "transcription"),
    "tagging": ("pos", "tags", "ud"),
}
"""Other names that people use for tasks: here, so that no task is imported to find another one by its name."""
