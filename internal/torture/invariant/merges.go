package invariant

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// merging is a merge that a worker is about to request.
type merging struct {
	sight     ledger.Sight
	promotion ledger.Promo
	told      string // why it may not be merged, as people were told when the worker claimed its work; "": it may
}

// mergingRules apply to merges that are about to be requested.
var mergingRules = []rule[merging]{
	{"no promotion is merged that was held when the worker began", mergesUnheld},
	{"no promotion is merged whose rollout was paused when the worker began", mergesUnpaused},
	{"no promotion is merged of which people were told that it may not be when the worker began", mergesAsTold},
}

func mergesUnheld(_ *ledger.Ledger, m merging) string {
	for _, o := range m.sight.Holds {
		if o.Stops(m.promotion) {
			return fmt.Sprintf("p%d in %s, hold %d", m.promotion.Number, m.promotion.Stage, o.ID)
		}
	}
	return ""
}

func mergesUnpaused(_ *ledger.Ledger, m merging) string {
	if !m.promotion.Paused() || !m.sight.Saw.Promotions[m.promotion.Number].Paused() {
		return ""
	}
	return fmt.Sprintf("p%d in %s", m.promotion.Number, m.promotion.Stage)
}

func mergesAsTold(_ *ledger.Ledger, m merging) string {
	if m.told == "" {
		return ""
	}
	return fmt.Sprintf("p%d in %s: %s", m.promotion.Number, m.promotion.Stage, m.told)
}

// branchAt is a branch of Waybill's that another person has pushed to last, and its head before a request.
type branchAt struct {
	branch shape.Place
	head   string
}

// branchRules apply to those branches after every request.
var branchRules = []rule[branchAt]{
	{"a branch that another person has moved is left alone", staysThere},
}

func staysThere(l *ledger.Ledger, b branchAt) string {
	now := l.GitHub.Head(b.branch.Repo, b.branch.Branch)
	if now == b.head {
		return ""
	}
	return fmt.Sprintf("%v was at %s and is at %q", b.branch, b.head, now)
}

// mergeRules apply to merges by Waybill, its commits without a pull request, and merges by the merge queue.
var mergeRules = []rule[githubsim.Pull]{
	{"an environment branch descends from its freight", comesFromItsFreight},
	{"pushes of others are not lost", keepsWhatOthersPushed},
	{"an environment branch becomes equal to its freight", becomesItsFreight},
	{"a merge changes the stage's files and the folder that it copies, and no other file", changesNoOtherFile},
	{"a merge changes the value of its freight in a file, and no other byte", changesNoOtherByte},
	{"a merge writes the value of its freight", writesItsFreight},
	{"a target takes part when it has been reported ready, except in rollbacks", goesToReadyTargets},
	{"a target that left the pipeline file, or that a person holds or left out, stays as it is", sparesTargets},
	{"a promotion updates a target once", updatesTargetsOnce},
	{"a copied folder equals that of the freight's commit", copiesExactly},
}

// comesFromItsFreight checks that a merge into an environment branch descends from the freight's commit.
func comesFromItsFreight(l *ledger.Ledger, p githubsim.Pull) string {
	if !ledger.Whole(p) {
		return ""
	}
	head, _ := l.GitHub.Commit(p.Repo, p.HeadSHA)
	if f, known := promotedBy(l, p); known && len(head.Parents) == 2 && head.Parents[1] == f.SHA {
		return ""
	}
	return fmt.Sprintf("#%d comes from %v", p.Number, head.Parents)
}

// promotedBy returns the freight that a pull request of Waybill's promotes.
func promotedBy(l *ledger.Ledger, p githubsim.Pull) (ledger.Source, bool) {
	return l.Sources.SourceOf(l.DB.Seen.Promotions[ledger.NumberOf(p.HeadBranch)])
}

// keepsWhatOthersPushed checks that a merge keeps the files that others pushed to an environment branch since the pull
// request was made.
func keepsWhatOthersPushed(l *ledger.Ledger, p githubsim.Pull) string {
	for path, f := range environment(l, p) {
		if f.was != f.base && f.is != f.base {
			return fmt.Sprintf("#%d: %s", p.Number, path)
		}
	}
	return ""
}

// becomesItsFreight checks that a merge makes all other files of an environment branch equal to the freight's.
func becomesItsFreight(l *ledger.Ledger, p githubsim.Pull) string {
	for path, f := range environment(l, p) {
		if f.was == f.base && f.is != f.want {
			return fmt.Sprintf("#%d: %s is %q, and not %q", p.Number, path, f.is, f.want)
		}
	}
	return ""
}

// fileIn is a file of an environment branch: when the pull request was made, before the merge, after it, and in the
// freight's commit.
type fileIn struct{ was, base, is, want string }

// environment yields the files of the environment branch that a pull request was merged into.
func environment(l *ledger.Ledger, p githubsim.Pull) iter.Seq2[string, fileIn] {
	return func(yield func(string, fileIn) bool) {
		if !ledger.Whole(p) {
			return
		}
		head, _ := l.GitHub.Commit(p.Repo, p.HeadSHA)
		freight, _ := promotedBy(l, p)
		is, want := l.Remote.Contents(p.Repo, p.MergeSHA), l.Remote.Contents(p.Repo, freight.SHA)
		was, base := l.Remote.Contents(p.Repo, head.Parents[0]), l.Remote.Contents(p.Repo, p.BaseSHA)
		for path := range union(is, want, was, base) {
			if !yield(path, fileIn{was[path], base[path], is[path], want[path]}) {
				return
			}
		}
	}
}

func union(all ...map[string]string) map[string]bool {
	paths := map[string]bool{}
	for _, some := range all {
		for path := range some {
			paths[path] = true
		}
	}
	return paths
}

// copied returns the folder that a stage copies.
func copied(p githubsim.Pull) string { return "copied/" + ledger.StageIn(p) }

// changesNoOtherFile checks that a merge changes only the stage's files and the folder that the stage copies.
func changesNoOtherFile(l *ledger.Ledger, p githubsim.Pull) string {
	if ledger.Whole(p) {
		return ""
	}
	beside := func(at string) []string {
		return slices.DeleteFunc(l.GitHub.Files(p.Repo, at), func(path string) bool {
			return strings.HasPrefix(path, copied(p)+"/")
		})
	}
	if before, after := beside(p.BaseSHA), beside(p.MergeSHA); !slices.Equal(before, after) {
		return fmt.Sprintf("#%d: %v, before %v", p.Number, after, before)
	}
	for path := range changed(l, p) {
		if shape.StageOf(path) != ledger.StageIn(p) {
			return fmt.Sprintf("#%d changes %s", p.Number, path)
		}
	}
	return ""
}

// texts are the contents of a file before and after a merge.
type texts struct{ old, now string }

// changed yields the files that a merge has changed, except those in the folder that the stage copies.
func changed(l *ledger.Ledger, p githubsim.Pull) iter.Seq2[string, texts] {
	return func(yield func(string, texts) bool) {
		if ledger.Whole(p) {
			return
		}
		for _, path := range l.GitHub.Files(p.Repo, p.BaseSHA) {
			old, _ := l.GitHub.File(p.Repo, p.BaseSHA, path)
			now, _ := l.GitHub.File(p.Repo, p.MergeSHA, path)
			if old != now && !strings.HasPrefix(path, copied(p)+"/") && !yield(path, texts{old, now}) {
				return
			}
		}
	}
}

func changesNoOtherByte(l *ledger.Ledger, p githubsim.Pull) string {
	warehouse := l.DB.Seen.Promotions[ledger.NumberOf(p.HeadBranch)].Warehouse
	for path, t := range changed(l, p) {
		if f := shape.FormOf(path); f == nil || f.Beside(t.old, warehouse) != f.Beside(t.now, warehouse) {
			return fmt.Sprintf("#%d changes %s from\n%sto\n%s", p.Number, path, t.old, t.now)
		}
	}
	return ""
}

func writesItsFreight(l *ledger.Ledger, p githubsim.Pull) string {
	promoted := l.DB.Seen.Promotions[ledger.NumberOf(p.HeadBranch)]
	for path, t := range changed(l, p) {
		f := shape.FormOf(path)
		is, _ := f.Says(t.now, promoted.Warehouse)
		if s, known := l.Sources.SourceOf(promoted); !known || f.Writes(s.Value()) != is {
			return fmt.Sprintf("#%d writes %s into %s for %s", p.Number, is, path, promoted.Name)
		}
	}
	return ""
}

// copiesExactly checks that a folder changed by a merge of Waybill's equals the folder it was copied from.
func copiesExactly(l *ledger.Ledger, p githubsim.Pull) string {
	if ledger.Whole(p) {
		return ""
	}
	_, was, _ := l.GitHub.Entry(p.Repo, p.BaseSHA, copied(p))
	_, is, found := l.GitHub.Entry(p.Repo, p.MergeSHA, copied(p))
	if !found || is == was {
		return ""
	}
	promoted, _ := promotedBy(l, p)
	_, want, _ := l.GitHub.Entry(promoted.Repo, promoted.SHA, "api")
	if is == want {
		return ""
	}
	return fmt.Sprintf("#%d: %s is %s, and not %s", p.Number, copied(p), is, want)
}

// updated yields the targets that a merge of a rollout has updated.
func updated(l *ledger.Ledger, p githubsim.Pull) iter.Seq2[*ledger.Rollout, string] {
	return func(yield func(*ledger.Rollout, string) bool) {
		r := l.Rollouts.Rollouts[ledger.NumberOf(p.HeadBranch)]
		if r == nil || ledger.Whole(p) {
			return
		}
		for _, t := range l.Remote.TargetsIn(p) {
			if !yield(r, t) {
				return
			}
		}
	}
}

func goesToReadyTargets(l *ledger.Ledger, p githubsim.Pull) string {
	for r, t := range updated(l, p) {
		rollback := l.DB.Seen.Promotions[r.Promotion].Class == "rollback"
		if r.Stage.Ready && !rollback && !l.Signals.WasShown(t, true, r.At) {
			return fmt.Sprintf("#%d of p%d writes %s", p.Number, r.Promotion, t)
		}
	}
	return ""
}

func sparesTargets(l *ledger.Ledger, p githubsim.Pull) string {
	for _, t := range updated(l, p) {
		if l.Rollouts.Spares(p, t) {
			return fmt.Sprintf("#%d writes %s", p.Number, t)
		}
	}
	return ""
}

// updatesTargetsOnce counts from the last update by a promotion that only a lost database knew: a copy goes on with its
// own.
func updatesTargetsOnce(l *ledger.Ledger, p githubsim.Pull) string {
	for r, t := range updated(l, p) {
		times := 0
		for _, merged := range l.Remote.Merges() {
			switch mine := ledger.NumberOf(merged.HeadBranch) == r.Promotion; {
			case !slices.Contains(l.Remote.TargetsIn(merged), t):
			case mine:
				times++
			case !l.DB.HasPull(merged):
				times = 0
			}
		}
		if times > 1 && !l.ByHand.Handled[r.Stage.File(t)].After(r.At) {
			return fmt.Sprintf("p%d updates %s %d times", r.Promotion, t, times)
		}
	}
	return ""
}

// signRules apply to merges that a worker has requested, and to pull requests that it has put into the merge queue.
var signRules = []rule[githubsim.Pull]{
	{"no promotion is merged without the sign-offs of its stage and its batch", isSigned},
	{"nobody with a hand in what a promotion brings, or who asked for it, signs it off, and nobody while one is unknown",
		isSignedByOthers},
}

// isSigned checks that a merge has the sign-offs that the stage and its batch require.
func isSigned(l *ledger.Ledger, pull githubsim.Pull) string {
	p, needs := wanted(l, pull)
	if has := len(signed(l, p, false)); has < needs {
		return fmt.Sprintf("p%d of %s in %s has %d of %d", p.Number, p.Name, p.Stage, has, needs)
	}
	return ""
}

// wanted returns the promotion of a pull request, and how many sign-offs it needs.
func wanted(l *ledger.Ledger, pull githubsim.Pull) (p ledger.Promo, needs int) {
	p, in := l.DB.Seen.Promotions[ledger.NumberOf(pull.HeadBranch)], l.Checkout.InForce()
	if in == nil || in.Stage(p.Stage) == nil {
		return p, 0
	}
	return p, l.Rollouts.Needs(in.Stage(p.Stage), pull)
}

// isSignedByOthers checks that a merge has enough sign-offs of people without a hand in its freight, and in what comes
// along (semantics 4.5). No policy of a history says who may not sign off.
func isSignedByOthers(l *ledger.Ledger, pull githubsim.Pull) string {
	p, needs := wanted(l, pull)
	promoted, known := l.Sources.SourceOf(p)
	if needs == 0 || !known {
		return ""
	}
	all := signed(l, p, false)
	others := slices.DeleteFunc(slices.Clone(all), func(who string) bool { return who == p.By })
	var made []string
	for _, brought := range append(comesAlong(l, p), promoted) {
		others = slices.DeleteFunc(others, func(who string) bool {
			return brought.Anybody || slices.Contains(brought.Hands, who)
		})
		made = append(made, fmt.Sprintf("%s by %v, unknown=%t", brought.Name(p.Warehouse), brought.Hands, brought.Anybody))
	}
	if len(others) >= needs {
		return ""
	}
	return fmt.Sprintf("p%d of %s in %s needs %d and has %v: it brings %v, and %q asked for it", p.Number, p.Name, p.Stage,
		needs, all, made, p.By)
}

// signed lists the people who have signed a promotion off, of those who could ever have the right: ann, bob, the one
// who forges, and the one who leaves until then. If now is set, it ignores sign-offs that have lost the right or
// expired.
func signed(l *ledger.Ledger, p ledger.Promo, now bool) (all []string) {
	for _, who := range l.DB.Texts(`SELECT DISTINCT actor FROM approvals
		WHERE kind = 'sign-off' AND stage = ? AND freight = ? AND revoked_at IS NULL
		AND (NOT ? OR entitled AND expires_at > ?)`, p.Stage, p.Freight, now, l.Clock.Now().UnixMicro()) {
		if who == "ann" || who == "bob" || who == ledger.Forger || who == ledger.Leaver && l.Intruders.MayHaveWritten() {
			all = append(all, who)
		}
	}
	return all
}
