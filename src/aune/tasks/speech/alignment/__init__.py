"""Which word of the response answers which word of the key."""
