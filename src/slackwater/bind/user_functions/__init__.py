"""Functions of users: declared by import path, and called in expressions."""
