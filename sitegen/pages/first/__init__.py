"""What the first page shows above its charts."""
