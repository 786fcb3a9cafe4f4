"""The workbench without its web pages: texts, layers of annotation, and the operations on them.

Plain Python without a database or a browser. A *text* is what is annotated, a *state* is one annotation of it, and a
*layer* is a state with the log of events that produced it.
"""
