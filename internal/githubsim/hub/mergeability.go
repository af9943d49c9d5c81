package hub

import (
	"strconv"

	"waybill/internal/githubsim/gitstore"
)

// test makes GitHub's test merge of a pull request if its base or head changed since the last one.
func (ps *Pulls) test(r *Repository, p *Pull) error {
	base, exists := r.git.Branch(p.BaseRef)
	if !exists || !p.Open {
		return nil
	}
	if p.tested == [2]string{base, p.HeadSHA} {
		return nil
	}
	m, err := r.git.Merge(base, p.HeadSHA)
	if err != nil {
		return err
	}
	p.tested, p.Conflicts, p.MergeSHA = [2]string{base, p.HeadSHA}, m.Conflicts, ""
	p.Looked, p.looks = false, 0
	if !m.Clean() {
		return nil
	}
	p.MergeSHA, err = r.git.WriteCommit(gitstore.Commit{
		Tree: m.Tree, Parents: []string{base, p.HeadSHA}, Author: ps.refs.Signature(p.Author), Committer: ps.refs.WebFlow(),
		Message: "Merge " + p.HeadSHA + " into " + base,
	})
	if err != nil {
		return err
	}
	return r.git.SetRef("refs/pull/"+strconv.Itoa(p.Number)+"/merge", p.MergeSHA)
}

// Look reports whether the mergeability is known yet. GitHub computes it in the background: the first request gets
// unknown, and starts the computation, which may last for more requests.
func (ps *Pulls) Look(r *Repository, p *Pull) (known bool, err error) {
	if !p.Open {
		return false, nil
	}
	base, _ := r.git.Branch(p.BaseRef)
	current := p.tested == [2]string{base, p.HeadSHA}
	if err := ps.test(r, p); err != nil {
		return false, err
	}
	known = current && p.looks >= ps.MoreLooks
	if current {
		p.looks++
	}
	p.Looked = p.Looked || known
	return known, nil
}

// TestIsCurrent reports whether the test merge is of the current base and head.
func (r *Repository) TestIsCurrent(p *Pull) bool {
	base, exists := r.git.Branch(p.BaseRef)
	return exists && p.Open && p.tested == [2]string{base, p.HeadSHA}
}

// ShownMerge returns the merge commit of a merged pull request, or the test merge of an open one once it is known.
func (r *Repository) ShownMerge(p *Pull) string {
	if p.Open && !(p.Looked && r.TestIsCurrent(p)) {
		return ""
	}
	return p.MergeSHA
}

// MergeableState returns GitHub's mergeable_state, once the test merge is known.
func (r *Repository) MergeableState(p *Pull) string {
	protection := r.Protections[p.BaseRef]
	switch {
	case len(p.Conflicts) > 0:
		return "dirty"
	case p.Draft: // a conflicting draft is dirty
		return "draft"
	case protection.UpToDate && r.behind(p):
		return "behind"
	case len(r.unmet(p)) > 0:
		return "blocked"
	case r.unstable(p.HeadSHA):
		return "unstable"
	}
	return "clean"
}

// unstable reports whether a check or status that is not required is pending or failing.
func (r *Repository) unstable(sha string) bool {
	for _, run := range r.LatestRuns(sha) {
		if r.CheckState(sha, run.Name) != "" {
			return true
		}
	}
	for _, s := range r.LatestStatuses(sha) {
		if s.State != "success" {
			return true
		}
	}
	return false
}
