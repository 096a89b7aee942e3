"""Use cases: the only owner of transactions."""
