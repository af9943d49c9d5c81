package store

import (
	"fmt"
	"time"
)

// Retention is for how long rows are kept that nothing open needs.
type Retention struct {
	Deliveries time.Duration // deliveries that were handled
	Facts      time.Duration // facts of GitHub and people, and the work that followed
	Audit      time.Duration // the audit trail; 0: for ever
}

// The terms that cannot be set.
const (
	// SignalsKept is how long a signal is kept that judges nothing. The commit that it judges may become known later:
	// GitHub delivers a lost push again within three days.
	SignalsKept = 72 * time.Hour
	// JobsKept is how long the answer to a job is kept that waited before an environment. GitHub gives a job up after
	// 30 days.
	JobsKept = 35 * 24 * time.Hour
)

// Horizon returns since when rows are kept at a time.
func (r Retention) Horizon(now time.Time) Horizon {
	h := Horizon{
		Deliveries: now.Add(-r.Deliveries), Facts: now.Add(-r.Facts),
		Signals: now.Add(-SignalsKept), Jobs: now.Add(-JobsKept),
	}
	if r.Audit > 0 {
		h.Audit = now.Add(-r.Audit)
	}
	return h
}

// Horizon says since when rows are kept that nothing open needs. A zero time keeps them for ever.
type Horizon struct {
	Deliveries, Signals, Jobs, Facts, Audit time.Time
}

// Term says how long rows are kept.
type Term string

// The terms. For those that Retention does not have, Kept.Until says when rows go.
const (
	DeliveriesTerm Term = "deliveries"
	FactsTerm      Term = "facts"
	AuditTerm      Term = "audit"
	SignalsTerm    Term = "signals"
	JobsTerm       Term = "jobs"
	ExpiryTerm     Term = "expiry" // the row says itself when it is over
	OwnerTerm      Term = "owner"  // the row goes with another, or is written over
	Forever        Term = "for ever"
)

// since returns the time that the rows of a term must be older than to go; the zero time if they stay.
func (h Horizon) since(t Term, now time.Time) time.Time {
	switch t {
	case DeliveriesTerm:
		return h.Deliveries
	case FactsTerm:
		return h.Facts
	case AuditTerm:
		return h.Audit
	case SignalsTerm:
		return h.Signals
	case JobsTerm:
		return h.Jobs
	case ExpiryTerm:
		return now
	}
	return time.Time{}
}

// Kept is a row of the retention table: all rows of a table of the schema, or one kind of them.
type Kept struct {
	Table string
	Rows  string // which rows of the table, for people
	Term  Term
	Until string // when the rows of OwnerTerm go, for people
	Why   string // a sentence

	key   []string // in whose order the rows are looked at
	among string   // the condition of an index with the rows that are looked at; empty: all are
	gone  string   // the condition of those that go; $1 is the horizon
}

// removable reports whether a row of the table has rows that Prune removes by its condition. The audit trail is
// shortened by the chain.
func (k *Kept) removable() bool { return k.gone != "" }

const (
	// newerFreight is how much newer freight of its warehouse there must be before it is forgotten how a freight is
	// shown: no stage shows older freight that it does not host or promote.
	newerFreight = 200
	// newerChecks is how many newer check runs of its stage there must be before another one is forgotten that shows
	// no freight and no promotion.
	newerChecks = 200
)

// shownAsWanted is the condition of a view that is up to date since before the horizon.
const shownAsWanted = `wanted = shown AND run_at IS NULL AND token = '' AND not_before < $1`

// lag is pushLag as the database counts.
var lag = fmt.Sprint(pushLag.Microseconds())

// Table returns the retention table. Prune removes in its order: a suite goes when none of its signals is left.
func Table() []Kept { return table }

var table = []Kept{
	{
		Table: "deliveries", Rows: "that were handled", Term: DeliveriesTerm,
		Why:  "Waybill must recognise a repeated webhook, and people look up past ones.",
		key:  []string{"seq"},
		gone: `state = 'handled' AND handled_at < $1`,
	},
	{
		Table: "deliveries", Rows: "the bodies of those that concern no pipeline", Term: OwnerTerm,
		Until: "until they are handled",
		Why:   "Waybill keeps nothing of what is said in repositories that it does not serve; id and hash stay.",
	},
	{
		Table: "deliveries", Rows: "that were parked", Term: FactsTerm,
		Why: "A person may look at one and have it handled again; by then a resync has found its facts.",
		key: []string{"seq"}, among: `state = 'parked'`,
		gone: `received_at < $1`,
	},
	{
		Table: "deliveries", Rows: "that wait", Term: OwnerTerm, Until: "until they are handled or parked",
		Why: "An acknowledged delivery is never lost.",
	},
	{
		Table: "missed", Rows: "webhooks that GitHub could not deliver", Term: OwnerTerm,
		Until: "until they arrive, or for 3 days",
		Why:   "After that GitHub has forgotten them, and a resync finds their facts.",
	},
	{
		Table: "link_offers", Rows: "links between Slack and GitHub that were begun", Term: ExpiryTerm,
		Why:  "One that is over cannot be completed.",
		key:  []string{"state"},
		gone: `expires_at < $1`,
	},
	{
		Table: "links", Rows: "Slack users and their GitHub accounts", Term: OwnerTerm,
		Until: "until the user ends the link",
		Why:   "Without it a person cannot act in Slack.",
	},
	{
		Table: "pushes", Rows: "to branches with files of stages", Term: FactsTerm,
		Why: "A push is needed as long as a deployment is judged by a head of its chain, or a promotion that is open " +
			"may begin with it; the newest of each branch stays.",
		key: []string{"repo", "branch", "chain", "position"},
		gone: `pushed_at < $1
			AND EXISTS (SELECT 1 FROM pushes n WHERE n.repo = pushes.repo AND n.branch = pushes.branch
				AND n.pushed_at > pushes.pushed_at)
			AND NOT EXISTS (SELECT 1 FROM ways w WHERE w.repo = pushes.repo AND w.branch = pushes.branch
				AND w.chain = pushes.chain AND w.first <= pushes.position AND w.last >= pushes.position - 1)
			AND NOT EXISTS (SELECT 1 FROM stage_branches l
				JOIN promotions p ON p.pipeline = l.pipeline AND p.stage = l.stage
				WHERE l.repo = pushes.repo AND l.branch = pushes.branch AND p.ended_at IS NULL
				AND p.queued_at <= pushes.pushed_at + ` + lag + `)`,
	},
	{
		Table: "signals", Rows: "check runs, statuses and deployments", Term: SignalsTerm,
		Why: "A signal is needed as long as it judges a deployment, or its commit is that of a promotion which is " +
			"not decided yet; else the push that makes it count may still come.",
		key: []string{"repo", "kind", "id"},
		gone: `recorded_at < $1
			AND NOT EXISTS (SELECT 1 FROM evidence e
				WHERE e.repo = signals.repo AND e.kind = signals.kind AND e.id = signals.id)
			AND sha NOT IN (SELECT a.plan_base
					FROM promotions p JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
					WHERE ` + activePromotion + `
				UNION ALL SELECT a.head_sha
					FROM promotions p JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
					WHERE ` + activePromotion + ` AND a.landed_at IS NOT NULL
				UNION ALL SELECT u.merge_sha
					FROM promotions p JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
					JOIN pulls u ON u.repo = a.repo AND u.number = a.pull
					WHERE ` + activePromotion + `)`,
	},
	{
		Table: "suites", Rows: "check suites", Term: SignalsTerm,
		Why: "A suite is needed as long as one of its check runs is kept.",
		key: []string{"repo", "id"},
		gone: `recorded_at < $1
			AND NOT EXISTS (SELECT 1 FROM signals s
				WHERE s.repo = suites.repo AND s.suite = suites.id AND s.suite <> 0)`,
	},
	{
		Table: "digests", Rows: "digests of the reports on a commit", Term: FactsTerm,
		Why:  "Without one a resync reads the commit again, and no more.",
		key:  []string{"repo", "sha"},
		gone: `read_at < $1`,
	},
	{
		Table: "branch_rules", Rows: "rules of the branches with stages' files", Term: FactsTerm,
		Why:  "They are read anew with each resync, so these are of branches that no pipeline uses any more.",
		key:  []string{"repo", "branch"},
		gone: `read_at < $1`,
	},
	{
		Table: "pulls", Rows: "pull requests of promotions that were merged or closed", Term: FactsTerm,
		Why: "One is needed until its promotion has ended; a late webhook must not open it again.",
		key: []string{"repo", "number"},
		gone: `state <> 'open' AND COALESCE(updated_at, merged_at, 0) < $1
			AND NOT EXISTS (SELECT 1 FROM attempts a
				JOIN promotions p ON p.pipeline = a.pipeline AND p.number = a.promotion
				WHERE a.pull = pulls.number AND a.pull <> 0 AND a.repo = pulls.repo AND p.ended_at IS NULL)`,
	},
	{
		Table: "pulls", Rows: "pull requests of promotions that are open", Term: OwnerTerm,
		Until: "until they are merged or closed",
		Why:   "Their end is a fact that decisions wait for.",
	},
	{
		Table: "candidates", Rows: "pull requests and merge groups that guards look after", Term: OwnerTerm,
		Until: "until they are closed, or 100 others are newer, of forks if it is of one, or else not",
		Why:   "Each has a check run that changes with the stage.",
	},
	{
		Table: "label_requests", Rows: "labels on pull requests that are no freight yet", Term: FactsTerm,
		Why:  "Waybill obeys the label as soon as the pull request is freight.",
		key:  []string{"repo", "number", "label"},
		gone: `asked_at < $1`,
	},
	{
		Table: "images", Rows: "images that were pushed for a commit", Term: FactsTerm,
		Why:  "The freight of the commit has them, or takes them when it comes.",
		key:  []string{"image", "built_of"},
		gone: `recorded_at < $1`,
	},
	{
		Table: "requests", Rows: "commands that were answered", Term: FactsTerm,
		Why: "One is needed until its answer is written; later answers to the same person refer to it.",
		key: []string{"pipeline", "id"},
		gone: `answered_at < $1 AND NOT EXISTS (SELECT 1 FROM effects e WHERE e.pipeline = requests.pipeline
				AND e.key = 'reply/' || CASE together WHEN 0 THEN requests.id ELSE together END AND e.run_at IS NOT NULL)
			AND NOT EXISTS (SELECT 1 FROM requests o WHERE o.pipeline = requests.pipeline AND o.together <> 0
				AND o.together = requests.together AND o.answered_at IS NULL)`,
	},
	{
		Table: "requests", Rows: "commands that were not answered", Term: OwnerTerm, Until: "until they are answered",
		Why: "A stage answers them when it is decided.",
	},
	{
		Table: "effects", Rows: "that were done, given up or withdrawn", Term: FactsTerm,
		Why: "An effect is needed as long as its promotion is open or its freight is hosted: it happens once.",
		key: []string{"pipeline", "key"},
		gone: `state IN ('done', 'failed', 'void') AND COALESCE(done_at, decided_at) < $1
			AND NOT EXISTS (SELECT 1 FROM promotions p
				WHERE p.pipeline = effects.pipeline AND p.number = effects.promotion AND p.ended_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM deployments y
				WHERE y.pipeline = effects.pipeline AND y.promotion = effects.promotion AND y.left_at IS NULL)`,
	},
	{
		Table: "effects", Rows: "that are due", Term: OwnerTerm, Until: "until they are done, given up or withdrawn",
		Why: "A decided effect is carried out.",
	},
	{
		Table: "approvals", Rows: "sign-offs and admissions that are over", Term: FactsTerm,
		Why:  "They no longer count; the audit trail says who gave them.",
		key:  []string{"pipeline", "id"},
		gone: `(revoked_at < $1 OR kind = 'sign-off' AND expires_at < $1)`,
	},
	{
		Table: "approvals", Rows: "sign-offs and admissions that stand", Term: OwnerTerm,
		Until: "until they are used, taken back or over",
		Why:   "Decisions count them.",
	},
	{
		Table: "rejects", Rows: "that were taken back", Term: FactsTerm,
		Why:  "They count no more; the audit trail says who gave and took them back.",
		key:  []string{"pipeline", "id"},
		gone: `lifted_at < $1`,
	},
	{
		Table: "rejects", Rows: "that stand", Term: OwnerTerm, Until: "until they are taken back",
		Why: "What was rejected stays so.",
	},
	{
		Table: "holds", Rows: "that were lifted", Term: FactsTerm,
		Why:  "They no longer stop a stage; the audit trail says who gave and lifted them.",
		key:  []string{"pipeline", "id"},
		gone: `lifted_at < $1`,
	},
	{
		Table: "holds", Rows: "that stand", Term: OwnerTerm, Until: "until they are lifted or over",
		Why: "They stop stages.",
	},
	{
		Table: "views", Rows: "check runs, comments and labels that show freight", Term: FactsTerm,
		Why: fmt.Sprintf("One is needed as long as a stage hosts or promotes the freight, or it is among the newest %d "+
			"of its warehouse: else it would be made a second time.", newerFreight),
		key: []string{"surface"},
		gone: `freight <> '' AND promotion = 0 AND ` + shownAsWanted + `
			AND EXISTS (SELECT 1 FROM freight f JOIN freight n ON n.pipeline = f.pipeline AND n.warehouse = f.warehouse
					AND (n.merged_at, n.number) > (f.merged_at, f.number)
				WHERE f.pipeline = views.pipeline AND f.id = views.freight
				ORDER BY n.merged_at, n.number LIMIT 1 OFFSET ` + fmt.Sprint(newerFreight-1) + `)
			AND NOT EXISTS (SELECT 1 FROM deployments y
				WHERE y.freight = views.freight AND y.pipeline = views.pipeline AND y.left_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM promotions p
				WHERE p.pipeline = views.pipeline AND p.freight = views.freight AND p.ended_at IS NULL)`,
	},
	{
		Table: "views", Rows: "deployments, messages, comments, texts and check runs that show a promotion", Term: FactsTerm,
		Why: fmt.Sprintf("One is needed as long as the promotion is open, its freight is hosted, or it is among "+
			"the latest %d of its stage: else it would be made a second time.", maxEnded),
		key: []string{"surface"},
		gone: `promotion <> 0 AND ` + shownAsWanted + `
			AND EXISTS (SELECT 1 FROM promotions p JOIN promotions n ON n.pipeline = p.pipeline AND n.stage = p.stage
					AND n.place > p.place AND n.ended_at IS NOT NULL
				WHERE p.pipeline = views.pipeline AND p.number = views.promotion AND p.ended_at IS NOT NULL
				ORDER BY n.place LIMIT 1 OFFSET ` + fmt.Sprint(maxEnded-1) + `)
			AND NOT EXISTS (SELECT 1 FROM deployments y
				WHERE y.pipeline = views.pipeline AND y.promotion = views.promotion AND y.left_at IS NULL)`,
	},
	{
		Table: "views", Rows: "other check runs: of pipeline files, and of guarded pull requests", Term: FactsTerm,
		Why: fmt.Sprintf("The newest %d of a stage or pipeline stay: they may change.", newerChecks),
		key: []string{"surface"},
		gone: `freight = '' AND promotion = 0 AND kind = 'check' AND ` + shownAsWanted + `
			AND EXISTS (SELECT 1 FROM views n WHERE n.pipeline = views.pipeline AND n.stage = views.stage
				AND n.not_before > views.not_before
				ORDER BY n.not_before LIMIT 1 OFFSET ` + fmt.Sprint(newerChecks-1) + `)`,
	},
	{
		Table: "views", Rows: "answers to jobs that wait before an environment", Term: JobsTerm,
		Why:  "GitHub gives a job up after 30 days.",
		key:  []string{"surface"},
		gone: `kind = 'barrier' AND ` + shownAsWanted,
	},
	{
		Table: "views", Rows: "that are not up to date", Term: OwnerTerm, Until: "until they are",
		Why: "They are still to be written.",
	},
	{
		Table: "events", Rows: "lines of the audit trail", Term: AuditTerm,
		Why: "The trail says who did what; of each chain only the beginning goes, so that the rest can be verified.",
	},
	{
		Table: "chains", Rows: "the end of each chain of the audit trail, and the mark of its removed part", Term: Forever,
		Why: "The trail is verified by it.",
	},
	{
		Table: "ways", Rows: "the commits by which a deployment is judged", Term: OwnerTerm,
		Until: "until the deployment has been replaced or its stage is removed",
		Why:   "A signal is compared with them.",
	},
	{
		Table: "evidence", Rows: "the signals that judge a deployment", Term: OwnerTerm,
		Until: "as long as its commits (`ways`)",
		Why:   "Verdicts are made from it; old runs that passed are left out once newer ones say the same.",
	},
	{
		Table: "promotions", Rows: "all", Term: Forever,
		Why: "No freight is promoted into a stage a second time by itself, and people ask for the history.",
	},
	{
		Table: "attempts", Rows: "the pull requests and commits of promotions", Term: Forever,
		Why: "They are part of the history of the promotion; its plan's contents go when it has ended.",
	},
	{
		Table: "steps", Rows: "the pull requests of the steps of rollouts", Term: Forever,
		Why: "They are part of the history of the promotion.",
	},
	{
		Table: "deployments", Rows: "the freight that each stage hosted, when, and its verdict", Term: Forever,
		Why: "Freight that a stage has verified is available downstream, and for a rollback, however old it is.",
	},
	{
		Table: "freight", Rows: "all", Term: Forever,
		Why: "A merge or release that is found again must be recognised, and promotions name it.",
	},
	{
		Table: "pipelines", Rows: "one for each repository that ever had a pipeline file", Term: Forever,
		Why: "Its numbers are never given twice, and its freight counts since it was first seen.",
	},
	{
		Table: "stages", Rows: "one for each stage that a pipeline ever had", Term: Forever,
		Why: "Promotions name it; one that comes back goes on where it was.",
	},
	{
		Table: "warehouses", Rows: "one for each warehouse that a pipeline ever had", Term: Forever,
		Why: "Anything older than the warehouse is no freight of it, also when it comes back.",
	},
	{
		Table: "sources", Rows: "which stage takes from which warehouse", Term: OwnerTerm,
		Until: "as long as the pipeline file says so",
		Why:   "New freight concerns these stages.",
	},
	{
		Table: "stage_branches", Rows: "the branches with files of a stage", Term: OwnerTerm,
		Until: "until the stage has its files elsewhere",
		Why:   "Pushes to them are recorded; a promotion that is being merged ends also when its stage is removed.",
	},
	{
		Table: "matchers", Rows: "the matchers of stages and targets", Term: OwnerTerm,
		Until: "as long as the pipeline file says so",
		Why:   "Signals are compared with them.",
	},
	{
		Table: "stage_files", Rows: "the files that promotions write", Term: OwnerTerm,
		Until: "as long as the pipeline file says so",
		Why:   "Pushes are compared with them.",
	},
	{
		Table: "readings", Rows: "the values in a stage's files, one row for each branch", Term: OwnerTerm,
		Until: "until the files are pushed to, or are elsewhere",
		Why:   "Drift is found by them.",
	},
	{
		Table: "readiness", Rows: "the missing conditions of targets, one row for each stage", Term: OwnerTerm,
		Until: "until GitHub is asked again",
		Why:   "A step waits for its targets.",
	},
	{
		Table: "clocks", Rows: "one for each pipeline, and four of the server", Term: Forever,
		Why: "They say when the next resync, sweep and search for pipelines is due, and when events are sent.",
	},
	{
		Table: "sent_events", Rows: "one for each pipeline whose events are sent to a receiver", Term: OwnerTerm,
		Until: "until the server has no receiver any more", Why: "It says which events the receiver has.",
	},
	{
		Table: "queues", Rows: "one for each queue", Term: Forever, Why: "They say whose turn it is.",
	},
	{
		Table: "gates", Rows: "one for each installation that is not asked about now", Term: OwnerTerm,
		Until: "until GitHub answers", Why: "Its work waits.",
	},
	{
		Table: "allowances", Rows: "one for each repository that allows a pipeline which names it", Term: OwnerTerm,
		Until: "until either stops", Why: "What has only the name of such a repository is not followed.",
	},
	{
		Table: "consents", Rows: "one for each pipeline that the file of a repository allows", Term: OwnerTerm,
		Until: "until the file allows it no more",
		Why: "They answer a pipeline that names a repository of another owner, without asking GitHub. Another home that " +
			"takes the name is not allowed.",
	},
	{
		Table: "owners", Rows: "one for each owner that the server is told to work for", Term: OwnerTerm,
		Until: "until it is not told so any more", Why: "A name that changes hands is not served.",
	},
	{
		Table: "scopes", Rows: "one for each repository of a token for the API with `repos=`", Term: OwnerTerm,
		Until: "until the token's line does not name it any more",
		Why:   "The token does not open another repository that takes the name.",
	},
	{
		Table: "channels", Rows: "one for each channel of Slack and installation whose pipelines are told of there",
		Term: OwnerTerm, Until: "until somebody takes the claim back (`/waybill unclaim`)",
		Why: "Nobody else is told of there.",
	},
	{
		Table: "content", Rows: "the pull requests and comments that an installation has made", Term: OwnerTerm,
		Until: "for an hour, and then until the next one", Why: "GitHub limits how many there may be in an hour.",
	},
	{
		Table: "content_limits", Rows: "one for each installation that has made any", Term: Forever,
		Why: "They say when it may make more.",
	},
	{
		Table: "counters", Rows: "two", Term: Forever,
		Why: "No push is numbered twice, and other processes notice that pipeline files were taken over.",
	},
	{
		Table: "acts", Rows: "one for each command that was ever given", Term: Forever,
		Why: "A command is carried out once, whoever tells of it again, and whenever. A row names a comment, a review, a " +
			"label, a button or a command of Slack or the API, and no text.",
	},
	{
		Table: "sweep", Rows: "one", Term: Forever, Why: "It says how far GitHub's list of deliveries was read.",
	},
	{
		Table: "replicas", Rows: "one for each of several servers on the database", Term: OwnerTerm,
		Until: "until it ends, or has not been heard of for 15 seconds", Why: "Others take up the work of one that has died.",
	},
	{
		Table: "process", Rows: "one", Term: Forever, Why: "It says which process has the database open.",
	},
	{
		Table: "schema_version", Rows: "one",
		Term: Forever, Why: "It says which version of Waybill can read the database.",
	},
}

// activePromotion is the condition of a promotion whose commit is known and that is not judged, which an index has.
const activePromotion = `p.state IN ('running', 'waiting-for-merge', 'verifying')`
