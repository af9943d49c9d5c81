package promotion

// conflicts reports whether the commit that we made last cannot be merged. What GitHub said of an earlier one does not
// count, nor what it says of a commit of somebody else.
func (a Attempt) Conflicts(pull *Pull) bool {
	return pull != nil && pull.Conflicts && pull.HeadSHA == a.HeadSHA
}

func (a Attempt) Paths() []string {
	if a.Plan == nil {
		return nil
	}
	return a.Plan.Paths
}

// planHash returns the hash of what the attempt has written.
func (a Attempt) PlanHash() string {
	if a.Plan == nil {
		return ""
	}
	return a.Plan.Hash
}

// wrote returns the values that a merge has brought: those of the plan, unless somebody has pushed to the pull request
// and merged what nobody here knows.
func (a Attempt) Wrote(merged *Pull) []Value {
	if a.Plan == nil || merged.HeadSHA != a.HeadSHA {
		return nil
	}
	return a.Plan.Values
}
