package promotion

// Arrival is the commit that has brought freight to a target, or is about to.
type Arrival struct {
	Target TargetName // "" in a stage that is one place
	Commit SHA
}

// Common are the signals on commits of a branch that stages of several pipelines wait for.
type Common struct {
	On Branch
	Matched
}

// Evidence is everything that may judge an arrival: the runs that a matcher names, on the commit itself and on the
// heads that followed it on the branch until a push touched the files (semantics 7.1).
type Evidence struct {
	Arrival
	// Head is the newest head that counts, if a check among the runs was cancelled: on another commit that has been
	// overtaken. It is empty when the branch was moved back to a commit that had been its head before, which overtakes
	// all of them, and when no check was cancelled: then a push to the branch changes nothing.
	Head   SHA
	Runs   []Signal // by id; of one app, suite and name on one commit only the newest
	Suites []Suite  // of the runs, by id, as far as they are known
}
