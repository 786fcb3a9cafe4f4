"""The components of ATENE: features of words, maximum-entropy models, projection of entities, margins.

Source: the thesis of Ben Jannet 2015, chapter 5.
"""
