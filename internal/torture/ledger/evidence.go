package ledger

import (
	"slices"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Evidence derives verdicts on merges from the reports of CI.
type Evidence struct {
	clock   *Clock
	db      *Database
	github  *githubsim.Server
	remote  *Remote
	signals *Signals
}

// silentFor reports whether a merge is at least d ago, by a clock that may have been set.
func (e *Evidence) silentFor(p githubsim.Pull, d time.Duration) bool {
	return time.Since(p.MergedAt) >= d-time.Second-e.clock.Uncertainty()
}

// MergedInto returns the commit that a stage, or a target of it, got last. This is the last merge, or the commit of a
// promotion being verified, which may have no merge of its own.
func (e *Evidence) MergedInto(stage, target string) string {
	sha, at := "", time.Time{}
	for _, p := range e.remote.Merges() {
		if StageIn(p) == stage && !p.MergedAt.Before(at) && (target == "" || slices.Contains(e.remote.TargetsIn(p), target)) {
			sha, at = p.MergeSHA, p.MergedAt
		}
	}
	for _, p := range e.db.Seen.Promotions {
		if p.Stage != stage || p.State != "verifying" {
			continue
		}
		if target == "" {
			sha = p.MergeSHA
		} else if goesBy := e.db.Text(`SELECT json_extract(value, '$.commit') FROM deployments, json_each(results)
			WHERE promotion = ? AND json_extract(value, '$.target') = ?`, p.Number, target); goesBy != "" {
			sha = goesBy
		}
	}
	return sha
}

// Proven returns whether CI has verified a merge into a stage, or a target of it, and since when.
func (e *Evidence) Proven(up *shape.Stage, target, sha string, merged time.Time) (since time.Time, good bool) {
	since = merged
	for _, p := range e.remote.Merges() { // GitHub may date its answer to a merge later than the merge
		if p.MergeSHA == sha && p.MergedAt.Before(since) {
			since = p.MergedAt
		}
	}
	for _, m := range up.Verify {
		at, found := e.said(up, target, m.Of(target), sha, "success")
		switch {
		case m.Missing == "pass" || m.Skipped == "pass":
		case !found:
			return since, false
		case at.After(since):
			since = at
		}
	}
	return since, true
}

// said returns when CI first reported one of some results for the merge into a stage, or a target of it.
func (e *Evidence) said(up *shape.Stage, target string, m shape.Matcher, sha string, what ...string) (time.Time, bool) {
	var on []string
	for _, g := range e.signals.all {
		if g.Kind != m.Kind || g.Name != m.Name() || !slices.Contains(what, g.Result) {
			continue
		}
		if on == nil {
			on = e.OnWay(up, target, sha)
		}
		if slices.Contains(on, g.SHA) {
			return g.at, true
		}
	}
	return time.Time{}, false
}

// OnWay returns the commits on which CI judges a merge into a stage, or a target of it: that commit, and later ones
// until one touches its file (semantics 7.1).
func (e *Evidence) OnWay(up *shape.Stage, target, sha string) []string {
	if up.Whole {
		return []string{sha} // every later commit changes the environment
	}
	var later []string // newest first
	place := up.AtOf(target)
	for at := e.github.Head(place.Repo, place.Branch); at != sha; {
		c, found := e.github.Commit(place.Repo, at)
		if !found || len(c.Parents) == 0 {
			later = nil // the commit is no longer on the branch
			break
		}
		later, at = append(later, at), c.Parents[0]
	}
	on, file := []string{sha}, up.File(target)
	for _, at := range slices.Backward(later) {
		if slices.Contains(e.remote.ChangedBy(place.Repo, at), file) {
			break
		}
		on = append(on, at)
	}
	return on
}
