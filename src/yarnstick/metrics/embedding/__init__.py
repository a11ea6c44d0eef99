"""Metrics of texts as clouds of vectors: arrays in, numbers out. No model is met in this room."""
