package api

import (
	"slices"
	"strconv"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
	"waybill/store"
)

// Pipelines is a page of the pipelines that the caller may read.
type Pipelines struct {
	Pipelines []PipelineHead `json:"pipelines" doc:"by the name of the home repository"`
	Next      string         `json:"next,omitempty" doc:"the cursor of the next page; without it this is the last"`
}

// PipelineHead is the part of a pipeline that needs no look at its stages.
type PipelineHead struct {
	Repo        string      `json:"repo" doc:"the home repository, owner/name"`
	Branch      string      `json:"branch" doc:"its default branch, with the files of stages that name no other"`
	ConfigSHA   string      `json:"configSha" doc:"the commit that the pipeline files were last read at"`
	ConfigError string      `json:"configError,omitempty" doc:"the mistake in them; the last good ones stay in force"`
	InForce     bool        `json:"inForce" doc:"whether pipeline files are in force: not if never good, or gone"`
	Warehouses  []Warehouse `json:"warehouses" doc:"where its freight comes from"`
	StageNames  []string    `json:"stageNames" doc:"in the order of the file"`
	Groups      []string    `json:"groups,omitempty" doc:"the words that name several of them, such as group:prod"`
	Resync      Resync      `json:"resync" doc:"the regular reconciliation with GitHub"`
}

// Warehouse is where freight comes from.
type Warehouse struct {
	Name   string `json:"name" doc:"as the pipeline file calls it"`
	Kind   string `json:"kind" doc:"pull-requests, pushes, releases, tags or reports"`
	Repo   string `json:"repo" doc:"of this repository"`
	Branch string `json:"branch,omitempty" doc:"merged or pushed into this branch"`
}

// Resync is how the regular reconciliation of a pipeline goes.
type Resync struct {
	Every    string     `json:"every" doc:"how often, such as 10h0m0s"`
	Last     *time.Time `json:"last,omitempty" doc:"when the last complete one began; absent: there was none"`
	Due      time.Time  `json:"due" doc:"when the next one is due"`
	Failures int        `json:"failures" doc:"how many have failed since the last complete one"`
	Error    string     `json:"error,omitempty" doc:"why the latest failed"`
	Stale    *time.Time `json:"stale,omitempty" doc:"since when GitHub may know more; nothing is decided before a resync"`
	Unswept  bool       `json:"unswept,omitempty" doc:"missed webhooks are looked for first; nothing is decided before"`
}

// Pipeline is a pipeline and all of its stages.
type Pipeline struct {
	PipelineHead
	At     time.Time `json:"at" doc:"the time of this state"`
	Holds  []Hold    `json:"holds" doc:"that stop all stages"`
	Stages []Stage   `json:"stages" doc:"in the order of the file"`
	Off    []Off     `json:"off,omitempty" doc:"features that the App lacks a permission or an event for"`
}

// Off is a feature that is off.
type Off struct {
	Missing string `json:"missing" doc:"the permission with its level, such as Checks (write), or the event"`
	Event   bool   `json:"event,omitempty" doc:"it is an event"`
	Off     string `json:"off" doc:"what does not work, or comes late"`
	Says    string `json:"says" doc:"both in a sentence"`
}

// pipelines lists those that the caller may read. A page may have fewer than was asked for, and still not be the last:
// the cursor is of a pipeline that the caller may know nothing of.
func (s *Server) pipelines(c *call) (any, error) {
	var after promotion.Repo
	limit, err := c.limit()
	if text := c.URL.Query().Get("cursor"); err == nil && text != "" {
		err = s.veil.lift(text, &after)
	}
	if err != nil {
		return nil, err
	}
	var rows []store.PipelineRow
	stages := map[int64][]store.StageRow{}
	err = s.view(c.Context(), func(tx *store.Tx) error {
		if rows, err = tx.Pipelines.After(after, limit+1); err != nil {
			return err
		}
		for _, row := range rows {
			if stages[row.ID], err = tx.Stages.Of(row.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	page := Pipelines{Pipelines: []PipelineHead{}}
	if len(rows) > limit {
		rows = rows[:limit]
		page.Next = s.veil.hide(rows[limit-1].Repo)
	}
	for _, row := range rows {
		if s.may(c, row, Read) {
			p, trouble := s.compiled(row)
			page.Pipelines = append(page.Pipelines, head(row, p, trouble, stages[row.ID]))
		}
	}
	return page, nil
}

// onePipeline describes a pipeline, as it was at one moment.
func (s *Server) onePipeline(c *call) (any, error) {
	var answer Pipeline
	asked, err := c.stagesAsked()
	if err != nil {
		return nil, err
	}
	err = s.view(c.Context(), func(tx *store.Tx) error {
		rows, err := tx.Stages.Of(c.row.ID)
		if err != nil {
			return err
		}
		holds, err := tx.Ledger.Holds(c.row.ID)
		if err != nil {
			return err
		}
		answer = Pipeline{
			PipelineHead: head(c.row, c.pipeline, c.trouble, rows), At: tx.Now, Holds: []Hold{}, Stages: []Stage{},
		}
		for _, m := range s.adapter.Missing(c.row.ID) {
			answer.Off = append(answer.Off, Off{m.Name, m.Event, m.Off, say.Ungranted(m)})
		}
		for _, h := range holds {
			if h.Stage == "" && h.Stands(tx.Now) {
				answer.Holds = append(answer.Holds, holdOf(h))
			}
		}
		for _, row := range asked.among(inFile(rows, c.pipeline)) {
			stage, _, err := s.stage(tx, c, row)
			if err != nil {
				return err
			}
			answer.Stages = append(answer.Stages, stage)
		}
		return nil
	})
	return answer, err
}

// stagesAsked says which stages of a pipeline are described.
type stagesAsked struct {
	named map[promotion.StageName]bool // nil: all
	most  int                          // 0: any number
}

// stagesAsked reads which stages the caller wants. A word that names none is an error.
func (c *call) stagesAsked() (asked stagesAsked, err error) {
	query := c.URL.Query()
	if text := query.Get("most"); text != "" {
		if asked.most, err = strconv.Atoi(text); err != nil || asked.most < 1 {
			return asked, badRequest("most must be a number of stages from 1 on")
		}
	}
	word := query.Get("stages")
	if word == "" {
		return asked, nil
	}
	names, err := c.some(word)
	if err != nil {
		return asked, err
	}
	asked.named = map[promotion.StageName]bool{}
	for _, name := range names {
		asked.named[name] = true
	}
	return asked, nil
}

func (a stagesAsked) among(rows []store.StageRow) []store.StageRow {
	if a.named != nil {
		rows = slices.DeleteFunc(rows, func(r store.StageRow) bool { return !a.named[r.Key.Stage] })
	}
	if a.most > 0 {
		rows = rows[:min(a.most, len(rows))]
	}
	return rows
}

// head describes a pipeline without its stages. Trouble is why its stored files cannot be compiled.
func head(row store.PipelineRow, p *promotion.Pipeline, trouble error, stages []store.StageRow) PipelineHead {
	h := PipelineHead{
		Repo: string(row.Repo), Branch: row.Branch, ConfigSHA: string(row.ConfigSHA), ConfigError: row.ConfigError,
		Warehouses: []Warehouse{}, Resync: resyncOf(row),
		StageNames: list(inFile(stages, p), func(r store.StageRow) string { return string(r.Key.Stage) }),
	}
	if trouble != nil {
		h.ConfigError = trouble.Error()
	}
	if h.InForce = len(h.StageNames) > 0; h.InForce {
		h.Groups = command.Groups(p)
		h.Warehouses = list(p.Warehouses, func(w *promotion.Warehouse) Warehouse {
			return Warehouse{Name: string(w.Name), Kind: string(w.Kind), Repo: string(w.Repo), Branch: w.Branch}
		})
	}
	return h
}

// inFile returns the stages that the files in force have.
func inFile(rows []store.StageRow, p *promotion.Pipeline) []store.StageRow {
	if p == nil {
		return nil
	}
	has := make(map[promotion.StageName]bool, len(p.Stages))
	for _, s := range p.Stages {
		has[s.Name] = true
	}
	var in []store.StageRow
	for _, row := range rows {
		if row.Removed.IsZero() && has[row.Key.Stage] {
			in = append(in, row)
		}
	}
	return in
}

func resyncOf(row store.PipelineRow) Resync {
	return Resync{
		Every: row.ResyncEvery.String(), Last: when(row.Resynced), Due: row.ResyncDue.UTC(),
		Failures: row.ResyncFailures, Error: row.ResyncError, Stale: when(row.Stale),
		Unswept: row.Unswept,
	}
}
