package store_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/verify"
	"waybill/store"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestEvidenceIsWhatWouldBeGathered plays signals and pushes of GitHub in any order, some of them twice and some pushes
// also in larger steps, while freight comes and goes, the pipeline file changes, and another pipeline has files on the
// branch now and then. The evidence that was recorded step
// by step must equal the evidence gathered from all of them at once.
func TestEvidenceIsWhatWouldBeGathered(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := &world{T: t, Assertions: require.New(r), clock: &clock{now: start}}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(r, err)
		db, err := store.Open(context.Background(), "sqlite://"+filepath.Join(dir, "waybill.db"),
			store.Options{Clock: w.clock.Now})
		require.NoError(r, err)
		defer func() { require.NoError(r, db.Close()) }()
		w.store, w.pipeline = db, verifiedPipeline(r)
		w.save(row(), w.pipeline)
		w.settle()
		g := drawTold(r)
		told := 0
		tell := func() {
			g.order[told](w)
			told++
			w.compare(r, g)
		}
		brought := map[string]promotion.Number{}
		number := promotion.Number(0)
		var other *promotion.Pipeline
		for told < len(g.order) {
			switch rapid.IntRange(0, 9).Draw(r, "next") {
			case 0: // a merge deploys freight to a stage and replaces the old freight
				stage := rapid.SampledFrom([]string{dev, prod}).Draw(r, "stage")
				number++
				w.replace(stage, brought[stage], number, rapid.SampledFrom(g.heads).Draw(r, "commit"))
				brought[stage] = number
				w.compare(r, g)
			case 1:
				switch rapid.IntRange(0, 7).Draw(r, "file") {
				case 0, 1:
					w.pipeline = verifiedPipeline(r)
					w.save(row(), w.pipeline)
				case 2, 3:
					if other = nil; rapid.Bool().Draw(r, "other") {
						other = otherOn(verifiedPipeline(r), promotion.Branch{Repo: home, Name: rapid.SampledFrom([]string{
							"main", "live"}).Draw(r, "branch")})
					}
					w.save(otherRow(), other)
				default:
					continue
				}
				w.settle()
				w.compare(r, g)
				w.compareCommon(r, other)
			default:
				tell()
			}
		}
	})
}

// verifiedPipeline is the sample pipeline with some matchers and files.
func verifiedPipeline(r *rapid.T) *promotion.Pipeline {
	p := samplePipeline()
	for _, s := range []*promotion.Stage{p.Stage(dev), p.Stage(prod)} {
		s.Targets[0].Verify, s.Targets[0].Changes, s.Targets[0].Copies = nil, nil, nil
		for _, pattern := range rapid.SampledFrom([][]string{{"smoke"}, {"e2e*"}, {"smoke", "e2e/a"}, {"*"},
			{"e2e/b"}}).Draw(r, "verify") {
			s.Targets[0].Verify = append(s.Targets[0].Verify, promotion.Matcher{Kind: promotion.KindCheck, Pattern: pattern,
				App: "github-actions"})
		}
		s.Targets[0].Changes = []promotion.Change{{Path: rapid.SampledFrom([]string{"a/x.yaml", "a/y.yaml", "z.yaml"}).Draw(r,
			"path")}}
		if rapid.Bool().Draw(r, "copies") {
			s.Targets[0].Copies = []promotion.Copy{{Path: rapid.SampledFrom([]string{"b", "b/c"}).Draw(r, "folder"),
				Warehouse: "api"}}
		}
	}
	return p
}

// otherOn has all files of a pipeline on a branch of another repository than its home.
func otherOn(p *promotion.Pipeline, on promotion.Branch) *promotion.Pipeline {
	p.Home = otherRow().Repo
	for _, s := range p.Stages {
		s.Files = on
	}
	return p
}

func otherRow() store.PipelineRow {
	r := row()
	r.ID, r.Repo = quiet, "acme/other"
	return r
}

// compareCommon compares what a snapshot says of the matchers that another pipeline has, too, with the pipelines.
func (w *world) compareCommon(r *rapid.T, other *promotion.Pipeline) {
	var theirs []promotion.Matcher
	main := promotion.Branch{Repo: home, Name: "main"}
	if other != nil && other.Stage(dev).Files == main {
		theirs = slices.Concat(other.Stage(dev).Targets[0].Verify, other.Stage(prod).Targets[0].Verify)
	}
	for _, stage := range []string{dev, prod} {
		var common []promotion.Common
		for _, m := range w.pipeline.Stage(promotion.StageName(stage)).Targets[0].Verify {
			if slices.ContainsFunc(theirs, func(o promotion.Matcher) bool { return m.Overlaps(&o) }) {
				common = append(common, promotion.Common{On: main, Matched: m.Matches()})
			}
		}
		require.ElementsMatch(r, common, w.snapshot(stage).Common, stage)
	}
}

// told is the pushes and signals of GitHub, and the order in which Waybill receives them.
type told struct {
	heads  []promotion.SHA
	pushes []promotion.Push // in the order of the branch
	order  []func(*world)

	heardPushes  map[promotion.SHA]bool // by their After commit
	heardSignals map[int64]promotion.Signal
	heardSuites  map[int64]promotion.Suite
}

func drawTold(r *rapid.T) *told {
	g := &told{heads: []promotion.SHA{"h0"}, heardPushes: map[promotion.SHA]bool{},
		heardSignals: map[int64]promotion.Signal{}, heardSuites: map[int64]promotion.Suite{}}
	paths := []string{"README.md", "docs/x.md", "a/x.yaml", "a/y.yaml", "z.yaml", "b/d.txt", "b/c/e.txt"}
	for i := range rapid.IntRange(1, 8).Draw(r, "pushes") {
		before, after := promotion.SHA(fmt.Sprint("h", i)), promotion.SHA(fmt.Sprint("h", i+1))
		g.heads = append(g.heads, after)
		p := promotion.Push{Repo: home, Branch: "main", Before: before, After: after,
			At: start.Add(time.Duration(i) * time.Minute)}
		p.Paths = rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 1, 2, rapid.ID).Draw(r, "paths")
		g.pushes = append(g.pushes, p)
		g.tell(r, func(w *world) {
			g.heardPushes[p.After] = true
			w.pushOf(p)
		})
	}
	for i := range rapid.IntRange(1, 12).Draw(r, "runs") {
		suite := int64(50 + rapid.IntRange(0, 3).Draw(r, "suite"))
		s := check(int64(i+1), rapid.SampledFrom(g.heads).Draw(r, "sha"), rapid.SampledFrom([]string{"success",
			"failure", "cancelled"}).Draw(r, "state"))
		s.Suite, s.Name = suite, rapid.SampledFrom([]string{"smoke", "e2e/a", "e2e/b", "lint"}).Draw(r, "name")
		g.tell(r, func(w *world) {
			g.heardSignals[s.ID] = s
			w.signal(s)
		})
	}
	for id := int64(50); id < 54; id++ {
		s := promotion.Suite{Repo: home, ID: id, SHA: "h0", App: "github-actions", Branch: "main", Completed: true}
		g.tell(r, func(w *world) {
			g.heardSuites[s.ID] = s
			w.suite(s)
		})
	}
	g.order = rapid.Permutation(g.order).Draw(r, "order")
	if n := len(g.pushes); n > 1 && rapid.Bool().Draw(r, "at once") {
		// A late webhook has all pushes in one step.
		whole := g.pushes[0]
		whole.After = g.pushes[n-1].After
		g.order = append(g.order, func(w *world) { w.False(w.pushOf(whole), "nothing new") })
	}
	return g
}

// tell appends an event to the order, sometimes twice.
func (g *told) tell(r *rapid.T, happens func(*world)) {
	g.order = append(g.order, happens)
	if rapid.IntRange(0, 4).Draw(r, "twice") == 0 {
		g.order = append(g.order, happens)
	}
}

// compare compares the recorded evidence of each stage with the evidence gathered from all received signals.
func (w *world) compare(r *rapid.T, g *told) {
	pushes := slices.DeleteFunc(slices.Clone(g.pushes),
		func(p promotion.Push) bool { return !g.heardPushes[p.After] })
	signals, suites := slices.Collect(maps.Values(g.heardSignals)), slices.Collect(maps.Values(g.heardSuites))
	for _, stage := range []string{dev, prod} {
		s := w.snapshot(stage)
		lasting := *s
		lasting.Deployments = slices.DeleteFunc(slices.Clone(s.Deployments), promotion.Deployment.Ended)
		require.Equal(r, verify.Gather(&lasting, signals, suites, pushes), s.Evidence, stage)
	}
}

// pushOf records a push.
func (w *world) pushOf(p promotion.Push) (fresh bool) {
	w.update(func(tx *store.Tx) (err error) {
		fresh, err = tx.Branches.RecordPush(p)
		return err
	})
	return fresh
}

// replace deploys freight to a stage with a commit, in place of other freight.
func (w *world) replace(stage string, old, n promotion.Number, commit promotion.SHA) {
	if old != 0 {
		w.leave(stage, old)
	}
	w.clock.advance(time.Second)
	w.host(stage, n, w.merge(int(n)), commit)
}
