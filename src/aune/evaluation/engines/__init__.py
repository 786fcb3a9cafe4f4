"""Where chunks are counted: in this process (`here`), in several on this machine, or on a Dask cluster.

An engine is a file with `open_engine(workers, address, modules)`: a context in which chunks are counted while it is
open, by processes that have imported these modules beforehand. All of them map one function,
`aune.evaluation.counting.count_chunk`, and give the same digits.
"""
