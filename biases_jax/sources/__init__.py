"""Where do images come from, and in which order?"""
