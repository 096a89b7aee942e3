"""What `make` runs: the generators of committed files and their check."""
