package store

import (
	"cmp"
	"maps"
	"slices"

	"waybill/promotion"
	"waybill/promotion/verify"
	"waybill/store/driver"
)

// A matcher that others on its branch have, too, counts on the merge commit only, whether they are of the same pipeline
// or of another one (semantics 7.1). Pipeline files say so, and seldom change: then the rows of all who are on the
// branch are marked, and a signal is compared with the marks.

// others reads the matchers of other pipelines on the branches of some.
func (ev evidence) others(pipeline int64, some []matcher) ([]matcher, error) {
	on, repos := map[promotion.Branch]bool{}, map[promotion.Repo]bool{}
	for i := range some {
		on[some[i].on], repos[some[i].on.Repo] = true, true
	}
	all, err := listIn(ev.tx, matcherDest, slices.Sorted(maps.Keys(repos)), `SELECT `+matcherColumns+`
		FROM matchers m WHERE m.pipeline <> $1 AND m.repo`, pipeline)
	return slices.DeleteFunc(all, func(m matcher) bool { return !on[m.on] }), err
}

// share returns the matchers of a pipeline, and all those of others on its branches, with the marks of who shares them.
func share(ours, others []matcher) (_, theirs []matcher) {
	all := slices.Concat(ours, others)
	is, askers := make([]promotion.Matcher, len(all)), make([]verify.Asker, len(all))
	var listed []verify.Asker
	for i, m := range all {
		is[i] = m.is()
		askers[i] = verify.Asker{
			Pipeline: m.key.Pipeline, Stage: m.key.Stage, Target: m.target, On: m.on, Matcher: &is[i],
		}
		if m.listed {
			listed = append(listed, askers[i])
		}
	}
	sharing := verify.SharingAmong(listed)
	for i := range all {
		all[i].shared = sharing.Shares(&askers[i])
		all[i].common = all[i].shared && len(others) > 0 && sharing.Common(&askers[i])
	}
	return all[:len(ours)], all[len(ours):]
}

// setShared writes the marks of matchers of other pipelines that have changed. Their freight is judged anew: GitHub is
// asked for signals that were not kept.
func (ev evidence) setShared(was, now []matcher) error {
	changed := map[owner]bool{}
	for i := range was {
		m := &now[i]
		if was[i] == *m {
			continue
		}
		changed[owner{m.key, m.target}] = true
		_, err := ev.tx.exec(`UPDATE matchers SET shared = $7, common = $8 WHERE pipeline = $1 AND stage = $2
			AND target = $3 AND kind = $4 AND pattern = $5 AND app = $6`, m.key.Pipeline, m.key.Stage, m.target, m.kind,
			m.pattern, m.app, m.shared, m.common)
		if err != nil {
			return err
		}
	}
	for _, o := range slices.SortedFunc(maps.Keys(changed), ownersByName) {
		if err := ev.judgeTheirs(o); err != nil {
			return err
		}
	}
	return nil
}

func ownersByName(a, b owner) int {
	return cmp.Or(cmp.Compare(a.key.Pipeline, b.key.Pipeline), cmp.Compare(a.key.Stage, b.key.Stage),
		cmp.Compare(a.target, b.target))
}

// judgeTheirs makes the ways of a stage or target of another pipeline anew, whose file has not changed.
func (ev evidence) judgeTheirs(o owner) error {
	ways, err := ev.waysOf(`w.pipeline = $1 AND w.stage = $2 AND w.target = $3`, o.key.Pipeline, o.key.Stage, o.target)
	for i := 0; i < len(ways) && err == nil; i++ {
		err = ev.redo(o.key, ways[i].Arrival, ways[i].on)
	}
	if err == nil {
		err = ev.tx.Stages.Touch(o.key)
	}
	judges := len(ways) > 0
	if err == nil && !judges {
		judges, err = ev.promotes(o.key)
	}
	if err != nil || !judges {
		return err
	}
	return ev.tx.Clocks.AskResync(o.key.Pipeline)
}

// commonOf reads what verifies a stage and stages of other pipelines, too.
func commonOf(key StageKey, into *[]promotion.Common) driver.Query {
	return rowsInto(into, func(a *promotion.Common) []any {
		return []any{&a.On.Repo, &a.On.Name, &a.Kind, &a.Pattern, &a.App}
	}, `SELECT DISTINCT repo, branch, kind, pattern, app FROM matchers WHERE pipeline = $1 AND stage = $2 AND common
		ORDER BY repo, branch, kind, pattern, app`, key.Pipeline, key.Stage)
}
