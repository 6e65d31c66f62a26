"""A run's folder as one self-contained HTML page.

folder      reads the folder
programs    solvers' calls, failures and times
numbers     distributions of numbers
page        makes the page, with a workload's additions
"""
