"""The definitions of measures, tasks, formats, options and signatures, and the registry that finds them."""
