package pages

import (
	"context"
	"fmt"
	"net/http"
)

// Fleet is the clusters of a stage, and what Waybill makes of them.
type Fleet interface {
	Rollout(context.Context) (Rollout, error)
	SetTemper(cluster string, to Temper) error
}

// Rollout is how freight comes to the clusters of a stage.
type Rollout struct {
	Stage   string
	Freight string // that came last; "": none has
	Title   string // how it stands, as its check run says
	Pull    string // the address of its newest pull request
	Holds   []string
	Batches []Batch
}

// Batch is the clusters that are updated together, and how fast.
type Batch struct {
	Name, Pace string
	Clusters   []Cluster
}

// Cluster is one of them: what runs there, and what its file says.
type Cluster struct {
	Name, Runs, Wants string
	Health            Health
	Temper            Temper
	Standing, Why     string // what Waybill says of it; "": nothing yet
}

// Health is what the cluster says of itself.
type Health string

// The states of a cluster. A missing one has no file.
const (
	Healthy  Health = "healthy"
	Syncing  Health = "syncing"
	Degraded Health = "degraded"
	Missing  Health = "missing"
)

// Temper is how a cluster takes what is new.
type Temper string

// The tempers: it takes it, it takes its time, it does not take it.
const (
	Well   Temper = "well"
	Slow   Temper = "slow"
	Broken Temper = "broken"
)

// Tone is how its state looks.
func (c Cluster) Tone() tone {
	return map[Health]tone{Healthy: good, Syncing: going, Degraded: bad}[c.Health]
}

// Says is what Waybill's word for it looks like.
func (c Cluster) Says() tone {
	return map[string]tone{"verified": good, "updating": going, "failed": bad}[c.Standing]
}

// Tempers are the ways to make it another.
func (c Cluster) Tempers() []change {
	return []change{
		{Well, "Works", c.Temper == Well}, {Slow, "Is slow", c.Temper == Slow}, {Broken, "Breaks", c.Temper == Broken},
	}
}

// change is a button that makes a cluster another.
type change struct {
	To    Temper
	Label string
	Is    bool
}

// clustersPage is the clusters of a stage.
type clustersPage struct {
	frame
	Rollout Rollout
}

func (s *site) clusters(w http.ResponseWriter, r *http.Request) {
	if s.Fleet == nil {
		s.missing(w, r)
		return
	}
	now, err := s.Fleet.Rollout(r.Context())
	if err != nil {
		s.refuse(w, r, "/", fmt.Errorf("look at the clusters: %w", err))
		return
	}
	s.show(w, http.StatusOK, "clusters", clustersPage{s.frame(r, "Clusters", ""), now})
}

// temper makes a cluster another, which is nobody's permission: the clusters are played, too.
func (s *site) temper(w http.ResponseWriter, r *http.Request) {
	if s.Fleet == nil {
		s.missing(w, r)
		return
	}
	to := Temper(r.FormValue("temper"))
	if to != Well && to != Slow && to != Broken {
		s.refuse(w, r, clustersPath, fmt.Errorf("make a cluster %q: it can be well, slow or broken", to))
		return
	}
	if err := s.Fleet.SetTemper(r.PathValue("cluster"), to); err != nil {
		s.refuse(w, r, clustersPath, err)
		return
	}
	goTo(w, r, clustersPath)
}

// clustersPath is where they are shown.
const clustersPath = ownPrefix + "clusters"
