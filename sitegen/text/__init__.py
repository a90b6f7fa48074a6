"""How foreign texts are read: tables, YAML, times, and the names of models, tasks and pages."""
