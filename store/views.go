package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// View is something that shows people where things stand: a sticky comment, a check run, labels, a message. Only its
// last state matters; the states in between need not be shown.
type View struct {
	Surface  string // names it for ever: "comment:acme/api#142"
	Pipeline int64
	Stage    promotion.StageName // empty: of no stage
	Kind     string              // "comment", "check", "deployment", "labels" or "slack"
	Wanted   string              // the state that it should show, as its kind understands it
	Shown    string              // the state that it shows; empty: none
	RemoteID string              // its id on the surface; empty: it is not there yet
	Node     string              // its id in GitHub's GraphQL; empty: not asked for yet
	Lease    Lease               // of one that was claimed
	Attempts int                 // since something was last shown
	// Account pays for showing it; empty: the installation of its pipeline. Only WantView looks at it.
	Account string
	// Freight and Promotion are the subjects of the view, which is kept as long as they need it; the zero values are none.
	// Of several pieces of freight that one view shows, it is the one of which there was news last.
	Freight   promotion.FreightID
	Promotion promotion.Number
	// Commit is what a check run is shown on.
	Commit promotion.SHA
	// Outdated is the newest id on the surface that must not be changed any more, but followed by a new one; 0: none.
	Outdated int64
	// Due is when a new state may be shown at the earliest, so that several changes until then are shown once; zero: now.
	// Only WantView looks at it.
	Due time.Time
	// Pressing views do not wait until an earlier state is due. Only WantView looks at it.
	Pressing bool
	content  string // the account for whose content it has waited; '': it has not
}

const viewColumns = `surface, pipeline, stage, kind, freight, promotion, wanted, shown, remote_id, node, attempts,
	commit_sha, outdated_id, content`

func (v *View) dest() []any {
	return []any{&v.Surface, &v.Pipeline, &v.Stage, &v.Kind, &v.Freight, &v.Promotion, &v.Wanted, &v.Shown, &v.RemoteID,
		&v.Node, &v.Attempts, &v.Commit, &v.Outdated, &v.content}
}

// WantView notes the state that a surface should show. It reports whether that is new. A newer state before the last
// has been shown does not put it off.
func (vs Views) WantView(v View) (changed bool, err error) {
	known, read := vs.tx.known[v.Surface]
	if known != nil && known.Wanted == v.Wanted {
		return false, nil
	}
	delete(vs.tx.known, v.Surface)
	if !vs.tx.together || !read {
		if err := vs.flush(); err != nil { // it may be wanted there, too
			return false, err
		}
		return vs.writeWanted([]View{v})
	}
	if vs.tx.wanted = append(vs.tx.wanted, v); len(vs.tx.wanted) < wantedTogether {
		return true, nil
	}
	return true, vs.flush()
}

// Together calls write, and writes the views that it wants by few statements.
func (vs Views) Together(write func() error) error {
	vs.tx.together = true
	defer func() { vs.tx.together = false }()
	if err := write(); err != nil {
		return err
	}
	return vs.flush()
}

// wantedTogether is how many views one statement writes at most.
const wantedTogether = 8

// flush writes the views that are wanted and not written yet, before any is read.
func (vs Views) flush() error {
	if len(vs.tx.wanted) == 0 {
		return nil
	}
	all := vs.tx.wanted
	vs.tx.wanted = nil
	_, err := vs.writeWanted(all)
	return err
}

// writeWanted notes the states that surfaces should show, each once, and reports whether one of them is new.
func (vs Views) writeWanted(all []View) (changed bool, err error) {
	var rows strings.Builder
	var args []any
	for i, v := range all {
		if i > 0 {
			rows.WriteString(`, `)
		}
		rows.WriteString(wantedRow(len(args)))
		args = append(args, v.Surface, v.Pipeline, v.Stage, v.Kind, v.Wanted,
			micros(promotion.Later(v.Due, vs.tx.Now)), v.Account, v.priority(), v.Freight, v.Promotion, v.Commit)
	}
	n, err := vs.tx.exec(`INSERT INTO views (surface, pipeline, stage, kind, wanted, shown, remote_id, node,
			not_before, account, repo, priority, run_at, attempts, token, leased_until, error, freight, promotion, commit_sha)
		SELECT w.column1, p.id, w.column3, w.column4, w.column5, '', '', '', w.column6,
			CASE w.column7 WHEN '' THEN CAST(p.installation AS TEXT) ELSE w.column7 END, p.repo, w.column8, w.column6, 0, '', 0,
			'', w.column9, w.column10, w.column11
		FROM (VALUES `+rows.String()+`) AS w JOIN pipelines p ON p.id = w.column2 WHERE TRUE
		ON CONFLICT (surface) DO UPDATE SET wanted = excluded.wanted, remade = 0, commit_sha = excluded.commit_sha,
			freight = CASE WHEN views.pipeline = excluded.pipeline AND excluded.freight <> '' THEN excluded.freight
				ELSE views.freight END,
			promotion = CASE WHEN excluded.promotion > 0 THEN excluded.promotion ELSE views.promotion END,
			priority = CASE excluded.priority WHEN 0 THEN 0 ELSE views.priority END,
			attempts = CASE WHEN views.run_at IS NULL THEN 0 ELSE views.attempts END,
			again_at = CASE views.token WHEN '' THEN NULL ELSE excluded.not_before END,
			run_at = CASE WHEN views.token <> '' THEN views.run_at
				WHEN excluded.wanted = views.shown AND (views.run_at IS NULL OR views.attempts = 0) THEN NULL
				WHEN excluded.priority = 0 AND (views.run_at IS NULL OR views.attempts = 0) THEN excluded.not_before
				WHEN views.run_at IS NOT NULL THEN views.run_at
				WHEN views.not_before > excluded.not_before THEN views.not_before ELSE excluded.not_before END
		WHERE views.wanted <> excluded.wanted`, args...)
	return n > 0, wrap("want views from "+all[0].Surface+" on", err)
}

// wantedRow is the row of a view that is wanted; its first parameter is behind those before it. A server takes
// a parameter for a text that is not told otherwise.
func wantedRow(before int) string {
	var parameters []string
	for i := range 11 {
		p := fmt.Sprintf("$%d", before+i+1)
		switch i + 1 {
		case 2, 6, 8, 10: // the pipeline, when it is due, its priority, the promotion
			p = `CAST(` + p + ` AS BIGINT)`
		}
		parameters = append(parameters, p)
	}
	return `(` + strings.Join(parameters, `, `) + `)`
}

// NoteView notes a view that shows already what it should. One that is known stays as it is.
func (vs Views) NoteView(v View) error {
	delete(vs.tx.known, v.Surface)
	_, err := vs.tx.exec(`INSERT INTO views (surface, pipeline, stage, kind, wanted, shown, remote_id, node,
			not_before, account, repo, priority, run_at, attempts, token, leased_until, error, freight, promotion, commit_sha)
		SELECT $1, p.id, $3, $4, $5, $5, '', $6, $7, CAST(p.installation AS TEXT), p.repo, 1, NULL, 0, '', 0, '', $8,
			$9, $10 FROM pipelines p WHERE p.id = $2 ON CONFLICT DO NOTHING`,
		v.Surface, v.Pipeline, v.Stage, v.Kind, v.Wanted, v.Node, micros(vs.tx.Now), v.Freight, v.Promotion, v.Commit)
	return wrap("note view "+v.Surface, err)
}

func (v *View) priority() int {
	if v.Pressing {
		return 0
	}
	return 1
}

// moment is how long a view waits for an effect of its stage that may be carried out. One that takes longer waits for
// others: for those before it in its lane or its line, or for room among the work of its installation.
const moment = 5 * time.Second

// waits is the condition of an effect that is not carried out before a time comes, GitHub may be asked, its pipeline
// has been resynced, or a decision is made that was put off.
func waits(e string) string {
	return `(` + e + `.run_at > $1 OR ` + e + `.content <> '' OR ` + withheld(e, `$1`) + `
		OR ` + isUnready(e+`.pipeline`) + ` OR ` + e + `.fenced AND EXISTS (SELECT 1 FROM stages s
			WHERE s.pipeline = ` + e + `.pipeline AND s.name = ` + e + `.stage AND s.not_before > $1
			AND (s.version > s.decided OR s.wake_at <= $1)))`
}

var (
	// afterEffects is the condition of a view whose stage has no effect that is carried out in a moment: effects go before
	// the views of their results, which are then shown once. A view does not wait for an effect that waits itself, or
	// that is behind one in its line that does.
	afterEffects = fmt.Sprintf(`NOT EXISTS (SELECT 1 FROM effects e WHERE e.pipeline = q.pipeline AND e.stage = q.stage
		AND e.run_at + %d > $1 AND e.token = '' AND NOT %s
		AND NOT EXISTS (SELECT 1 FROM effects b WHERE b.pipeline = e.pipeline AND b.line = e.line AND b.line <> ''
			AND b.seq < e.seq AND b.run_at IS NOT NULL AND b.token = '' AND %s))`,
		moment.Microseconds(), waits(`e`), waits(`b`))

	viewsTable = queueTable{
		table: "views", key: []string{"surface"}, order: `q.run_at, q.surface`, columns: viewColumns,
		content: true,
		done:    `, shown = $3, remote_id = $4, node = $5, not_before = $2, priority = 1, content = ''`, told: 3,
		ready: mayMake(viewOpens, ``) + ` AND ` + afterEffects,
	}
	views = newQueue("view", viewsTable)
)

// ClaimView takes a view that is out of date. It is nil if there is none; then wake is when the next may be tried, the
// zero time if only an event can make one due.
func (vs Views) ClaimView(c Claim) (v *View, wake time.Time, err error) {
	v, lease, wake, err := claim(vs.tx, views, c, (*View).dest)
	if v != nil {
		v.Lease = lease.of(v.Surface)
	}
	if v != nil && v.content != "" {
		err = vs.tx.countContent(v.content, v.Lease.token, true)
	}
	return v, wake, err
}

// moreViews leases check runs, deployments and texts of pull requests of the repository that a view belongs to.
var moreViews = viewsTable.leasing(`IN `, `(q.account, q.repo) = (SELECT account, repo FROM views WHERE surface = $5)
	AND q.kind IN ('check', 'deployment', 'body') AND q.attempts = 0 AND `+afterEffects+` ORDER BY q.run_at, q.surface
		LIMIT `+fmt.Sprint(shownTogether-1), ``)

// ClaimMore takes more check runs, deployments and texts of pull requests, which one request can show together with one
// that was claimed: those of its pipeline, most of them at a time. A view that was tried before is shown alone: its
// mistake keeps no other. They share its lease.
func (vs Views) ClaimMore(v *View, c Claim) ([]View, error) {
	var more []View
	err := vs.tx.unnoted(views.in, func() (err error) { // it makes none due
		more, err = list(vs.tx, (*View).dest, moreViews, append(c.args(vs.tx, v.Lease.token), v.Surface)...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim more views: %w", err)
	}
	for i := range more {
		more[i].Lease = v.Lease.of(more[i].Surface)
	}
	slices.SortFunc(more, func(a, b View) int { return strings.Compare(a.Surface, b.Surface) })
	return more, nil
}

// shownTogether is how many views one request shows at most: GitHub gives up on requests that take it ten seconds.
const shownTogether = 10

// ShowedView notes that a surface shows the state that was wanted when the view was claimed, and its id there. It stays
// so until a time; the zero time is now. A state that was wanted meanwhile is shown then.
func (vs Views) ShowedView(v *View, until time.Time) error {
	delete(vs.tx.known, v.Surface)
	until = promotion.Later(until, vs.tx.Now)
	return vs.tx.finish(v.Lease, time.Time{}, until, v.Wanted, v.RemoteID, v.Node)
}

// RetryView notes why a surface could not be shown, and when to try again.
func (vs Views) RetryView(v *View, why string, when time.Time) error {
	return vs.tx.retry(v.Lease, why, when)
}

// AwaitContent notes that a view waits until content may be made.
func (vs Views) AwaitContent(v *View, why string, n NoContent) error {
	return vs.tx.await(v.Lease, why, n)
}

// ParkView notes why a surface cannot be shown as it is wanted now. It is shown when something else is wanted.
func (vs Views) ParkView(v *View, why string) error { return vs.tx.park(v.Lease, why) }

// maxRemade is how often a view is made again, one time after the other, that is removed: enough for accidents, too few
// for a quarrel between two programs.
const maxRemade = 3

// LostView notes that a view was removed from its surface, or a part of it: left is the rest, empty if there is none.
// It is made again, unless it was too often since a new state was last wanted: the first time that it is not, given
// says so. A view that shows another state than when it was looked at is left alone.
func (vs Views) LostView(v *View, left string) (given bool, err error) {
	delete(vs.tx.known, v.Surface)
	n, err := vs.tx.exec(`UPDATE views SET shown = $2, remade = remade + 1, `+wantedAt(`views`, `$3`)+`
		WHERE surface = $1 AND shown = $4 AND wanted = shown AND remade < $5`, v.Surface, left, micros(vs.tx.Now),
		v.Shown, maxRemade)
	if err == nil && n == 0 {
		n, err = vs.tx.exec(`UPDATE views SET remade = remade + 1 WHERE surface = $1 AND shown = $2 AND wanted = shown
			AND remade = $3`,
			v.Surface, v.Shown, maxRemade)
		given = n > 0
	}
	return given, wrap("note that "+v.Surface+" is gone", err)
}

// ReadAhead reads views together. Later calls of this transaction find them, and which are missing, without a statement
// each, until they are changed.
func (vs Views) ReadAhead(surfaces []string) error {
	if err := vs.flush(); err != nil {
		return err
	}
	all, err := listIn(vs.tx, (*View).dest, surfaces, `SELECT `+viewColumns+` FROM views WHERE surface`)
	if err != nil {
		return fmt.Errorf("read views ahead: %w", err)
	}
	vs.tx.known = make(map[string]*View, len(surfaces))
	for _, name := range surfaces {
		vs.tx.known[name] = nil
	}
	for i := range all {
		vs.tx.known[all[i].Surface] = &all[i]
	}
	return nil
}

// ViewBySurface returns a view.
func (vs Views) ViewBySurface(surface string) (View, error) {
	if known, read := vs.tx.known[surface]; read {
		if known == nil {
			return View{}, orNotFound(false, nil, "read view "+surface)
		}
		return *known, nil
	}
	if err := vs.flush(); err != nil {
		return View{}, err
	}
	var v View
	found, err := vs.tx.one(v.dest(), `SELECT `+viewColumns+` FROM views WHERE surface = $1`, surface)
	return v, orNotFound(found, err, "read view "+surface)
}

// ViewsUnder returns the views whose names begin with that of a surface and a slash.
func (vs Views) ViewsUnder(surface string) ([]View, error) {
	if err := vs.flush(); err != nil {
		return nil, err
	}
	all, err := list(vs.tx, (*View).dest, `SELECT `+viewColumns+` FROM views
		WHERE surface > $1 AND surface < $2 ORDER BY surface`, surface+"/", surface+"0")
	return all, wrap("read the views of "+surface, err)
}

// NoteRemote writes down the id of a view on its surface, or the progress there, while it is being shown.
func (vs Views) NoteRemote(v *View, remoteID string) error {
	delete(vs.tx.known, v.Surface)
	return vs.tx.mustChange("note where "+v.Surface+" is",
		`UPDATE views SET remote_id = $2 WHERE surface = $1 AND token = $3`,
		v.Surface, remoteID, v.Lease.token)
}

// ChecksOn returns the views that are check runs on a commit, of all pipelines.
func (vs Views) ChecksOn(commit promotion.SHA) ([]View, error) {
	all, err := list(vs.tx, (*View).dest, `SELECT `+viewColumns+` FROM views
		WHERE commit_sha = $1 AND kind = 'check' ORDER BY surface`, commit)
	return all, wrap("read the check runs on "+string(commit), err)
}

// ReplaceView has a surface shown by something new, although nothing about it is: what it is shown by up to an id is
// outdated.
func (vs Views) ReplaceView(surface string, upTo int64) error {
	delete(vs.tx.known, surface)
	_, err := vs.tx.exec(`UPDATE views SET shown = '',
		outdated_id = CASE WHEN outdated_id < $3 THEN $3 ELSE outdated_id END, `+wantedAt(`views`, `$2`)+`
		WHERE surface = $1`, surface, micros(vs.tx.Now), upTo)
	return wrap("have "+surface+" replaced", err)
}

// RefusedBySlack begins the id of a first message that Slack has refused for good. The word that Slack has said comes
// behind it.
const RefusedBySlack = "refused "

// RefusedBySlack reports whether the view is a first message that Slack has refused for good.
func (v *View) RefusedBySlack() bool { return strings.HasPrefix(v.RemoteID, RefusedBySlack) }

// PostRefused has the first messages about an installation's promotions posted that Slack has refused.
func (vs Views) PostRefused(installation int64) error {
	_, err := vs.tx.exec(`UPDATE views SET shown = '', `+wantedAt(`views`, `$2`)+`
		WHERE account = $3 AND kind = 'slack' AND remote_id LIKE '`+RefusedBySlack+`%' AND promotion <> 0 AND wanted = shown
		AND pipeline IN (SELECT id FROM pipelines WHERE installation = $1)`,
		installation, micros(vs.tx.Now), AccountSlack)
	return wrap("have refused messages posted", err)
}
