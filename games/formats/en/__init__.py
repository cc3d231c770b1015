"""English as this site writes it."""
