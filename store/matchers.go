package store

import (
	"slices"
	"strings"

	"waybill/promotion"
	"waybill/store/driver"
)

// matcher is a row of the table matchers.
type matcher struct {
	key          StageKey
	target       promotion.TargetName
	on           promotion.Branch
	kind         promotion.SignalKind
	pattern, app string
	star, listed bool

	shared, common bool
}

const matcherColumns = `m.pipeline, m.stage, m.target, m.repo, m.branch, m.kind, m.pattern, m.app, m.star, m.listed,
	m.shared, m.common`

func matcherDest(m *matcher) []any {
	return []any{&m.key.Pipeline, &m.key.Stage, &m.target, &m.on.Repo, &m.on.Name, &m.kind, &m.pattern, &m.app,
		&m.star, &m.listed, &m.shared, &m.common}
}

// is returns the matcher as the rulebook knows it.
func (m *matcher) is() promotion.Matcher {
	return promotion.Matcher{Kind: m.kind, Pattern: m.pattern, App: m.app}
}

// names reports whether a signal counts for the matcher, on the commit of an arrival or on a later head.
func (m *matcher) names(s *promotion.Signal, commit promotion.SHA) bool {
	is := m.is()
	return (s.SHA == commit || !m.shared) && is.Names(s)
}

// mark names a matcher in the notes of the runs that were left out.
func (m *matcher) mark() string { return strings.Join([]string{string(m.kind), m.app, m.pattern}, " ") }

// stageFile is a row of the table stage_files.
type stageFile struct {
	key    StageKey
	target promotion.TargetName
	on     promotion.Branch
	path   string
	folder bool
}

const stageFileColumns = `pipeline, stage, target, repo, branch, path, folder`

func stageFileDest(f *stageFile) []any {
	return []any{&f.key.Pipeline, &f.key.Stage, &f.target, &f.on.Repo, &f.on.Name, &f.path, &f.folder}
}

// files are the files that promotions into a stage or target write.
type files []stageFile

// touched reports whether one of the paths is among the files.
func (fs files) touched(paths []string) bool {
	return len(fs) > 0 && slices.Equal(paths, promotion.EveryPath) || slices.ContainsFunc(paths, func(path string) bool {
		return slices.ContainsFunc(fs, func(f stageFile) bool {
			return f.path == path || f.folder && promotion.Inside(path, f.path)
		})
	})
}

// lastBefore returns the position before the first of some pushes that touches the files; open if none does.
func (fs files) lastBefore(pushes []placed) int64 {
	for _, p := range pushes {
		if fs.touched(p.paths) {
			return p.position - 1
		}
	}
	return open
}

// filesOf reads the files that end a way.
func filesOf(w *way, into *files) driver.Query {
	return rowsInto((*[]stageFile)(into), stageFileDest, `SELECT `+stageFileColumns+` FROM stage_files
		WHERE pipeline = $1 AND stage = $2 AND target = $3 AND repo = $4 AND branch = $5`,
		w.key.Pipeline, w.key.Stage, w.Target, w.on.Repo, w.on.Name)
}

// matchersOf reads the matchers that judge on a way.
func matchersOf(w *way, into *[]matcher) driver.Query {
	return rowsInto(into, matcherDest, `SELECT `+matcherColumns+` FROM matchers m
		WHERE m.pipeline = $1 AND m.stage = $2 AND m.target = $3 AND m.repo = $4 AND m.branch = $5
			ORDER BY m.kind, m.pattern, m.app`,
		w.key.Pipeline, w.key.Stage, w.Target, w.on.Repo, w.on.Name)
}

// owner is a stage, or one of its targets.
type owner struct {
	key    StageKey
	target promotion.TargetName
}

// ownersOf returns the stages and targets that write one of the paths on a branch, each once.
func (ev evidence) ownersOf(on promotion.Branch, paths []string) ([]owner, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if slices.Equal(paths, promotion.EveryPath) {
		return list(ev.tx, func(o *owner) []any { return []any{&o.key.Pipeline, &o.key.Stage, &o.target} },
			`SELECT DISTINCT pipeline, stage, target FROM stage_files WHERE repo = $1 AND branch = $2
			ORDER BY pipeline, stage, target`, on.Repo, on.Name)
	}
	type row struct {
		owner
		path   string
		folder bool
	}
	rows, err := listIn(ev.tx, func(r *row) []any {
		return []any{&r.key.Pipeline, &r.key.Stage, &r.target, &r.path, &r.folder}
	}, foldersOf(paths), `SELECT pipeline, stage, target, path, folder FROM stage_files
		WHERE repo = $1 AND branch = $2 AND path`, on.Repo, on.Name)
	touched, known := map[string]bool{}, map[owner]bool{}
	for _, p := range paths {
		touched[p] = true
	}
	var all []owner
	for _, r := range rows {
		if (r.folder || touched[r.path]) && !known[r.owner] {
			known[r.owner] = true
			all = append(all, r.owner)
		}
	}
	return all, err
}

// foldersOf returns the paths and all folders that they lie in, each once.
func foldersOf(paths []string) []string {
	known := map[string]bool{}
	for _, p := range paths {
		for !known[p] {
			known[p] = true
			p = p[:max(0, strings.LastIndexByte(p, '/'))]
		}
	}
	all := make([]string, 0, len(known))
	for p := range known {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}

// syncMatchers notes the matchers and the files of the stages of a pipeline, and judges their freight anew where those
// have changed: GitHub is asked for signals that were not kept.
func (ev evidence) syncMatchers(pipeline int64, p *promotion.Pipeline) error {
	wanted, owned := judgedIn(pipeline, p)
	kept, err := ev.keptIn(pipeline, p)
	if err != nil {
		return err
	}
	wanted = append(wanted, unlisted(kept, wanted)...)
	have, err := list(ev.tx, matcherDest, `SELECT `+matcherColumns+` FROM matchers m WHERE m.pipeline = $1`, pipeline)
	if err != nil {
		return err
	}
	others, err := ev.others(pipeline, slices.Concat(have, wanted))
	if err != nil {
		return err
	}
	wanted, theirs := share(wanted, others)
	changed, stages := map[owner]bool{}, []StageKey{}
	err = setRows(ev.tx, have, matcherDest, wanted,
		`DELETE FROM matchers WHERE pipeline = $1 AND stage = $2 AND target = $3 AND repo = $4 AND branch = $5
			AND kind = $6 AND pattern = $7 AND app = $8 AND star = $9 AND listed = $10 AND shared = $11 AND common = $12`,
		`INSERT INTO matchers (pipeline, stage, target, repo, branch, kind, pattern, app, star, listed, shared, common)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		func(m matcher) {
			changed[owner{m.key, m.target}] = true
			if m.common {
				stages = append(stages, m.key)
			}
		})
	if err == nil {
		err = ev.tx.Stages.touchEach(stages)
	}
	if err == nil {
		err = ev.setShared(others, theirs)
	}
	var files []stageFile
	if err == nil {
		files, err = list(ev.tx, stageFileDest, `SELECT `+stageFileColumns+` FROM stage_files WHERE pipeline = $1`,
			pipeline)
	}
	if err == nil {
		err = setRows(ev.tx, files, stageFileDest, owned,
			`DELETE FROM stage_files WHERE pipeline = $1 AND stage = $2 AND target = $3 AND repo = $4 AND branch = $5
				AND path = $6 AND folder = $7`,
			`INSERT INTO stage_files (pipeline, stage, target, repo, branch, path, folder)
				VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			func(f stageFile) { changed[owner{f.key, f.target}] = true })
	}
	if err != nil || p == nil || len(changed) == 0 {
		return err
	}
	return ev.judgeAnew(pipeline, p, changed)
}

// setRows makes the rows of a table, which has some, those that are wanted, each once. Rows that are as they should be
// are not written.
func setRows[T comparable](tx *Tx, have []T, dest func(*T) []any, wanted []T, remove, insert string,
	changed func(T)) error {
	missing := make(map[T]bool, len(wanted))
	for _, row := range wanted {
		missing[row] = true
	}
	for _, row := range have {
		if missing[row] {
			delete(missing, row)
			continue
		}
		changed(row)
		if _, err := tx.exec(remove, dest(&row)...); err != nil {
			return err
		}
	}
	for _, row := range wanted {
		if !missing[row] {
			continue
		}
		delete(missing, row)
		changed(row)
		if _, err := tx.exec(insert, dest(&row)...); err != nil {
			return err
		}
	}
	return nil
}

// judgedIn returns the rows of matchers and of files that a pipeline file has, without the marks of who shares them.
func judgedIn(pipeline int64, p *promotion.Pipeline) (wanted []matcher, owned []stageFile) {
	if p == nil {
		return nil, nil
	}
	for _, s := range p.Stages {
		key := StageKey{pipeline, s.Name}
		subjects := p.Subjects(s)
		for i := range subjects {
			wanted = append(wanted, matchersIn(key, &subjects[i], subjects[i].Verify, true)...)
			owned = append(owned, filesIn(key, &subjects[i])...)
		}
	}
	return wanted, owned
}

// keptIn returns the rows of the matchers that made the verdicts on what the stages of a pipeline host: new signals are
// judged by these as long as the verdicts stand (semantics 7.2).
func (ev evidence) keptIn(pipeline int64, p *promotion.Pipeline) (rows []matcher, err error) {
	if p == nil {
		return nil, nil
	}
	hosted, err := ev.tx.Deployments.Hosted(pipeline)
	if err != nil || len(hosted) == 0 {
		return nil, err
	}
	for i := range hosted {
		s := p.Stage(hosted[i].Stage)
		if s == nil {
			continue
		}
		targets := targetsOf(p, s)
		for k := range hosted[i].Results {
			result := &hosted[i].Results[k]
			if of, known := targets[result.Target]; known && result.Step > 0 {
				rows = append(rows, matchersIn(StageKey{pipeline, s.Name}, &of, result.By, false)...)
			}
		}
	}
	return rows, nil
}

// unlisted returns those of the matchers that verdicts keep which the pipeline file does not have.
func unlisted(kept, listed []matcher) []matcher {
	have := make(map[matcher]bool, len(listed))
	for _, m := range listed {
		m.listed = false
		have[m] = true
	}
	return slices.DeleteFunc(kept, func(m matcher) bool { return have[m] })
}

func matchersIn(key StageKey, of *promotion.Subject, list []promotion.Matcher, listed bool) (rows []matcher) {
	for i := range list {
		m := &list[i]
		rows = append(rows, matcher{
			key: key, target: of.Name, on: of.On, kind: m.Kind, pattern: m.Pattern, app: m.App,
			star: strings.Contains(m.Pattern, "*"), listed: listed,
		})
	}
	return rows
}

func filesIn(key StageKey, of *promotion.Subject) (rows []stageFile) {
	add := func(path string, folder bool) { rows = append(rows, stageFile{key, of.Name, of.On, path, folder}) }
	for _, c := range of.Changes {
		add(c.Path, false)
	}
	for _, c := range of.Copies {
		add(c.Path, true)
	}
	return rows
}

// judgeAnew makes the ways of some stages and targets as if their matchers and files had always been the present ones,
// as far as the facts are known, and asks for a look at GitHub for the rest: signals that no matcher named were not
// kept, nor those that may judge a promotion which is open.
func (ev evidence) judgeAnew(pipeline int64, p *promotion.Pipeline, changed map[owner]bool) error {
	hosts := false
	for _, s := range p.Stages {
		key := StageKey{pipeline, s.Name}
		deployments, err := list(ev.tx, deploymentDest, `SELECT `+deploymentColumns+` FROM deployments WHERE pipeline = $1
			AND stage = $2 AND left_at IS NULL`,
			pipeline, s.Name)
		if err != nil {
			return err
		}
		targets := targetsOf(p, s)
		if !hosts && changes(changed, key) {
			if hosts, err = ev.promotes(key); err != nil {
				return err
			}
		}
		for _, a := range judgedBy(deployments) {
			subject, known := targets[a.Target]
			if !known || !changed[owner{key, a.Target}] {
				continue
			}
			hosts = true
			if err := ev.redo(key, a, subject.On); err != nil {
				return err
			}
			if err := ev.tx.Stages.Touch(key); err != nil {
				return err
			}
		}
	}
	if !hosts {
		return nil
	}
	return ev.tx.Clocks.AskResync(pipeline)
}

// changes reports whether one of some stages and targets is of a stage.
func changes(some map[owner]bool, key StageKey) bool {
	for o := range some {
		if o.key == key {
			return true
		}
	}
	return false
}

// promotes reports whether a promotion into a stage has not ended.
func (ev evidence) promotes(key StageKey) (bool, error) {
	return ev.tx.one([]any{new(int64)}, `SELECT number FROM promotions WHERE pipeline = $1 AND stage = $2
		AND ended_at IS NULL LIMIT 1`, key.Pipeline, key.Stage)
}

// redo makes one way anew.
func (ev evidence) redo(key StageKey, a promotion.Arrival, on promotion.Branch) error {
	if err := ev.endWays(key, a); err != nil {
		return err
	}
	if err := ev.beginWay(key, a, on); err != nil {
		return err
	}
	_, err := ev.tx.exec(`DELETE FROM digests WHERE repo = $1 AND sha = $2`, on.Repo, a.Commit)
	if err == nil {
		_, err = ev.tx.exec(`DELETE FROM digests WHERE repo = $1 AND sha IN (SELECT u.after_sha FROM ways w
			JOIN pushes u ON u.repo = w.repo AND u.branch = w.branch AND u.chain = w.chain AND u.position > w.first
				AND u.position <= w.last
			WHERE w.pipeline = $2 AND w.stage = $3 AND w.target = $4 AND w.commit_sha = $5)`,
			on.Repo, key.Pipeline, key.Stage, a.Target, a.Commit)
	}
	return err
}
