"""What do the numbers look like? Data in, a figure out; nothing is read here."""
