"""The rules of Escape from Atlantis!, line by line."""
