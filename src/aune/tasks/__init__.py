"""The tasks that aune measures, one package each."""
