"""What things are: measures, tasks, formats, options, signatures, and the registry that finds them."""
