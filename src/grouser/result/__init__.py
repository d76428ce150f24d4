"""Results: written while a run goes on, read by name, judged and exported."""
