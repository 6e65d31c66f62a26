"""Search: finds programs that fit the demonstrations of tasks, or some of them.

problems      tasks as a search sees them: tests without what is expected of them
typed         the kinds of a program's values: what may stand where
grammar       what programs are likely, counted over programs that are known
mutation      programs made of programs
strategies/   what is tried next, in units of work
layers/       images of a vocabulary, put on one another
rules/        cells colored by what images show there, learnt as a table
enumerate/    programs from the bottom up
bank, values  values by number: a primitive called on very many of them at once
workroom      where units are done: programs tried on one task, or on all
wide/         programs tried on all tasks
search        rounds of units, in any number of processes
state, found, result    what is known so far, what was found, what comes of it
guesses       what is right on some demonstrations answers where too little fits
ranking       what speaks against and for programs, beside their costs
shortening    operations left out that what was found does not need
written       what was found, checked by both forms and written
"""
