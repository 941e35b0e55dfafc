"""How do images look that weather, cameras or files have spoilt?"""
