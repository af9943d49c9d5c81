package ledger

import (
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"waybill/internal/torture/shape"
)

// progress is the state of a rollout in the database.
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
	_ = json.Unmarshal([]byte(p.Rollout), &at) // null without a rollout
	return at
}

// GoesTo reports whether a promotion is to update a target: it goes to all of them, or only to some.
func (p Promo) GoesTo(target string) bool {
	return p.Only == "null" || p.Only == "[]" || strings.Contains(p.Only, `"`+target+`"`)
}

// Paused reports whether a person has paused the rollout of a promotion.
func (p Promo) Paused() bool { return p.Progress().PausedByID != 0 }

// leaves returns the targets of a rollout that the next merge of the worker must not touch. When the worker began, they
// had left the pipeline file, were held, or were left out.
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
	return (o.Stage == "" || o.Stage == p.Stage) && (o.Warehouse == "" || o.Warehouse == p.Warehouse) &&
		!(p.Class == "rollback" && o.bot)
}

// Records is the content of the database, read without any of the program's code.
type Records struct {
	Promotions map[int64]Promo
	Holds      []Hold // of whole stages
	Kept       []Hold // of single targets
	Rounds     map[int64]Round
}

// Round is how often the commit of a promotion, or of its present step, has been planned and has come too late.
type Round struct {
	Step, Plan, Built, Late int
	First                   int           // the first round of the step whose commit was shown
	Refused                 int           // how many commits of the step GitHub refused because they were out of date
	At                      sql.NullInt64 // of the plan
	Asked                   sql.NullInt64 // when the plan was asked for
	Repo, Branch            string
	Base                    string // the head of the branch on which the plan was made
}

// renumbered returns the records with the numbers that promotions have in later ones. One that had not begun in a copy
// of the database has another number there, behind the gap of numbers that a lost database may have given.
func (r Records) renumbered(later Records) Records {
	same := Records{Promotions: maps.Clone(r.Promotions), Holds: r.Holds, Kept: r.Kept}
	for number, was := range r.Promotions {
		for other, is := range later.Promotions {
			_, still := later.Promotions[number]
			_, before := r.Promotions[other]
			was.Number, was.version = other, is.version
			if !still && !before && other > number+1000 && was == is && (is.State == "queued" || is.State == "running") {
				delete(same.Promotions, number)
				same.Promotions[other] = was
			}
		}
	}
	return same
}

// Hold is a row of holds that has not been lifted.
type Hold struct {
	ID    int64
	Stage string // "": all of them
	bot   bool
	until sql.NullInt64

	Target    string // "": the whole stage
	Warehouse string // "": freight of all
}

// ForNow is the message with which GitHub refuses a request for a moment.
const ForNow = "the stars do not allow it"

// NotGranted is with what Waybill says that GitHub has refused something because of a permission.
const NotGranted = "the App lacks "

// Promo is a row of promotions.
type Promo struct {
	Number                                               int64
	Stage, Warehouse, Freight, Name, Class, State, Cause string
	Automatic, Repairs                                   bool
	Early                                                bool // it waits until its freight is available (Q19)
	freightAt, freightNumber                             int64
	Merged                                               sql.NullInt64
	MergeSHA                                             string
	Rollout, Only                                        string
	By                                                   string // who asked for it; "": nobody
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

// What says which freight the promotion brings into which stage.
func (p Promo) What() string { return p.Name + " into " + p.Stage }

// NewerThan reports whether the freight of p comes after that of q in their warehouse.
func (p Promo) NewerThan(q Promo) bool {
	return p.freightAt > q.freightAt || p.freightAt == q.freightAt && p.freightNumber > q.freightNumber
}

// Sight is the state that a worker's step could see when it began.
type Sight struct {
	Holds []Hold          // holds of whole stages in force
	kept  []Hold          // holds of single targets in force
	Heeds *shape.Pipeline // the pipeline in force; nil if a stage waited for a decision
	Saw   Records         // the records of the database

	Guarding []Guarding
}

// Guarding is a stage that guards its files, and why nobody had better change them now.
type Guarding struct {
	Stage *shape.Stage
	Why   string
}
