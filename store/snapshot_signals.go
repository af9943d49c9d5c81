package store

import (
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// signals reads what may judge the freight that the stage hosts, or is about to host: the pushes since it came, and the
// signals and suites of its commit and of the heads that followed. Only signals that a matcher of the stage names are
// read.
func (g *gathering) signals() (err error) {
	commits, since := g.commits()
	if len(commits) == 0 || len(g.Stage.Verify) == 0 {
		return nil
	}
	on := g.Pipeline.BranchesOf(g.Stage)
	for _, b := range on {
		some, err := g.tx.Facts.pushesSince(b, since)
		if err != nil {
			return err
		}
		g.pushes = append(g.pushes, some...)
	}
	signals, err := read(g, signalDest, `SELECT `+signalColumns+` FROM signals WHERE repo = $1`, on, commits, since)
	if err != nil {
		return err
	}
	asks := askedOf(g.Stage.Verify)
	signals = slices.DeleteFunc(signals, func(s promotion.Signal) bool { return !asks.forSignal(&s) })
	suites, err := read(g, suiteDest, `SELECT `+suiteColumns+` FROM suites WHERE repo = $1`, on, commits, since)
	g.Evidence = g.Gather(signals, suites, g.pushes)
	return err
}

// asked is what matchers ask for: names, and patterns with stars. A stage of thousands of targets has a name for each.
type asked struct {
	names map[askedName]bool
	stars []promotion.Matcher
}

type askedName struct {
	kind promotion.SignalKind
	name string
}

func askedOf(matchers []promotion.Matcher) asked {
	a := asked{names: make(map[askedName]bool, len(matchers))}
	for _, m := range matchers {
		a.names[askedName{m.Kind, m.Pattern}] = true
		if strings.Contains(m.Pattern, "*") {
			a.stars = append(a.stars, m)
		}
	}
	return a
}

// forSignal reports whether some matcher names a signal.
func (a asked) forSignal(s *promotion.Signal) bool {
	return a.names[askedName{s.Kind, s.Name}] || slices.ContainsFunc(a.stars, func(m promotion.Matcher) bool {
		return m.Kind == s.Kind && promotion.Match(m.Pattern, s.Name)
	})
}

// commits returns the commits that verdicts begin with, and since when: those of the stays that last, and those of
// promotions that are merged, or need no merge, and have no stay yet.
func (g *gathering) commits() (commits []promotion.SHA, since time.Time) {
	known := map[promotion.SHA]bool{}
	add := func(sha promotion.SHA, at time.Time) {
		if sha == "" {
			return
		}
		if !known[sha] {
			known[sha] = true
			commits = append(commits, sha)
		}
		if since.IsZero() || at.Before(since) {
			since = at
		}
	}
	for i := range g.Stays {
		s := &g.Stays[i]
		if s.Ended() {
			continue
		}
		add(s.Commit, s.Entered)
		for k := range s.Parts {
			if s.Parts[k].Step > 0 { // what stood already is judged no more
				add(s.Parts[k].Commit, s.Entered)
			}
		}
	}
	for i := range g.Pulls {
		add(g.Pulls[i].MergeSHA, g.Pulls[i].MergedAt)
	}
	for i := range g.Attempts {
		add(g.landed(&g.Attempts[i]))
		if plan := g.Attempts[i].Plan; plan != nil && len(plan.Paths) == 0 && g.isOpen(g.Attempts[i].Promotion) {
			add(plan.Base, plan.At)
		}
	}
	return commits, since
}

// landed returns the commit that a promotion which has not ended has put on the branch by itself; none if it has not.
func (g *gathering) landed(a *promotion.Attempt) (promotion.SHA, time.Time) {
	if a.Landed.IsZero() || !g.isOpen(a.Promotion) {
		return "", time.Time{}
	}
	return a.HeadSHA, a.Landed
}

// isOpen reports whether a promotion of the snapshot has not ended.
func (g *gathering) isOpen(n promotion.Number) bool {
	return slices.ContainsFunc(g.Promotions, func(p promotion.Promotion) bool { return p.Number == n && !p.State.Ended() })
}

// read returns the rows of all commits, and of the heads that branches have had since a time.
func read[T comparable](g *gathering, dest func(*T) []any, query string, on []promotion.Branch, commits []promotion.SHA, since time.Time) (all []T, err error) {
	known := make(map[T]bool)
	for _, b := range on {
		some, err := readOn(g, dest, query, b, commits, since)
		if err != nil {
			return nil, err
		}
		for _, row := range some {
			if !known[row] { // two branches may be of one repository
				known[row] = true
				all = append(all, row)
			}
		}
	}
	return all, nil
}

func readOn[T any](g *gathering, dest func(*T) []any, query string, on promotion.Branch, commits []promotion.SHA, since time.Time) ([]T, error) {
	const heads = ` AND sha IN (SELECT after_sha FROM pushes WHERE repo = $1 AND branch = $2 AND pushed_at >= $3)`
	all, err := list(g.tx, dest, query+heads, on.Repo, on.Name, micros(since.Add(-pushLag)))
	if err != nil {
		return nil, err
	}
	pushed := make(map[promotion.SHA]bool, len(g.pushes))
	for i := range g.pushes {
		if g.pushes[i].On() == on {
			pushed[g.pushes[i].After] = true
		}
	}
	for _, sha := range commits {
		if pushed[sha] {
			continue
		}
		more, err := list(g.tx, dest, query+` AND sha = $2`, on.Repo, sha)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}
