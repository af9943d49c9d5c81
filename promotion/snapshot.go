package promotion

import (
	"fmt"
	"time"
)

// Snapshot is everything that a decision about one stage reads. It is gathered before deciding and never changed by it.
// Rows of other stages (Deployments of upstreams, pipeline-wide Holds) are included as far as this stage depends on
// them.
type Snapshot struct {
	Pipeline *Pipeline
	Stage    *Stage
	// Removed says that the pipeline file no longer has the stage; Stage then only carries its name.
	Removed bool
	// Freight holds the freight of the stage's warehouses in their order, oldest first: all that is newer than the newest
	// that was promoted here, and all that a promotion, a deployment or a request names; and what comes along with that,
	// as far as Brings tells it, where somebody may ask who has made it. Each warehouse's freight stands together.
	Freight []Freight
	// Records[i] is the history of the freight in the pipeline's i-th stage, in the order of Freight; nil for stages that
	// this one does not depend on.
	Records [][]Record
	// Promotions of this stage, in the order in which they were queued: all open ones, the latest that have ended, those
	// that open ones name, and those that brought what the stage hosts.
	Promotions []Promotion
	// Newest is, for each source of the stage, the newest freight that has had a promotion here, in any state. One that
	// waits until its freight is available does not count.
	Newest      []Mark
	Attempts    []Attempt    // of the promotions
	Pulls       []Pull       // of the attempts
	Reopened    []Reopened   // pull requests of promotions that have ended
	Rejections  []Rejection  // of effects that open promotions need, in the order in which these were decided
	Deployments []Deployment // in this stage, by the time they began: those that last, and the latest that have ended
	Evidence    []Evidence   // for the freight that the stage hosts, or is about to host
	Common      []Common     // what verifies the stage and stages of other pipelines on the same branch, too
	// of the stage's files, at most one of a branch; without one the values since the last promotion or push there are not
	// known
	Readings  []Reading
	Readiness *Readiness // of the stage's targets; nil: GitHub has never been asked
	Holds     []Hold     // of all stages of the pipeline and of the pipeline itself, those that have not been lifted
	// of all stages of the pipeline, those that have not been lifted, the newest last
	Rejects   []Reject
	Approvals []Approval // to this stage, those that have not been revoked; expired ones included
	Requests  []Request  // commands to this stage that have not been answered, in the order they came
	Next      Number     // the number that the next new promotion will get
	NextID    int64      // the id that the next new hold or approval will get
	NextPlace int64      // the place in the stage's queue that the next new promotion will get

	Look *lookup // an index of all this; of decisions only
}

// Mark is a place in a warehouse's order.
type Mark struct {
	Warehouse WarehouseName
	Merged    time.Time // as of Freight
	Number    int
}

// Shown returns the promotion that the stage shows: its active one, or else the latest; nil if there is none.
func (s *Snapshot) Shown() *Promotion {
	p := s.Active()
	if p == nil && len(s.Promotions) > 0 {
		p = &s.Promotions[len(s.Promotions)-1]
	}
	return p
}

// Seen names the promotion that the stage shows, with its plan; "" if there is none.
func (s *Snapshot) Seen() string {
	p := s.Shown()
	if p == nil {
		return ""
	}
	return s.Attempt(p.Number).Seen()
}

// Seen names the attempt with its plan.
func (a Attempt) Seen() string { return fmt.Sprintf("%d.%s", a.Promotion, a.PlanHash()) }

// NameOf returns the name of a freight of the snapshot.
func (s *Snapshot) NameOf(id FreightID) string {
	for i := range s.Freight {
		if s.Freight[i].ID == id {
			return s.Freight[i].Name
		}
	}
	for i := range s.Promotions {
		if s.Promotions[i].Freight.ID == id {
			return s.Promotions[i].Freight.Name
		}
	}
	return string(id)
}

// RollingBack returns the rollback that has not ended, or nil.
func (s *Snapshot) RollingBack() *Promotion {
	for i := range s.Promotions {
		if p := &s.Promotions[i]; p.Class == Rollback && !p.State.Ended() {
			return p
		}
	}
	return nil
}

// Contested reports whether one promotion may have to give way to another, or to newer freight: several have not ended,
// or the stage hosts newer freight than one of them brings.
func (s *Snapshot) Contested() bool {
	open := 0
	for i := range s.Promotions {
		p := &s.Promotions[i]
		if p.State.Ended() {
			continue
		}
		open++
		f, h := s.FreightAt(p.Freight.ID), s.Hosted(p.Freight.Warehouse)
		if f < 0 || h < 0 {
			continue
		}
		hosted := s.FreightAt(s.Deployments[h].Freight)
		if hosted >= 0 && s.Freight[f].Before(s.Freight[hosted]) {
			return true
		}
	}
	return open > 1
}

// Mark returns how far the stage has come in a warehouse's order.
func (s *Snapshot) Mark(warehouse WarehouseName) Mark {
	for _, m := range s.Newest {
		if m.Warehouse == warehouse {
			return m
		}
	}
	return Mark{Warehouse: warehouse}
}

// After reports whether f comes before the mark, that is, newer freight has been promoted.
func (m Mark) After(f *Freight) bool {
	if c := m.Merged.Compare(f.Merged); c != 0 {
		return c > 0
	}
	return m.Number > f.Number
}

// Before reports whether f comes after the mark, that is, is newer than everything promoted.
func (m Mark) Before(f *Freight) bool {
	if c := m.Merged.Compare(f.Merged); c != 0 {
		return c < 0
	}
	return m.Number < f.Number
}
