"""How many jobs per second: through gRPC, and beside it the same SQL without gRPC."""
