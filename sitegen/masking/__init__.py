"""Secrets and personal data: the rules, the redactor, and the last scan of finished files."""
