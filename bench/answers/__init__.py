"""How well are questions answered that others wrote, and names that the index itself has?"""
