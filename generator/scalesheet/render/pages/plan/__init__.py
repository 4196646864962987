"""plan: the pages of a plan: the answer first, then its text, then all that it rests on."""
