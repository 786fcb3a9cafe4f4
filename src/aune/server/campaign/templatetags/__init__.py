"""Template filters of campaign pages."""
