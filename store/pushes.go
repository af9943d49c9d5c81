package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

const pushColumns = `repo, branch, before_sha, after_sha, pushed_at, paths`

func pushDest(p *promotion.Push) []any {
	return []any{&p.Repo, &p.Branch, &p.Before, &p.After, at(&p.At), asJSON(&p.Paths)}
}

// pushLag is how much later than the merge the push that it made may have happened, or earlier, by GitHub's own
// clocks.
const pushLag = 5 * time.Minute

// RecordPush records a move of a branch's head. A push to a branch that holds files of no stage is not kept; one that
// does concerns the stages whose evidence it changes, and those whose files it touches. Most pushes leave most stages
// of a branch alone, and when a release goes to all of them each of its pushes is one to all others. RecordPush reports
// whether there was something new: a push that leads from one head to another that is known to have followed says
// nothing new.
func (br Branches) RecordPush(p promotion.Push) (fresh bool, err error) {
	fresh, err = br.savePush(p)
	if err == nil && fresh {
		err = br.touchArriving(p.On())
	}
	if err == nil && fresh {
		err = br.tx.Readings.move(p)
	}
	if err != nil {
		return false, fmt.Errorf("record a push to %s of %s: %w", p.Branch, p.Repo, err)
	}
	return fresh, nil
}

// touchArriving has the stages decided again to whose files on a branch freight has just come, or will by a plan that
// changes nothing: the way of such freight is not stored yet.
func (br Branches) touchArriving(on promotion.Branch) error {
	return br.tx.Stages.touch(`SELECT o.pipeline, o.stage FROM stage_branches s
			JOIN promotions o ON o.pipeline = s.pipeline AND o.stage = s.stage
			JOIN attempts a ON a.pipeline = o.pipeline AND a.promotion = o.number
			LEFT JOIN pulls p ON p.repo = a.repo AND p.number = a.pull AND a.pull <> 0
		WHERE s.repo = $1 AND s.branch = $2 AND o.ended_at IS NULL AND o.state <> 'verifying'
			AND (a.state = 'delivered' OR p.merge_sha <> '' OR a.plan_round > 0 AND a.plan_paths IN ('null', '[]'))
		ORDER BY o.pipeline, o.stage`, on.Repo, on.Name)
}

// touchOvertaken has the stages decided again on whose ways a check was cancelled, behind which a head comes now: it
// may have been cancelled because of that head (semantics 7.3).
func (br Branches) touchOvertaken(on promotion.Branch, t tip) error {
	return br.tx.Stages.touch(`SELECT DISTINCT w.pipeline, w.stage FROM ways w JOIN evidence e ON e.way = w.id
			JOIN signals g ON g.repo = e.repo AND g.kind = e.kind AND g.id = e.id
		WHERE w.repo = $1 AND w.branch = $2 AND w.chain = $3 AND w.last > $4 AND e.kind = 'check'
			AND g.state = 'cancelled'
		ORDER BY w.pipeline, w.stage`, on.Repo, on.Name, t.chain, t.position)
}

func (br Branches) savePush(p promotion.Push) (fresh bool, err error) {
	var holds, known bool
	_, err = br.tx.one([]any{&holds, &known}, `SELECT
		EXISTS (SELECT 1 FROM stage_branches WHERE repo = $1 AND branch = $2),
		EXISTS (SELECT 1 FROM pushes a JOIN pushes b ON b.repo = a.repo AND b.branch = a.branch
			AND b.chain + 0 = a.chain + 0 AND b.position + 0 >= a.position + 0 AND b.after_sha = $4
		WHERE a.repo = $1 AND a.branch = $2 AND a.before_sha = $3)`, p.Repo, p.Branch, p.Before, p.After)
	if err != nil || !holds || known {
		return false, err
	}
	seq, err := br.tx.take("push", 1)
	if err != nil {
		return false, err
	}
	chains, next, err := br.chainsAt(p)
	if err != nil {
		return false, err
	}
	for _, c := range chains {
		if err := br.appendPush(c, p, seq); err != nil {
			return false, err
		}
		if next != noChain {
			if err := br.appendChain(c, p.On(), next); err != nil {
				return false, err
			}
		}
	}
	if next != noChain {
		if _, err := br.tx.exec(`DELETE FROM pushes WHERE repo = $1 AND branch = $2 AND chain = $3`, p.Repo,
			p.Branch, next); err != nil {
			return false, err
		}
	}
	return true, br.tx.evidence.placeWays(p)
}

// tip is where a chain ends.
type tip struct{ chain, position int64 }

// chainsAt returns the chains that end where a push begins; a new one if there are none. There are several when a
// branch was heard of in larger steps and in smaller ones. A branch that has just been made follows nothing. It also
// returns a chain that begins where the push ends, or noChain. A push back to where its own chain began is none.
func (br Branches) chainsAt(p promotion.Push) (tips []tip, next int64, err error) {
	type row struct {
		tip
		next bool
	}
	before := p.Before
	if strings.Trim(string(before), "0") == "" {
		before = ""
	}
	rows, err := list(br.tx, func(r *row) []any { return []any{&r.next, &r.chain, &r.position} },
		`SELECT FALSE, chain, position FROM pushes WHERE repo = $1 AND branch = $2 AND $3 <> '' AND after_sha = $3
			AND NOT EXISTS (SELECT 1 FROM pushes n WHERE n.repo = $1 AND n.branch = $2 AND n.chain = pushes.chain
				AND n.position > pushes.position)
		UNION ALL SELECT TRUE, chain, position FROM pushes WHERE repo = $1 AND branch = $2 AND before_sha = $4
			AND NOT EXISTS (SELECT 1 FROM pushes n WHERE n.repo = $1 AND n.branch = $2 AND n.chain = pushes.chain
				AND n.position < pushes.position)
			AND NOT EXISTS (SELECT 1 FROM pushes b WHERE b.repo = $1 AND b.branch = $2 AND b.chain + 0 = pushes.chain
				AND b.after_sha = $5)`, p.Repo, p.Branch, before, p.After, p.Before)
	if err != nil {
		return nil, noChain, err
	}
	slices.SortFunc(rows, func(x, y row) int { return cmp.Compare(x.chain, y.chain) })
	for _, r := range rows {
		switch {
		case !r.next:
			tips = append(tips, r.tip)
		case next == noChain:
			next = r.chain
		}
	}
	if len(tips) > 0 {
		return tips, next, nil
	}
	var last int64
	_, err = br.tx.one([]any{&last}, `SELECT COALESCE(MAX(chain), 0) FROM pushes WHERE repo = $1 AND branch = $2`,
		p.Repo, p.Branch)
	return []tip{{last + 1, 0}}, next, err
}

// appendPush puts a push behind the end of a chain. It ends the ways whose files it touches; its head stands on the
// others, and signals that came before it count.
func (br Branches) appendPush(t tip, p promotion.Push, seq int64) error {
	position := t.position + 1
	_, err := br.tx.exec(`INSERT INTO pushes (repo, branch, chain, position, before_sha, after_sha, seq,
			pushed_at, paths)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		p.Repo, p.Branch, t.chain, position, p.Before, p.After, seq, micros(p.At), asJSON(p.Paths))
	if err != nil {
		return err
	}
	if err := br.touchOvertaken(p.On(), t); err != nil {
		return err
	}
	owners, err := br.tx.evidence.ownersOf(p.On(), p.Paths)
	if err != nil {
		return err
	}
	for _, o := range owners {
		_, err := br.tx.exec(`UPDATE ways SET last = $7 WHERE pipeline = $1 AND stage = $2 AND target = $3
			AND repo = $4 AND branch = $5
			AND chain = $6 AND last > $7 AND first <= $7`, o.key.Pipeline, o.key.Stage, o.target, p.Repo, p.Branch,
			t.chain, t.position)
		if err != nil {
			return err
		}
	}
	return br.tx.evidence.enlistOn(p.Repo, p.After)
}

// appendChain puts the pushes of a chain behind the end of another one, to which the ways move that stand on the
// chain.
func (br Branches) appendChain(t tip, on promotion.Branch, from int64) error {
	type row struct {
		promotion.Push
		seq, position int64
	}
	rows, err := list(br.tx, func(r *row) []any { return append(pushDest(&r.Push), &r.seq, &r.position) },
		`SELECT `+pushColumns+`, seq, position FROM pushes WHERE repo = $1 AND branch = $2 AND chain = $3
			ORDER BY position`, on.Repo, on.Name, from)
	if err != nil || len(rows) == 0 {
		return err
	}
	end := tip{t.chain, t.position + 1}
	_, err = br.tx.exec(`UPDATE ways
		SET chain = $4, first = first + $5, last = CASE WHEN last = $6 THEN last ELSE last + $5 END
		WHERE repo = $1 AND branch = $2 AND chain = $3`, on.Repo, on.Name, from, t.chain,
		end.position-rows[0].position+1, int64(open))
	for _, r := range rows {
		if err == nil {
			err = br.appendPush(end, r.Push, r.seq)
		}
		end.position++
	}
	return err
}

// enlistOn has the signals on a commit judge the ways that it has come to stand on.
func (ev evidence) enlistOn(repo promotion.Repo, sha promotion.SHA) error {
	signals, err := list(ev.tx, signalDest, `SELECT `+signalColumns+` FROM signals s WHERE s.repo = $1
		AND s.sha = $2`, repo, sha)
	for i := 0; i < len(signals) && err == nil; i++ {
		var stages []StageKey
		if stages, err = ev.enlist(&signals[i]); err == nil {
			err = ev.tx.Stages.touchEach(stages)
		}
	}
	return err
}

// placeWays finds the ways among the heads of a branch whose commit has just become known as one.
func (ev evidence) placeWays(p promotion.Push) error {
	ways, err := ev.waysOf(`w.repo = $1 AND w.commit_sha IN ($3, $4) AND w.branch = $2 AND w.chain = 0`, p.Repo,
		p.Branch, p.Before, p.After)
	for i := 0; i < len(ways) && err == nil; i++ {
		w := &ways[i]
		if err = ev.place(w); err == nil {
			_, err = ev.tx.exec(`UPDATE ways SET chain = $2, first = $3, last = $4 WHERE id = $1`, w.id, w.chain,
				w.first, w.last)
		}
		if err == nil {
			err = ev.takeIn(w)
		}
		if err == nil {
			err = ev.tx.Stages.Touch(w.key)
		}
	}
	return err
}

// touchEach has stages decided again, each once.
func (ss Stages) touchEach(stages []StageKey) error {
	for i, key := range stages {
		if slices.Contains(stages[:i], key) {
			continue
		}
		if err := ss.Touch(key); err != nil {
			return err
		}
	}
	return nil
}
