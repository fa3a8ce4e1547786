"""What does a question cost that the Worker answers?"""
