"""From bytes or Python structures to documents."""
