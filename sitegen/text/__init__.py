"""Foreign texts: tables, YAML, times, and the names of models, tasks and pages."""
