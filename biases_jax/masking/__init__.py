"""What do noise bands hide from a model? (critical-band masking)"""
