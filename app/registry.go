package app

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// registry holds the compiled pipelines by the id of their home repository. It does not hear of files that another
// process takes over until this one reads their rows: several replicas would each have to look before they take in a
// delivery.
type registry struct {
	policy ServerPolicy
	resync time.Duration

	mu  sync.RWMutex
	all map[int64]compiled
}

// compiled is a pipeline as its files were at one time.
type compiled struct {
	row      store.PipelineRow
	pipeline *promotion.Pipeline
}

func newRegistry(policy ServerPolicy, resync time.Duration) *registry {
	return &registry{policy: policy, resync: resync, all: map[int64]compiled{}}
}

// compiled returns what a stored pipeline means.
func (r *registry) compiled(row store.PipelineRow) (*promotion.Pipeline, error) {
	r.mu.RLock()
	c, known := r.all[row.ID]
	r.mu.RUnlock()
	if known && c.of(row) {
		return c.pipeline, nil
	}
	if len(row.Config) == 0 {
		return without(row), nil
	}
	p, problems := r.load(row)
	if err := problems.Err(); err != nil {
		return nil, fmt.Errorf("compile the stored pipeline of %s: %w", row.Repo, err)
	}
	r.put(row, p)
	return p, nil
}

// without is what a pipeline means that has no file, or has never had a good one: a place without stages.
func without(row store.PipelineRow) *promotion.Pipeline {
	return &promotion.Pipeline{ID: row.ID, Home: row.Repo, Branch: row.Branch}
}

// put remembers what a stored pipeline means.
func (r *registry) put(row store.PipelineRow, p *promotion.Pipeline) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[row.ID] = compiled{row: row, pipeline: p}
}

// of reports whether c was compiled from the files of the row.
func (c compiled) of(row store.PipelineRow) bool {
	return c.row.Repo == row.Repo && c.row.Branch == row.Branch &&
		bytes.Equal(c.row.Config, row.Config) && bytes.Equal(c.row.Policy, row.Policy) && bytes.Equal(c.row.Found, row.Found)
}

// load compiles the files of a pipeline under the server's policy.
func (r *registry) load(row store.PipelineRow) (*promotion.Pipeline, config.Problems) {
	return config.Load(config.Sources{
		Home: row.Repo, ID: row.ID, Branch: row.Branch, Pipeline: row.Config, Policy: row.Policy, Found: foundIn(row),
		ServerPolicyName: r.policy.Name, ServerPolicy: r.policy.Text, Resync: r.resync,
	})
}

// subscriber is a warehouse that takes something of a repository.
type subscriber struct {
	pipeline  int64
	warehouse *promotion.Warehouse
}

// subscribers returns the warehouses that take what is merged into a branch.
func (r *registry) subscribers(repo promotion.Repo, branch string) []subscriber {
	return r.wanting(func(w *promotion.Warehouse) bool {
		return w.Kind == promotion.FromPulls && w.Repo == repo && w.Branch == branch
	})
}

// subscribersFrom returns the warehouses that take what is pushed to a branch.
func (r *registry) subscribersFrom(repo promotion.Repo, branch string) []subscriber {
	return r.wanting(func(w *promotion.Warehouse) bool {
		return w.Kind == promotion.FromPushes && w.Repo == repo && w.Branch == branch
	})
}

// subscribersOf returns the warehouses that take a release or tag of a repository by its version.
func (r *registry) subscribersOf(kind promotion.WarehouseKind, repo promotion.Repo, tag string) []subscriber {
	return r.wanting(func(w *promotion.Warehouse) bool {
		if w.Kind != kind || w.Repo != repo {
			return false
		}
		_, takes := w.Versions.Of(tag)
		return takes
	})
}

// reportedOf returns the pipelines that take reports of a repository's commits, by the names of their homes.
func (r *registry) reportedOf(repo promotion.Repo) (all []compiled) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, c := range r.all {
		if slices.ContainsFunc(c.pipeline.Warehouses, func(w *promotion.Warehouse) bool { return w.Kind == promotion.FromReports && w.Repo == repo }) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b compiled) int { return cmp.Compare(a.row.Repo, b.row.Repo) })
	return all
}

// awaiting returns the warehouses whose freight waits for an image.
func (r *registry) awaiting(image string) []subscriber {
	return r.wanting(func(w *promotion.Warehouse) bool {
		return slices.ContainsFunc(w.Images, func(a promotion.Awaited) bool { return a.Image == image })
	})
}

func (r *registry) wanting(takes func(*promotion.Warehouse) bool) []subscriber {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var found []subscriber
	for id, c := range r.all {
		for _, w := range c.pipeline.Warehouses {
			if takes(w) {
				found = append(found, subscriber{id, w})
			}
		}
	}
	return found
}

// on returns the pipelines that have files of stages on a branch, or live there.
func (r *registry) on(b promotion.Branch) []compiled {
	return r.those(func(c compiled) bool { return slices.Contains(c.pipeline.Everywhere(), b) })
}

// guarding returns the pipelines of which a stage guards its files in a repository.
func (r *registry) guarding(repo promotion.Repo) []compiled {
	return r.those(func(c compiled) bool {
		return slices.ContainsFunc(c.pipeline.GuardedBranches(), func(b promotion.Branch) bool { return b.Repo == repo })
	})
}

// writingTo returns the pipelines of which a stage has its files in a repository.
func (r *registry) writingTo(repo promotion.Repo) []compiled {
	return r.those(func(c compiled) bool {
		return slices.ContainsFunc(c.pipeline.Stages, func(s *promotion.Stage) bool { return c.pipeline.WritesTo(s, repo) })
	})
}

// those returns the pipelines of which something is true, in the order of their ids.
func (r *registry) those(is func(compiled) bool) (all []compiled) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, c := range r.all {
		if is(c) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b compiled) int { return cmp.Compare(a.row.ID, b.row.ID) })
	return all
}

// meant returns the pipeline that a command means when it is given in a repository: one that lives there, takes freight
// from there or writes there. Where several do, it is the only one that has the stage; if that does not tell, the
// command comes back with its trouble. There is none if nobody has a pipeline there. A pipeline that is meant by its id
// is not looked for.
func (r *registry) meant(
	id int64, repo promotion.Repo, c promotion.Command,
) (store.PipelineRow, *promotion.Pipeline, promotion.Command) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if one, known := r.all[id]; known {
		return one.row, one.pipeline, c
	}
	var near, having []compiled
	for _, one := range r.all {
		if !one.pipeline.Names(repo) {
			continue
		}
		near = append(near, one)
		if one.pipeline.Stage(c.Stage) != nil {
			having = append(having, one)
		}
	}
	if len(having) == 1 {
		near = having
	}
	if len(near) == 0 {
		return store.PipelineRow{}, nil, c
	}
	slices.SortFunc(near, func(a, b compiled) int { return cmp.Compare(a.row.ID, b.row.ID) })
	if len(near) > 1 {
		c.Trouble = "more than one pipeline takes part here; ask in the repository of one: " + homes(near)
	}
	return near[0].row, near[0].pipeline, c
}

// living returns the id of the pipeline that lives in a repository; 0 if none does.
func (r *registry) living(repo promotion.Repo) int64 {
	for _, one := range r.those(func(c compiled) bool { return c.row.Repo == repo }) {
		return one.row.ID
	}
	return 0
}

func homes(all []compiled) string {
	var names []string
	for _, one := range all {
		names = append(names, string(one.row.Repo))
	}
	return strings.Join(names, ", ")
}

// near returns the pipelines that something in a repository may concern of which only the id is known, and whether one
// of them lives there. One that names repositories of several owners may mean any installation.
func (r *registry) near(at place) (ids []int64, lives bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for id, c := range r.all {
		home := id == at.repository
		beside := c.row.Installation == at.installation && (at.repository == 0 || len(c.pipeline.Elsewhere()) > 0)
		if home || beside || names(c.pipeline, func(o string) bool { return !strings.EqualFold(o, owner(c.row.Repo)) }) {
			ids = append(ids, id)
		}
		lives = lives || home
	}
	slices.Sort(ids)
	return ids, lives
}

// names reports whether a pipeline names another repository whose owner is one of some.
func names(p *promotion.Pipeline, some func(owner string) bool) bool {
	return slices.ContainsFunc(p.Elsewhere(), func(f promotion.Foreign) bool { return some(owner(f.Repo)) })
}

// telling returns the pipelines that tell Slack anything, by the names of their homes.
func (r *registry) telling() (all []compiled) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, c := range r.all {
		if slices.ContainsFunc(c.pipeline.Stages, func(s *promotion.Stage) bool { return s.Slack != "" }) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b compiled) int { return cmp.Compare(a.row.Repo, b.row.Repo) })
	return all
}

// told returns the home of the pipeline that a command in Slack means: of those that tell Slack anything, the only one
// that has the stage, and tells this channel if several have it; else the only one there is. "" if that does not tell.
func (r *registry) told(channel string, stage promotion.StageName) promotion.Repo {
	var all, having, here []promotion.Repo
	for _, c := range r.telling() {
		all = append(all, c.row.Repo)
		if s := c.pipeline.Stage(stage); s != nil {
			having = append(having, c.row.Repo)
			if s.Slack == channel {
				here = append(here, c.row.Repo)
			}
		}
	}
	for _, some := range [][]promotion.Repo{having, here, all} {
		if len(some) == 1 {
			return some[0]
		}
	}
	return ""
}
