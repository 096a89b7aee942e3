"""Tenure's server: who holds which job, and until when."""
