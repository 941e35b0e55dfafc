"""A drawn world of sixteen shapes and textures, and small networks trained in it."""
