"""Search: finds programs that fit all or some demonstrations of tasks.

problems      tasks as a search sees them: tests without their expected outputs
typed         the kinds of a program's values, and the places that take them
grammar       the likelihood of programs, counted over known programs
mutation      programs made of programs
strategies/   the strategies, which give units of work
layers/       outputs composed of a vocabulary's images
rules/        tables that color cells by the values of images there
enumerate/    programs from the bottom up
bank, values  numbered values: a primitive called on very many of them at once
calls         very many calls of one function, which keep values or only properties of values
fingerprints  128 bits that tell values apart
compiled      functions of arrays, compiled
workroom      trials of programs on one task, or on all tasks
wide          programs tried on one sample of every task
search        rounds of units, in any number of processes
state, found, result    the state between rounds, the finds, the result at the end
guesses       guesses for tasks with too few fits: programs right on some demonstrations
ranking       evidence against and for programs, besides their costs
shortening    found programs without the operations that they do not need
written       finds checked by both forms, and written to files
"""
