"""Training of ragfaith's embedded judge."""
