"""Stories written by machines: a language model learns from human stories, then goes on from their beginnings."""
