"""SQL and nothing else: one statement is one constant and one function beneath it."""
