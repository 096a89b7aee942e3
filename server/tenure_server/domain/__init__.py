"""Pure values and rules: no SQL, no gRPC, no clock."""
