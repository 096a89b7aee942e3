"""The values that callers see: frozen, and free of protobuf and gRPC."""
