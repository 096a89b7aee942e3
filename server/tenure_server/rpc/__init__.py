"""The gRPC edge: the only importer of grpc and of the generated code."""
