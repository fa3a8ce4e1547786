"""What does a workflow need? The event becomes commands, a run's end its outputs."""
