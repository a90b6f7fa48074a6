"""The parts that readers share: values narrowed, fields listed, sizes held, bytes to JSON values."""
