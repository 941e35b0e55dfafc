"""Do two frameworks, or two machines, compute the same from the same weights?"""
