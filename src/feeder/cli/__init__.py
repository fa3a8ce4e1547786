"""What does a user say, and what is he shown?"""
