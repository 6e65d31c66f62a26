"""Runs the operations of programs, merged so that equal operations occur once."""
