package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/sandbox/pages"
)

// fleet simulates the clusters of prod. Each folder in clusters/ on the main branch is a cluster, and Argo CD updates
// it to the version in its file. The state of an update is reported on the commit that changed the file.
type fleet struct {
	github *githubsim.Server
	took   time.Duration // duration of an update
	waits  func() bool   // whether updates wait for a person to end them

	mu       sync.Mutex
	clusters []*cluster // in the order of their paths
	head     string     // head of the main branch at the last poll
}

// cluster is a cluster and its last update.
type cluster struct {
	pages.Cluster
	commit string    // the commit that the cluster is updated to
	since  time.Time // start of the update
}

// slowness multiplies the update time of a slow cluster.
const slowness = 20

func newFleet(github *githubsim.Server, took time.Duration, waits func() bool) *fleet {
	f := &fleet{github: github, took: took, waits: waits}
	f.read(time.Time{})
	return f
}

// run polls the main branch and the clusters until the context ends.
func (f *fleet) run(ctx context.Context) {
	for pause(ctx, glance) {
		f.look(time.Now())
	}
}

// look reads the main branch and moves each update on.
func (f *fleet) look(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read(now)
	for _, c := range f.clusters {
		if c.Health == pages.Syncing {
			f.sync(c, now)
		}
	}
}

// read lists the clusters again if the head of the main branch has changed, and starts an update of those with another
// version.
func (f *fleet) read(now time.Time) {
	head := f.github.Head(deployRepo, "main")
	if head == f.head {
		return
	}
	f.head = head
	var there []*cluster
	for _, path := range f.github.Files(deployRepo, head) {
		name, found := strings.CutPrefix(path, "clusters/")
		name, values := strings.CutSuffix(name, "/values.yaml")
		if !found || !values {
			continue
		}
		text, _ := f.github.File(deployRepo, head, path)
		there = append(there, f.renew(name, tagIn(text), now))
	}
	f.clusters = there
}

// renew returns the cluster with this name. It starts an update if the version in its file has changed. A new cluster
// is healthy with the version in its file.
func (f *fleet) renew(name, tag string, now time.Time) *cluster {
	c := f.cluster(name)
	switch {
	case c == nil:
		return &cluster{
			Cluster: pages.Cluster{Name: name, Runs: tag, Wants: tag, Health: pages.Healthy, Temper: pages.Well}, commit: f.head,
		}
	case c.Wants != tag:
		c.Wants, c.commit = tag, f.head
		f.begin(c, now)
	}
	return c
}

func (f *fleet) cluster(name string) *cluster {
	i := slices.IndexFunc(f.clusters, func(c *cluster) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return f.clusters[i]
}

func (f *fleet) begin(c *cluster, now time.Time) {
	c.Health, c.since = pages.Syncing, now
	f.report(c, "pending", "syncing")
}

// sync ends the update of a cluster after its duration, or when a person has set the commit status.
func (f *fleet) sync(c *cluster, now time.Time) {
	took := f.took
	if c.Temper == pages.Slow {
		took *= slowness
	}
	switch said := statusOf(f.github, c.commit, c.signal()); {
	case said == "success":
		c.Health, c.Runs = pages.Healthy, c.Wants
	case said == "failure":
		c.Health = pages.Degraded
	case f.waits() || now.Sub(c.since) < took:
	case c.Temper == pages.Broken:
		c.Health = pages.Degraded
		f.report(c, "failure", "degraded: the new pods do not become ready")
	default:
		c.Health, c.Runs = pages.Healthy, c.Wants
		f.report(c, "success", "healthy")
	}
}

// signal returns the name of the cluster's commit status.
func (c *cluster) signal() string { return "argocd/" + c.Name }

func (f *fleet) report(c *cluster, state, description string) {
	_ = f.github.CreateStatus(deployRepo, c.commit, argo, c.signal(), state, description) // the sandbox may be closing
}

// SetTemper sets how a cluster reacts to updates. A degraded cluster that is no longer broken is updated again.
func (f *fleet) SetTemper(name string, to pages.Temper) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.cluster(name)
	if c == nil {
		return fmt.Errorf("change %s: there is no such cluster", name)
	}
	c.Temper = to
	if c.Health == pages.Degraded && to != pages.Broken {
		f.begin(c, time.Now())
	}
	return nil
}

// shown returns the clusters by name.
func (f *fleet) shown() map[string]pages.Cluster {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[string]pages.Cluster{}
	for _, c := range f.clusters {
		all[c.Name] = c.Cluster
	}
	return all
}
