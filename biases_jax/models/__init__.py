"""Which networks are measured, and where do their weights lie?"""
