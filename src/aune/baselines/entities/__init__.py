"""The simple systems for named entities. They learn from an annotated corpus, and mark the words of a text."""
