package githubsim

import (
	"strconv"
	"waybill/internal/githubsim/gitstore"
)

// test makes GitHub's test merge of a pull request if its base or head changed since the last one.
func (ps *Pulls) test(r *repository, p *pull) error {
	base, exists := r.git.Branch(p.baseRef)
	if !exists || !p.open {
		return nil
	}
	if p.tested == [2]string{base, p.headSHA} {
		return nil
	}
	m, err := r.git.Merge(base, p.headSHA)
	if err != nil {
		return err
	}
	p.tested, p.conflicts, p.looked, p.mergeSHA = [2]string{base, p.headSHA}, m.Conflicts, false, ""
	if !m.Clean() {
		return nil
	}
	p.mergeSHA, err = r.git.WriteCommit(gitstore.Commit{
		Tree: m.Tree, Parents: []string{base, p.headSHA}, Author: ps.refs.Signature(p.author), Committer: ps.refs.WebFlow(),
		Message: "Merge " + p.headSHA + " into " + base,
	})
	if err != nil {
		return err
	}
	return r.git.SetRef("refs/pull/"+strconv.Itoa(p.number)+"/merge", p.mergeSHA)
}

// Look answers whether the mergeability is known yet. GitHub computes it in the background: the first one to ask hears that it is
// not known and by that starts the computation.
func (ps *Pulls) Look(r *repository, p *pull) (known bool, err error) {
	if !p.open {
		return false, nil
	}
	base, _ := r.git.Branch(p.baseRef)
	current := p.tested == [2]string{base, p.headSHA}
	if err := ps.test(r, p); err != nil {
		return false, err
	}
	known = current
	p.looked = p.looked || known
	return known, nil
}

func (r *repository) testIsCurrent(p *pull) bool {
	base, exists := r.git.Branch(p.baseRef)
	return exists && p.open && p.tested == [2]string{base, p.headSHA}
}

// shownMerge is the merge commit of a merged pull request, and of an open one the test merge once it is known.
func (r *repository) shownMerge(p *pull) string {
	if p.open && !(p.looked && r.testIsCurrent(p)) {
		return ""
	}
	return p.mergeSHA
}

// mergeableState is the summary that GitHub shows in mergeable_state once the test merge is known.
func (r *repository) mergeableState(p *pull) string {
	protection := r.protections[p.baseRef]
	switch {
	case len(p.conflicts) > 0:
		return "dirty"
	case p.draft: // a conflicting draft is dirty
		return "draft"
	case protection.UpToDate && r.behind(p):
		return "behind"
	case len(r.unmet(p)) > 0:
		return "blocked"
	case r.unstable(p.headSHA):
		return "unstable"
	}
	return "clean"
}

// unstable reports whether something that is not required is pending or failing.
func (r *repository) unstable(sha string) bool {
	for _, run := range r.latestRuns(sha) {
		if r.checkState(sha, run.name) != "" {
			return true
		}
	}
	for _, s := range r.latestStatuses(sha) {
		if s.state != "success" {
			return true
		}
	}
	return false
}
