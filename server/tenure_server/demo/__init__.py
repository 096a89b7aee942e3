"""The demonstration: real files, worker processes, a killed worker and a killed server."""
