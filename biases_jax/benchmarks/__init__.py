"""Which measurements exist? One file is one phenomenon."""
