"""Loops that let time have its effect; any number of servers may run them."""
