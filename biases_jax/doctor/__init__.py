"""Is all that a run needs there, whole, and what it claims to be?"""
