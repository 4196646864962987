"""front: the front page, its question as a form, and the answer."""
