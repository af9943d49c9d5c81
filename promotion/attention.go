package promotion

// Attention says who and what is put on the pull requests of a stage, so that people find them and are asked to look.
type Attention struct {
	Labels    []string
	Reviewers []string // logins, and teams as "acme/platform"
	Assignees []string // logins
}

// IsZero reports whether nothing is put on them.
func (a Attention) IsZero() bool { return len(a.Labels)+len(a.Reviewers)+len(a.Assignees) == 0 }
