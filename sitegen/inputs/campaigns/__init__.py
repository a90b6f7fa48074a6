"""Campaigns that were kept: packs, and figures of those whose runs are gone."""
