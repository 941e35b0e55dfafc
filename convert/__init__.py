"""How does a PyTorch checkpoint become Flax variables, without PyTorch?"""
