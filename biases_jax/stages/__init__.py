"""What can `main.py --stage=...` do? One file is one stage."""
