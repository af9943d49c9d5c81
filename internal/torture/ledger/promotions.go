package ledger

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

func (p Promo) Progress() (at progress) {
	_ = json.Unmarshal([]byte(p.Rollout), &at) // without one it is null
	return at
}

// GoesTo reports whether a promotion is to update a target: it goes to all, or to some only.
func (p Promo) GoesTo(target string) bool {
	return p.Only == "null" || p.Only == "[]" || strings.Contains(p.Only, `"`+target+`"`)
}

// Paused reports whether somebody has paused the rollout of a promotion.
func (p Promo) Paused() bool { return p.Progress().PausedByID != 0 }

// leaves returns which targets of a rollout a merge must not touch that a hand is about to make: by what had been
// decided when it began the pipeline file has let go of them, somebody held them, or has left them out.
func (h Sight) leaves(r *Rollout) (all []string) {
	in := h.Heeds.Stage(r.Stage.Name)
	skipped := h.Saw.Promotions[r.Promotion].Progress().Skipped
	for _, t := range r.Stage.Targets {
		held := slices.ContainsFunc(h.kept, func(o Hold) bool { return o.Stage == r.Stage.Name && o.Target == t })
		if held || !slices.Contains(in.Targets, t) || slices.Contains(skipped, t) {
			all = append(all, t)
		}
	}
	return all
}

// Stops reports whether a hold concerns a promotion.
func (o Hold) Stops(p Promo) bool {
	return (o.Stage == "" || o.Stage == p.Stage) && !(p.Class == "rollback" && o.bot)
}

// Records is what the database says, read without any of the program's code.
type Records struct {
	Promotions map[int64]Promo
	Holds      []Hold // of whole stages
	Kept       []Hold // of single targets
}

// Hold is a row of holds that has not been lifted.
type Hold struct {
	ID    int64
	Stage string // "": all of them
	bot   bool
	until sql.NullInt64

	Target string // "": the whole stage
}

// ForNow are the words with which GitHub refuses something for a moment.
const ForNow = "the stars do not allow it"

// Promo is a row of promotions.
type Promo struct {
	Number                                               int64
	Stage, Warehouse, Freight, Name, Class, State, Cause string
	Automatic, Repairs                                   bool
	freightAt, freightNumber                             int64
	Merged                                               sql.NullInt64
	MergeSHA                                             string
	Rollout, Only                                        string
	version                                              int64
}

var Ranks = map[string]int{"rollback": 0, "manual": 1, "automatic": 2}

func (p Promo) Ended() bool {
	switch p.State {
	case "queued", "running", "waiting-for-merge", "verifying":
		return false
	}
	return true
}

func (p Promo) Active() bool { return !p.Ended() && p.State != "queued" }

// NewerThan reports whether the freight of p comes after that of q in their warehouse.
func (p Promo) NewerThan(q Promo) bool {
	return p.freightAt > q.freightAt || p.freightAt == q.freightAt && p.freightNumber > q.freightNumber
}

// Sight is what a step of a worker could know when it began.
type Sight struct {
	Holds []Hold          // that stood
	kept  []Hold          // those of single targets that stood
	Heeds *shape.Pipeline // by which everything had been decided; nil: not everything had
	Saw   Records         // that there were
}
