"""Stories damaged, and changed harmlessly: what do metrics say? Where perturbation, metrics and statistics meet."""
