"""Published figures, computed again and set beside the paper's."""
