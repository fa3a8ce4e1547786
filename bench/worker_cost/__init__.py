"""Measures what a query to the Worker costs: CPU time, subrequests and rows read."""
