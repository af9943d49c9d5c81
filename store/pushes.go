package store

import (
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
)

const pushColumns = `repo, branch, before_sha, after_sha, pushed_at, paths`

func pushDest(p *promotion.Push) []any {
	return []any{&p.Repo, &p.Branch, &p.Before, &p.After, at(&p.At), asJSON(&p.Paths)}
}

// RecordPush records a move of a branch's head. Open pull requests into the branch may now be merged, or no longer. A
// push to a branch that holds files of no stage is not kept; one that does concerns those of them that host or promote
// something.
func (fs Facts) RecordPush(p promotion.Push) (fresh bool, err error) {
	fresh, err = fs.savePush(p)
	if err == nil && fresh {
		err = fs.tx.Ledger.touch(`SELECT y.pipeline, y.stage FROM stage_branches s JOIN stays y ON y.pipeline = s.pipeline AND y.stage = s.stage
				WHERE s.repo = $1 AND s.branch = $2 AND y.left_at IS NULL
			UNION SELECT o.pipeline, o.stage FROM stage_branches s JOIN promotions o ON o.pipeline = s.pipeline AND o.stage = s.stage
				WHERE s.repo = $1 AND s.branch = $2 AND o.ended_at IS NULL`, p.Repo, p.Branch)
	}
	if err == nil && fresh {
		err = fs.moveReadings(p)
	}
	if err == nil && fresh {
		err = fs.BumpPullsInto(p.Repo, p.Branch)
	}
	if err != nil {
		return false, fmt.Errorf("record a push to %s of %s: %w", p.Branch, p.Repo, err)
	}
	return fresh, nil
}

func (fs Facts) savePush(p promotion.Push) (fresh bool, err error) {
	holds, err := fs.tx.one([]any{new(int64)}, `SELECT pipeline FROM stage_branches WHERE repo = $1 AND branch = $2 LIMIT 1`, p.Repo, p.Branch)
	if err != nil || !holds {
		return false, err
	}
	seq, err := fs.tx.take("push", 1)
	if err != nil {
		return false, err
	}
	n, err := fs.tx.exec(`INSERT INTO pushes (repo, branch, before_sha, after_sha, seq, pushed_at, paths)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
		p.Repo, p.Branch, p.Before, p.After, seq, micros(p.At), asJSON(p.Paths))
	return n > 0, err
}

// pushesSince returns what moved a branch since a time, in the order in which one followed from the other.
func (fs Facts) pushesSince(b promotion.Branch, since time.Time) ([]promotion.Push, error) {
	all, err := list(fs.tx, pushDest, `SELECT `+pushColumns+` FROM pushes WHERE repo = $1 AND branch = $2 AND pushed_at >= $3
		ORDER BY pushed_at, seq LIMIT $4 + 0`, b.Repo, b.Name, micros(since.Add(-pushLag)), maxPushes)
	return chained(all), err
}

// maxPushes bounds how many pushes a decision looks at.
const maxPushes = 1000

// chained puts pushes that are ordered by time into the order of the branch: webhooks come in any order, and GitHub's
// times have whole seconds. Each chain of pushes stands together, chains in the order of their first push.
func chained(pushes []promotion.Push) []promotion.Push {
	next := map[promotion.SHA][]int{}
	ends := map[promotion.SHA]bool{}
	for i, p := range pushes {
		next[p.Before] = append(next[p.Before], i)
		ends[p.After] = true
	}
	out := make([]promotion.Push, 0, len(pushes))
	placed := make([]bool, len(pushes))
	follow := func(i int) {
		for i >= 0 && !placed[i] {
			placed[i] = true
			out = append(out, pushes[i])
			i = firstFree(next[pushes[i].After], placed)
		}
	}
	for i, p := range pushes {
		if !ends[p.Before] {
			follow(i)
		}
	}
	for i := range pushes { // what is left goes round in circles, as after a forced push back
		follow(i)
	}
	return slices.Clip(out)
}

func firstFree(candidates []int, placed []bool) int {
	for _, i := range candidates {
		if !placed[i] {
			return i
		}
	}
	return -1
}
