"""Programs of developers: measurements, fuzzing, containers. `make` or `python -m` runs them."""
