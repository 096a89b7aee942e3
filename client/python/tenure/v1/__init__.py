# Generated from proto/tenure/v1 by make generate; do not edit.
"""The messages and service stubs of the API, version 1."""
