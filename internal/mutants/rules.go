package main

import "slices"

// rule is a rule of the program that is broken on purpose: a piece of a file and its replacement.
type rule struct {
	name     string
	file     string
	old, new string
}

// named is a rule whose breach a named test must notice: one of the store, of GitHub's limits, or of dying processes.
type named struct {
	rule
	folder, test string
}

// tested are the rules whose breach their tests must notice.
var tested = slices.Concat(working, door, tenants, strangers, promises, files, people, freight, reading, going, rows,
	guards)
