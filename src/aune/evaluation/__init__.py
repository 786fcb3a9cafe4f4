"""From documents to rows: the plan of a call, pairing, counting in chunks, and the engines that count."""
