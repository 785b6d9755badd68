"""What the larger verbs answer with: states, details and counts, for every interface to format."""
