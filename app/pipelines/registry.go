package pipelines

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// Registry holds the compiled pipelines by the id of their home repository. Other processes may take over pipeline
// files: call Follow before looking for pipelines here.
type Registry struct {
	policy ServerPolicy
	Resync time.Duration

	follows sync.Mutex // held while pipelines of other processes are compiled: that is done once

	mu   sync.RWMutex
	all  map[int64]Compiled
	seen int64 // the writes of pipelines that are in all, as Store.PipelinesSince counts them
}

// Compiled is a pipeline and the row from which it was compiled.
type Compiled struct {
	Row      store.PipelineRow
	Pipeline *promotion.Pipeline

	awaited map[promotion.Repo][]promotion.Matcher
}

// New returns an empty registry. resync is the interval of pipelines that do not set one.
func New(policy ServerPolicy, resync time.Duration) *Registry {
	return &Registry{policy: policy, Resync: resync, all: map[int64]Compiled{}}
}

// Compiled returns the meaning of a stored pipeline. It returns an error if the stored files cannot be compiled.
func (r *Registry) Compiled(row store.PipelineRow) (*promotion.Pipeline, error) {
	r.mu.RLock()
	c, known := r.all[row.ID]
	r.mu.RUnlock()
	if known && c.hasFilesOf(row) {
		return c.Pipeline, nil
	}
	if len(row.Config) == 0 {
		if known {
			r.Put(row, Empty(row))
		}
		return Empty(row), nil
	}
	p, problems := config.Load(r.sources(row, &config.Meter{}))
	if err := problems.Err(); err != nil {
		return nil, fmt.Errorf("compile the stored pipeline of %s: %w", row.Repo, err)
	}
	r.Put(row, p)
	return p, nil
}

// Follow has the pipelines known as they are stored: another process may have taken over their files. What cannot be
// compiled stays as it was, and the doctor says so.
func (r *Registry) Follow(ctx context.Context, s *store.Store) error {
	seen := r.written()
	rows, now, err := s.PipelinesSince(ctx, seen)
	if err != nil || now == seen {
		return err
	}
	r.follows.Lock()
	defer r.follows.Unlock()
	if now <= r.written() {
		return nil // somebody else has followed meanwhile
	}
	for _, row := range rows {
		if p, err := r.Compiled(row); err == nil && len(row.Config) > 0 {
			r.Put(row, p)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = max(r.seen, now)
	return nil
}

// written returns the writes of pipelines that are known here.
func (r *Registry) written() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.seen
}

// Empty returns the meaning of a pipeline that has no usable file: a pipeline without stages.
func Empty(row store.PipelineRow) *promotion.Pipeline {
	return &promotion.Pipeline{ID: row.ID, Home: row.Repo, Branch: row.Branch}
}

// Put keeps the meaning of a stored pipeline.
func (r *Registry) Put(row store.PipelineRow, p *promotion.Pipeline) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[row.ID] = Compiled{Row: row, Pipeline: p, awaited: awaitedBy(p)}
}

// hasFilesOf reports whether c was compiled from the files of the row.
func (c Compiled) hasFilesOf(row store.PipelineRow) bool {
	return c.Row.Repo == row.Repo && c.Row.Branch == row.Branch &&
		bytes.Equal(c.Row.Config, row.Config) && bytes.Equal(c.Row.Policy, row.Policy) && bytes.Equal(c.Row.Found, row.Found)
}

// OwnerValues is how many values the pipelines of one owner may have together. All pipelines in force are in memory.
const OwnerValues = 3_000_000

// Load compiles files of a pipeline that are to be put in force, under the server's policy. It refuses them if the
// owner would have more than OwnerValues.
func (r *Registry) Load(row store.PipelineRow) (*promotion.Pipeline, config.Problems) {
	return r.LoadWithin(row, &config.Meter{})
}

// LoadWithin compiles the files of a pipeline as Load does, if they cost no more than a meter lets them.
func (r *Registry) LoadWithin(row store.PipelineRow, meter *config.Meter) (*promotion.Pipeline, config.Problems) {
	p, problems := config.Load(r.sources(row, meter))
	if problems.Err() != nil {
		return p, problems
	}
	if others := r.valuesBeside(row); others+p.Values > OwnerValues {
		problems = append(problems, config.TooMuchOfOwner(row.Repo.Owner(), p.Values, others, OwnerValues))
	}
	return p, problems
}

// valuesBeside returns how many values the other pipelines of the owner of one have.
func (r *Registry) valuesBeside(row store.PipelineRow) (n int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for id, c := range r.all {
		if id != row.ID && c.Row.Repo.Owner() == row.Repo.Owner() {
			n += c.Pipeline.Values
		}
	}
	return n
}

// Check returns the mistakes in files that anybody may propose, as far as they can be told without the repository, and
// as a meter lets them be read.
func (r *Registry) Check(row store.PipelineRow, meter *config.Meter) config.Problems {
	return config.Check(r.sources(row, meter))
}

func (r *Registry) sources(row store.PipelineRow, meter *config.Meter) config.Sources {
	return config.Sources{
		Meter: meter,
		Home:  row.Repo, ID: row.ID, Branch: row.Branch, Pipeline: row.Config, Policy: row.Policy, Found: FoundIn(row),
		ServerPolicyName: r.policy.Name, ServerPolicy: r.policy.Text, Resync: r.Resync,
	}
}

// FoundIn returns what belongs to a stored pipeline beside its files in .github: its parts and inventories, and what
// its globs have found. An earlier version stored the latter alone.
func FoundIn(row store.PipelineRow) (found config.Found) {
	var globs map[string][]string
	if json.Unmarshal(row.Found, &globs) == nil {
		return config.Found{Globs: globs}
	}
	if json.Unmarshal(row.Found, &found) != nil {
		return config.Found{} // compiling it fails, because nobody has looked for them
	}
	return found
}

// ServerPolicy is the policy file of the server, if there is one.
type ServerPolicy struct {
	Name string // for messages
	Text []byte // nil: there is none
}
