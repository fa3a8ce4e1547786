"""Which nodes answer a question?"""
