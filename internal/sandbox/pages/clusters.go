package pages

import (
	"context"
	"fmt"
	"net/http"
)

// Fleet gives access to the clusters of a stage and to Waybill's state of them.
type Fleet interface {
	Rollout(context.Context) (Rollout, error)
	SetTemper(cluster string, to Temper) error
}

// Rollout is a rollout to the clusters of a stage.
type Rollout struct {
	Stage   string
	Freight string // the newest freight; "" if there is none
	Title   string // title of its check run
	Pull    string // URL of its newest pull request
	Holds   []string
	Batches []Batch
}

// Batch is a group of clusters that are updated together, and the pace.
type Batch struct {
	Name, Pace string
	Clusters   []Cluster
}

// Cluster is a cluster, with the version that runs (Runs) and the version in its file (Wants).
type Cluster struct {
	Name, Runs, Wants string
	Health            Health
	Temper            Temper
	Standing, Why     string // state of the target in Waybill; "" if it has none
}

// Health is the state that a cluster reports.
type Health string

// The states of a cluster. A missing cluster has no file.
const (
	Healthy  Health = "healthy"
	Syncing  Health = "syncing"
	Degraded Health = "degraded"
	Missing  Health = "missing"
)

// Temper is how a cluster reacts to an update.
type Temper string

// The tempers: the update succeeds, takes long, or fails.
const (
	Well   Temper = "well"
	Slow   Temper = "slow"
	Broken Temper = "broken"
)

// Tone returns the tone of the cluster's health.
func (c Cluster) Tone() tone {
	return map[Health]tone{Healthy: good, Syncing: going, Degraded: bad}[c.Health]
}

// Says returns the tone of the target's state in Waybill.
func (c Cluster) Says() tone {
	return map[string]tone{"verified": good, "updating": going, "failed": bad}[c.Standing]
}

// Tempers returns a button for each temper.
func (c Cluster) Tempers() []change {
	return []change{
		{Well, "Works", c.Temper == Well}, {Slow, "Is slow", c.Temper == Slow}, {Broken, "Breaks", c.Temper == Broken},
	}
}

// change is a button that sets the temper of a cluster.
type change struct {
	To    Temper
	Label string
	Is    bool
}

// clustersPage shows the clusters of a stage.
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

// temper sets the temper of a cluster. It needs no permission, because the clusters are simulated.
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

// clustersPath is the path of the page of the clusters.
const clustersPath = ownPrefix + "clusters"
