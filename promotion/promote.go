package promotion

// standsOn reports whether the request was made on the pull request that the freight was.
func (r Request) StandsOn(f *Freight) bool {
	return r.Pull != 0 && f.Pull == r.Pull && f.Repo == r.PullRepo
}
