"""How fast is the program? It is measured beside what no program of its kind can do without."""
