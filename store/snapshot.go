package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/verify"
	"waybill/store/driver"
)

// How much of the past a decision looks at.
const (
	maxFreight  = 1000 // the newest freight of each warehouse that has had no promotion into the stage yet
	maxEnded    = 20   // the latest promotions that have ended
	maxPast     = 19   // the latest deployments that have ended: mostly these and the one that lasts came with those
	maxOfHosted = 100  // the latest promotions of freight that is hosted: what has been tried with it
	maxEarlier  = 10   // of each warehouse, deployments that ended before these
	maxRequests = 100  // further requests at a time are answered in later decisions
	maxRejects  = 200  // the newest rejects of the pipeline that stand
	maxBack     = 200  // the latest promotions that took freight back in each stage upstream
)

// Basis is the ground of a decision: a snapshot of a stage, and the version of the stage that the snapshot saw.
type Basis struct {
	Key StageKey
	*promotion.Snapshot

	version, decided int64
	wake             time.Time
	wants            bool // there were effects that it wants and that have not ended
}

// Snapshot returns everything that a decision about one stage looks at, of the pipeline file p. A stage that p does not
// have was removed from it. Freight that is asked about by id is part of the snapshot, too.
func (lg Ledger) Snapshot(p *promotion.Pipeline, key StageKey,
	about ...promotion.FreightID) (*promotion.Snapshot, error) {
	b, err := lg.Basis(p, key, about...)
	return b.Snapshot, err
}

// Basis returns a snapshot as Snapshot does, for a decision that Apply writes in a later transaction.
func (lg Ledger) Basis(p *promotion.Pipeline, key StageKey, about ...promotion.FreightID) (Basis, error) {
	return lg.BasisBy(key, func(PipelineRow) (*promotion.Pipeline, error) { return p, nil }, about...)
}

// BasisBy returns a basis as Basis does, of the pipeline file that compile returns for the row of the pipeline.
func (lg Ledger) BasisBy(
	key StageKey, compile func(PipelineRow) (*promotion.Pipeline, error), about ...promotion.FreightID,
) (Basis, error) {
	b := builder{Basis: &Basis{Key: key, Snapshot: &promotion.Snapshot{}}, tx: lg.tx, compile: compile, about: about}
	err := b.build()
	if err != nil {
		return Basis{}, fmt.Errorf("take a snapshot of stage %s: %w", key.Stage, err)
	}
	return *b.Basis, nil
}

// builder builds a snapshot.
type builder struct {
	*Basis
	tx      *Tx
	compile func(PipelineRow) (*promotion.Pipeline, error)
	about   []promotion.FreightID

	// whether there are holds, rejects, approvals, rejections, requests and readings, promotions that took freight back in
	// some stage, pull requests that were opened again, and matchers that other pipelines have, too: mostly there are none
	held, refused, approved, rejected, asked, read, back, reopened, common bool
}

// build reads the snapshot in five batches, and two more for what is rare: each may be a round trip to a server. A
// query is in the first batch that comes after everything it depends on.
func (b *builder) build() error {
	if err := b.begin(); err != nil {
		return err
	}
	freight := newFreightBuilder(b.Key, b.Stage, b.about)
	evidence := newEvidenceBuilder(b.Basis)
	upstream := upstreamOf(b.Stage)

	// The key and the pipeline file say which rows these are, and the row of the stage which rare ones there are.
	var earlier []promotion.Deployment
	if err := b.tx.batch(freight.newer(), b.rows(freight), b.earlier(&earlier), b.rare(),
		evidence.storedWays()); err != nil {
		return err
	}
	b.Deployments = mergeDeployments(b.Deployments, earlier)
	// Most stages have no open pull request.
	if err := b.tx.batch(b.pulls()); err != nil {
		return err
	}
	evidence.keep(b.Deployments)
	evidence.judge(append(judgedBy(b.Deployments), verify.Prospects(b.Snapshot)...))

	// Requests have said which freight they mean, and promotions and deployments which arrivals are judged.
	if err := b.tx.batch(freight.asked(b.Requests), evidence.runs()); err != nil {
		return err
	}

	// All freight that the snapshot names is known now, and so are the runs on stored ways and the ends of the others.
	var meant []promotion.Deployment
	if err := b.tx.batch(freight.named(b.Snapshot), b.deploymentsOf(freight.meant, &meant),
		b.promotionsOf(freight.meant), evidence.heads()); err != nil {
		return err
	}
	b.Deployments = mergeDeployments(b.Deployments, meant)
	b.Newest, b.Freight = freight.newest(), freight.all()

	// Mostly nobody asks what a promotion brings, and no rule leaves out who has made that.
	if along := freight.along(b.Snapshot); len(along) > 0 {
		if err := b.tx.batch(along); err != nil {
			return err
		}
		b.Freight = freight.all()
	}

	// The freight is complete, and so are the runs.
	if err := b.tx.batch(upstreamDeployments(upstream, freight, b.Freight), b.withdrawals(upstream),
		upstreamWays(upstream, b.Snapshot, b.Key.Pipeline), evidence.suites()); err != nil {
		return err
	}
	b.Records, b.Evidence = records(b.Snapshot, upstream), evidence.all()
	return nil
}

// begin reads the row of the stage, and finds what the pipeline file says of it. A stage that the file does not have
// was removed from it.
func (b *builder) begin() error {
	var row PipelineRow
	if err := b.tx.batch([]driver.Query{b.row(&row)}); err != nil {
		return err
	}
	p, err := b.compile(row)
	if err != nil {
		return err
	}
	if p == nil {
		p = &promotion.Pipeline{}
	}
	b.Pipeline, b.Stage = p, p.Stage(b.Key.Stage)
	if b.Removed = b.Stage == nil; b.Removed {
		b.Stage = promotion.OnePlace(&promotion.Stage{Name: b.Key.Stage, Index: -1}, promotion.Target{})
	}
	return nil
}

// rows reads what is stored under the key of the stage, but for what is rare.
func (b *builder) rows(freight *freightBuilder) []driver.Query {
	all := []driver.Query{b.promotions(freight), b.deployments()}
	if slices.ContainsFunc(b.Stage.Targets, func(t promotion.Target) bool { return len(t.Ready) > 0 }) {
		all = append(all, readinessOf(b.Key, &b.Readiness))
	}
	return all
}

// rare reads what most stages do not have, if there is any.
func (b *builder) rare() (queries []driver.Query) {
	if b.held {
		queries = append(queries, holdsOf(b.Key.Pipeline, &b.Holds))
	}
	if b.refused {
		queries = append(queries, rejectsOf(b.Key.Pipeline, &b.Rejects))
	}
	if b.approved {
		queries = append(queries, b.approvals())
	}
	if b.rejected {
		queries = append(queries, b.rejections())
	}
	if b.read {
		queries = append(queries, b.readings())
	}
	if b.reopened {
		queries = append(queries, b.reopenings())
	}
	if b.common {
		queries = append(queries, commonOf(b.Key, &b.Common))
	}
	if b.asked {
		queries = append(queries, b.requests())
	}
	return queries
}

// row reads the version of the stage, the numbers of the next promotion and the next hold or approval, whether there is
// what rare reads, and the row of the pipeline. Without the row there is no snapshot.
func (b *builder) row(pipeline *PipelineRow) driver.Query {
	var found bool
	q := rowInto(&found, append([]any{&b.version, &b.decided, at(&b.wake), &b.NextPlace, &b.Next, &b.NextID,
		&b.held, &b.approved, &b.rejected, &b.asked, &b.read, &b.reopened, &b.wants, &b.back, &b.refused, &b.common},
		pipeline.dest()...),
		`SELECT s.version, s.decided, s.wake_at, s.places + 1, p.promotions + 1, p.ids + 1,
			EXISTS (SELECT 1 FROM holds WHERE pipeline = $1 AND lifted_at IS NULL),
			EXISTS (SELECT 1 FROM approvals WHERE pipeline = $1 AND stage = $2 AND revoked_at IS NULL),
			EXISTS (SELECT 1 FROM effects WHERE pipeline = $1 AND stage = $2 AND run_at IS NOT NULL
				AND refused_at IS NOT NULL AND NOT owed),
			EXISTS (SELECT 1 FROM requests WHERE pipeline = $1 AND stage = $2 AND answered_at IS NULL),
			EXISTS (SELECT 1 FROM readings WHERE pipeline = $1 AND stage = $2),
			EXISTS (SELECT 1 FROM stage_branches b JOIN pulls u ON u.repo = b.repo AND u.state = 'open' AND u.reopened > 0
				WHERE b.pipeline = $1 AND b.stage = $2),
			EXISTS (SELECT 1 FROM effects WHERE pipeline = $1 AND stage = $2 AND run_at IS NOT NULL AND NOT owed),
			EXISTS (SELECT 1 FROM promotions WHERE pipeline = $1 AND pins),
			EXISTS (SELECT 1 FROM rejects WHERE pipeline = $1 AND lifted_at IS NULL),
			EXISTS (SELECT 1 FROM matchers WHERE pipeline = $1 AND stage = $2 AND common),
			`+pipelineColumns+` FROM stages s JOIN pipelines p ON p.id = s.pipeline
			JOIN clocks c ON c.name = 'resync' AND c.pipeline = p.id
		WHERE s.pipeline = $1 AND s.name = $2`,
		b.Key.Pipeline, b.Key.Stage)
	read := q.Read
	q.Read = func(rows driver.Rows) error {
		if err := read(rows); err != nil || found {
			return err
		}
		return ErrUnknownStage
	}
	return q
}

// promotions reads the open ones, the latest that have ended, those that open ones name as their cause, those that took
// freight back, and those of what the stage hosts: they brought it, or were to bring it to further targets. Each comes
// with its freight and its attempt; the attempts of the open and of the latest are part of the snapshot, because people
// want to see their pull requests.
func (b *builder) promotions(freight *freightBuilder) driver.Query {
	type row struct {
		promotion.Promotion
		attempt promotion.Attempt
		freight promotion.Freight
	}
	var all []row
	return then(rowsInto(&all, func(r *row) []any {
		return slices.Concat(promotionDest(&r.Promotion), attemptDest(&r.attempt), freightDest(&r.freight))
	}, promotionsOfStage, b.Key.Pipeline, b.Key.Stage, maxEnded, maxOfHosted), func() {
		ended := 0
		for _, r := range slices.Backward(all) { // the latest first
			here, over := r.Stage == b.Key.Stage, r.State.Ended()
			if here && over {
				ended++
			}
			if here && (!over || ended <= maxEnded) {
				withoutPlan(&r.attempt)
				b.Attempts = append(b.Attempts, r.attempt)
			}
			b.Promotions = append(b.Promotions, r.Promotion)
			freight.more = append(freight.more, r.freight)
		}
		slices.Reverse(b.Promotions)
		slices.SortFunc(b.Attempts, func(x, y promotion.Attempt) int { return cmp.Compare(x.Promotion, y.Promotion) })
	})
}

var promotionsOfStage = `SELECT ` + of(`p`, promotionColumns) + `, ` + of(`a`, attemptColumns) + `, ` +
	of(`f`, freightColumns) + `
	FROM promotions p JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
		JOIN freight f ON f.pipeline = p.pipeline AND f.id = p.freight
	WHERE p.pipeline = $1 AND p.number IN (
		SELECT number FROM promotions WHERE pipeline = $1 AND stage = $2 AND ended_at IS NULL
		UNION ALL SELECT number FROM (SELECT number FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND ended_at IS NOT NULL ORDER BY place DESC LIMIT $3 + 0) AS latest
		UNION ALL SELECT cause FROM promotions WHERE pipeline = $1 AND stage = $2 AND ended_at IS NULL
		UNION ALL SELECT number FROM (SELECT number FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND pins ORDER BY number DESC LIMIT $3 + 0) AS back
		UNION ALL SELECT promotion FROM deployments WHERE pipeline = $1 AND stage = $2 AND left_at IS NULL
		UNION ALL SELECT number FROM (SELECT o.number FROM deployments h
			JOIN promotions o ON o.pipeline = h.pipeline AND o.freight = h.freight AND o.stage = h.stage
			WHERE h.pipeline = $1 AND h.stage = $2 AND h.left_at IS NULL ORDER BY o.number + 0 DESC LIMIT $4 + 0) AS hosted)
	ORDER BY p.place`

// promotionsOf reads all promotions of some freight.
func (b *builder) promotionsOf(freight []promotion.FreightID) (queries []driver.Query) {
	var all []promotion.Promotion
	for _, q := range inLists(&all, promotionDest, freight, `SELECT `+promotionColumns+` FROM promotions
		WHERE pipeline = $1 AND stage = $2 AND freight`, b.Key.Pipeline, b.Key.Stage) {
		queries = append(queries, then(q, func() {
			for _, p := range all {
				if b.Promotion(p.Number) == nil {
					b.Promotions = append(b.Promotions, p)
				}
			}
			slices.SortFunc(b.Promotions, func(x, y promotion.Promotion) int { return cmp.Compare(x.Place, y.Place) })
		}))
	}
	return queries
}

// pulls reads the pull requests of the promotions that have not ended, if one of these has one.
func (b *builder) pulls() []driver.Query {
	if !slices.ContainsFunc(b.Attempts, func(a promotion.Attempt) bool {
		return a.Pull != 0 && b.open(a.Promotion)
	}) {
		return nil
	}
	return []driver.Query{rowsInto(&b.Pulls, pullDest, `SELECT `+pullColumns+` FROM pulls
		WHERE (repo, number) IN (SELECT a.repo, a.pull
			FROM promotions o JOIN attempts a ON a.pipeline = o.pipeline AND a.promotion = o.number AND a.pull <> 0
			WHERE o.pipeline = $1 AND o.stage = $2 AND o.ended_at IS NULL)
		ORDER BY number`, b.Key.Pipeline, b.Key.Stage)}
}

// open reports whether a promotion of the snapshot has not ended.
func (b *builder) open(n promotion.Number) bool {
	return slices.ContainsFunc(b.Promotions, func(p promotion.Promotion) bool {
		return p.Number == n && !p.State.Ended()
	})
}

// reopenings reads the pull requests of promotions that have ended, which a person has opened again and which are not
// being closed yet.
func (b *builder) reopenings() driver.Query {
	return rowsInto(&b.Reopened, func(r *promotion.Reopened) []any {
		return []any{&r.Promotion, &r.Step, &r.State, &r.Freight, &r.Times}
	}, `SELECT a.promotion, a.step, o.state, o.freight_name, u.reopened FROM stage_branches b
			JOIN pulls u ON u.repo = b.repo AND u.state = 'open' AND u.reopened > 0
			JOIN attempts a ON a.pull = u.number AND a.pull <> 0 AND a.repo = u.repo AND a.pipeline = $1
			JOIN promotions o ON o.pipeline = a.pipeline AND o.number = a.promotion
		WHERE b.pipeline = $1 AND b.stage = $2 AND o.stage = $2 AND o.ended_at IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM effects e WHERE e.pipeline = $1 AND e.promotion = a.promotion
				AND e.verb = 'close' AND e.round = u.reopened AND e.step = a.step)
		GROUP BY a.promotion, a.step, o.state, o.freight_name, u.reopened ORDER BY a.promotion`, b.Key.Pipeline, b.Key.Stage)
}

// rejections reads the effects that open promotions need and GitHub refuses at the moment.
func (b *builder) rejections() driver.Query {
	return rowsInto(&b.Rejections, func(r *promotion.Rejection) []any {
		return []any{&r.Promotion, &r.Verb, &r.Words, at(&r.Since), at(&r.Again), at(&r.Until)}
	}, `SELECT promotion, verb, refusal, refused_at, run_at, given_up_at FROM effects
		WHERE pipeline = $1 AND stage = $2 AND run_at IS NOT NULL AND refused_at IS NOT NULL AND NOT owed ORDER BY seq`,
		b.Key.Pipeline, b.Key.Stage)
}

// deployments reads those that last, the latest that have ended, and those of the freight of open promotions.
func (b *builder) deployments() driver.Query {
	return rowsInto(&b.Deployments, deploymentDest, `SELECT `+deploymentColumns+` FROM deployments
			WHERE pipeline = $1 AND stage = $2 AND left_at IS NULL
		UNION SELECT `+deploymentColumns+` FROM (SELECT * FROM deployments WHERE pipeline = $1 AND stage = $2
			AND left_at IS NOT NULL
			ORDER BY entered_at DESC, promotion DESC LIMIT $3 + 0) AS latest
		UNION SELECT `+of(`y`, deploymentColumns)+` FROM promotions o CROSS JOIN deployments y
			WHERE o.pipeline = $1 AND o.stage = $2 AND o.ended_at IS NULL
				AND y.pipeline = $1 AND y.stage = $2 AND y.freight = o.freight
		ORDER BY entered_at, promotion`, b.Key.Pipeline, b.Key.Stage, maxPast)
}

// earlier reads deployments that ended before the latest, of each warehouse some: what a rollback may go back to,
// however much of other warehouses, or to other targets, came since. Of each freight it reads its latest deployment,
// and the one with its latest verdict.
func (b *builder) earlier(into *[]promotion.Deployment) (queries []driver.Query) {
	for _, from := range b.Stage.From {
		queries = append(queries, rowsInto(into, deploymentDest, `SELECT `+deploymentColumns+` FROM deployments
			WHERE pipeline = $1 AND stage = $2 AND warehouse = $3 AND left_at IS NOT NULL
				AND (entered_at, promotion) < (SELECT entered_at, promotion FROM deployments
					WHERE pipeline = $1 AND stage = $2 AND left_at IS NOT NULL
					ORDER BY entered_at DESC, promotion DESC LIMIT 1 OFFSET $4 - 1)
				AND NOT EXISTS (SELECT 1 FROM deployments l
					WHERE l.freight = deployments.freight AND l.pipeline = $1 AND l.stage = $2 AND l.left_at IS NOT NULL
						AND (l.entered_at, l.promotion) > (deployments.entered_at, deployments.promotion)
						AND (l.verdict IN ('passed', 'failed') OR deployments.verdict NOT IN ('passed', 'failed')))
			ORDER BY entered_at DESC, promotion DESC LIMIT $5 + 0`,
			b.Key.Pipeline, b.Key.Stage, from.Warehouse, maxPast, maxEarlier))
	}
	return queries
}

// deploymentsOf reads all deployments of some freight.
func (b *builder) deploymentsOf(freight []promotion.FreightID, into *[]promotion.Deployment) []driver.Query {
	return inLists(into, deploymentDest, freight, `SELECT `+deploymentColumns+` FROM deployments
		WHERE pipeline = $1 AND stage = $2 AND freight`, b.Key.Pipeline, b.Key.Stage)
}

// readings reads the values in the files of the stage.
func (b *builder) readings() driver.Query {
	return rowsInto(&b.Readings, readingDest, `SELECT `+readingColumns+` FROM readings
		WHERE pipeline = $1 AND stage = $2 ORDER BY repo, branch`, b.Key.Pipeline, b.Key.Stage)
}

// requests reads those that have not been answered.
func (b *builder) requests() driver.Query {
	return rowsInto(&b.Requests, requestDest, `SELECT `+requestColumns+` FROM requests
		WHERE pipeline = $1 AND stage = $2 AND answered_at IS NULL ORDER BY id LIMIT $3 + 0`,
		b.Key.Pipeline, b.Key.Stage, maxRequests)
}

// approvals reads those that stand. An admission that has expired is there until a decision has said so.
func (b *builder) approvals() driver.Query {
	return rowsInto(&b.Approvals, approvalDest, `SELECT `+approvalColumns+` FROM approvals
		WHERE pipeline = $1 AND stage = $2 AND revoked_at IS NULL
			AND (kind = 'admit' OR expires_at IS NULL OR expires_at > $3) ORDER BY id + 0`,
		b.Key.Pipeline, b.Key.Stage, micros(b.tx.Now))
}
