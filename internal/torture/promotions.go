package torture

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"waybill/internal/torture/shape"
)

// progress is what the database says of a rollout.
type progress struct {
	Batches []struct {
		Name    string
		Targets []string
		AtOnce  int
		Wait    int64
	}
	Step                            int
	Targets, Waiting, Gone, Skipped []string
	PausedByID                      int64
}

func (p promo) progress() (at progress) {
	_ = json.Unmarshal([]byte(p.rollout), &at) // without one it is null
	return at
}

// goesTo reports whether a promotion is to update a target: it goes to all, or to some only.
func (p promo) goesTo(target string) bool {
	return p.only == "null" || p.only == "[]" || strings.Contains(p.only, `"`+target+`"`)
}

// paused reports whether somebody has paused the rollout of a promotion.
func (p promo) paused() bool { return p.progress().PausedByID != 0 }

// leaves returns which targets of a rollout a merge must not touch that a hand is about to make: by what had been
// decided when it began the pipeline file has let go of them, somebody held them, or has left them out.
func (h sight) leaves(r *rollout) (all []string) {
	in := h.heeds.Stage(r.stage.Name)
	skipped := h.saw.promotions[r.promotion].progress().Skipped
	for _, t := range r.stage.Targets {
		held := slices.ContainsFunc(h.kept, func(o hold) bool { return o.stage == r.stage.Name && o.target == t })
		if held || !slices.Contains(in.Targets, t) || slices.Contains(skipped, t) {
			all = append(all, t)
		}
	}
	return all
}

// stops reports whether a hold concerns a promotion.
func (o hold) stops(p promo) bool {
	return (o.stage == "" || o.stage == p.stage) && !(p.class == "rollback" && o.bot)
}

// records is what the database says, read without any of the program's code.
type records struct {
	promotions map[int64]promo
	holds      []hold // of whole stages
	kept       []hold // of single targets
}

// hold is a row of holds that has not been lifted.
type hold struct {
	id    int64
	stage string // "": all of them
	bot   bool
	until sql.NullInt64

	target string // "": the whole stage
}

// promo is a row of promotions.
type promo struct {
	number                                               int64
	stage, warehouse, freight, name, class, state, cause string
	automatic, repairs                                   bool
	freightAt, freightNumber                             int64
	merged                                               sql.NullInt64
	mergeSHA                                             string
	rollout, only                                        string
	version                                              int64
}

var ranks = map[string]int{"rollback": 0, "manual": 1, "automatic": 2}

func (p promo) ended() bool {
	switch p.state {
	case "queued", "running", "waiting-for-merge", "verifying":
		return false
	}
	return true
}

func (p promo) active() bool { return !p.ended() && p.state != "queued" }

// newerThan reports whether the freight of p comes after that of q in their warehouse.
func (p promo) newerThan(q promo) bool {
	return p.freightAt > q.freightAt || p.freightAt == q.freightAt && p.freightNumber > q.freightNumber
}

// sight is what a step of a worker could know when it began.
type sight struct {
	holds []hold          // that stood
	kept  []hold          // those of single targets that stood
	heeds *shape.Pipeline // by which everything had been decided; nil: not everything had
	saw   records         // that there were
}
