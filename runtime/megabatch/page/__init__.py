"""A run's folder as one self-contained HTML page.

folder      reads the folder
programs    the calls of solvers, their failures and their time
numbers     distributions of numbers
page        the page, with a workload's additions
"""
