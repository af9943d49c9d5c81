package invariant

import (
	"fmt"
	"strconv"
	"time"

	"waybill/internal/torture/ledger"
)

// turnLasts is how long others wait, at most, for a promotion whose commit is made anew.
const turnLasts = 10 * time.Minute

// collidesWithOthers checks that the commit of a promotion is made anew only because others have moved the branch. One
// that has a pull request may be made anew once because of Waybill's own merges: those that came before its turn. One
// that conflicted first may be made anew again when it is out of date: an App cannot read that classic protection wants
// it up to date, and learns it when GitHub refuses to merge it. A GitHub that shows an older head may have Waybill miss
// its own movements.
func collidesWithOthers(l *ledger.Ledger, c change) string {
	was, is := c.before.Rounds[c.now.Number], l.DB.Seen.Rounds[c.now.Number]
	unsure := l.Shape.Behind() || l.Gaps.Hidden
	if unsure || !c.known || was.Plan == 0 || was.Step != is.Step || was.Repo != is.Repo || was.Branch != is.Branch {
		return ""
	}
	var until string
	switch {
	case is.Late > was.Late:
		until = l.GitHub.Head(is.Repo, is.Branch)
	case is.Plan > was.Plan && was.Built > was.First && was.Built == was.Plan && within(was, is) && was.Refused != 1:
		until = is.Base
	default:
		return ""
	}
	if movedByOthers(l, was.Repo, was.Base, until) {
		return ""
	}
	return fmt.Sprintf("p%d in %s: round %d on %.7s, late %d, is followed by round %d on %.7s, late %d, and only Waybill"+
		" has moved %s", c.now.Number, c.now.Stage, was.Plan, was.Base, was.Late, is.Plan, is.Base, is.Late, is.Branch)
}

// within reports whether the second of two rounds was planned while others still waited for the first. They do from
// the time on at which that was asked for: it is over when the process dies that makes the plan, and nobody notices for
// long.
func within(was, is ledger.Round) bool {
	return time.Duration(is.At.Int64-was.Asked.Int64)*time.Microsecond < turnLasts
}

// movedByOthers reports whether a person, a program or GitHub's merge queue has moved a branch from one commit to
// another. Rollbacks wait for no turn: they count as such.
func movedByOthers(l *ledger.Ledger, repo, from, to string) bool {
	for sha := to; sha != from; {
		made, found := l.GitHub.Commit(repo, sha)
		if !found || len(made.Parents) == 0 {
			return true // the branch was moved to where it does not come from
		}
		ours := ledger.Trailer.FindStringSubmatch(made.Message)
		if ours == nil {
			return true
		}
		if n, _ := strconv.ParseInt(ours[1], 10, 64); l.DB.Seen.Promotions[n].Class == "rollback" {
			return true
		}
		sha = made.Parents[0]
	}
	return false
}
