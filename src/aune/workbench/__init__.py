"""The workbench without its pages: texts, layers of annotation, and what is done with them.

Plain Python that knows neither a database nor a browser. A *text* is what is annotated, a *state* is one annotation of
it, a *layer* is a state with the log of events that made it.
"""
