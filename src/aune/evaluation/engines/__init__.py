"""Engines count chunks: in this process (`here`), in several processes of this machine, or on a Dask cluster.

An engine is a file with `open_engine(workers, address, modules)`: a context in which chunks are counted by processes
that have imported these modules beforehand. All engines map the same function,
`aune.evaluation.counting.count_chunk`, and return the same digits.
"""
