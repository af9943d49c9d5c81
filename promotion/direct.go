package promotion

// underway reports whether something of the attempt may be there or not.
func (a Attempt) Underway() bool { return a.Begun > 0 || !a.Dispatched.IsZero() }

// landed is the commit of an attempt on the branch, or the one that its workflow runs on, as if it had been merged there.
func (a Attempt) Arrived() *Pull {
	return &Pull{State: PullMerged, HeadSHA: a.HeadSHA, MergeSHA: a.HeadSHA, MergedAt: a.Landed}
}
