"""Which small changes of an image change a model's answer?"""
