"""Statistics, intervals, prices, comparisons and gates: numbers only, no text and no HTML."""
