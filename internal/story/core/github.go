package core

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"waybill/internal/story"
	"waybill/promotion"
)

// github is the outside: what is really so, whether or not Waybill has heard of it.
type github struct {
	home    promotion.Branch                       // that the pipeline lives on
	files   map[promotion.Branch]map[string]string // of the head of each branch
	trees   map[promotion.SHA]map[string]string    // the files of each commit
	heads   map[promotion.Branch]promotion.SHA
	pushes  []promotion.Push
	sources []*source // pull requests of warehouses
	pushed  []pushed
	tagged  []tagged // releases and tags
	images  []promotion.Image
	dates   map[promotion.SHA]time.Time
	pulls   []*pullRequest // of ours
	runs    []*run         // that promotions have started
	// committed are the commits that effects have put on the branch of the stages without a pull request.
	committed map[promotion.EffectKey]promotion.SHA
	signals   []promotion.Signal
	suites    []promotion.Suite
	// suiteIndex finds a suite by what it is called.
	suiteIndex   map[suiteOf]int
	environments map[string]bool
	commits      int // how many there are, so that each gets a name of its own
	nextID       int64

	// hear is called with everything that a webhook would tell.
	hear func(fact)
}

// source is a pull request of a warehouse's repository, as somebody wrote it.
type source struct {
	story.Pull
	into   promotion.Branch
	sha    promotion.SHA // of its merge; empty: it is open
	at     time.Time     // of its merge
	files  []string
	labels []string
	author promotion.Actor
}

// pushed is a push to any branch; its Count is how many there have been.
type pushed struct {
	on    promotion.Branch
	files []string
	promotion.Head
}

// pullRequest is a pull request of ours.
type pullRequest struct {
	promotion.Pull
	on       promotion.Branch   // that it was made for; its base may have been changed since
	writes   map[string]*string // path to contents; nil deletes
	base     int                // how many pushes there had been when its commit was made
	baseSHA  promotion.SHA
	promoted promotion.Number
	step     int   // of its rollout
	round    int64 // of the plan that its commit was made by
}

func newGitHub(p *promotion.Pipeline, files map[string]string, hear func(fact)) *github {
	g := &github{
		home: p.At(), hear: hear, files: map[promotion.Branch]map[string]string{p.At(): maps.Clone(files)},
		trees: map[promotion.SHA]map[string]string{}, heads: map[promotion.Branch]promotion.SHA{},
		dates: map[promotion.SHA]time.Time{}, suiteIndex: map[suiteOf]int{}, environments: map[string]bool{},
		committed: map[promotion.EffectKey]promotion.SHA{},
	}
	for _, s := range p.Stages {
		for _, on := range p.BranchesOf(s) {
			if on != g.home {
				g.furnish(on, p.On(s, on), files)
			}
		}
	}
	return g
}

// furnish puts the files of a stage where the stage has them. A branch that is what the freight is begins as the one
// that the pipeline lives on.
func (g *github) furnish(on promotion.Branch, s *promotion.Stage, files map[string]string) {
	there := g.filesOf(on)
	for path, text := range files {
		if s.Whole() || s.Touches(path) {
			there[path] = text
		}
	}
}

// commit returns the name of a new commit.
func (g *github) commit() promotion.SHA {
	g.commits++
	sum := sha256.Sum256(fmt.Appendf(nil, "commit %d", g.commits))
	return promotion.SHA(hex.EncodeToString(sum[:20]))
}

// head returns the head of a branch.
func (g *github) head(on promotion.Branch) promotion.SHA {
	if g.heads[on] == "" {
		g.heads[on] = g.commit()
		g.trees[g.heads[on]] = maps.Clone(g.filesOf(on))
	}
	return g.heads[on]
}

// filesOf returns the files of a branch. One that is new has those of the branch that the pipeline lives on, if it is
// in that repository.
func (g *github) filesOf(on promotion.Branch) map[string]string {
	if g.files[on] == nil {
		g.files[on] = map[string]string{}
		if on.Repo == g.home.Repo {
			maps.Copy(g.files[on], g.files[g.home])
		}
	}
	return g.files[on]
}

// push puts a new commit on a branch and returns it. The files have been written.
func (g *github) push(on promotion.Branch, paths []string, now time.Time) promotion.SHA {
	p := promotion.Push{Repo: on.Repo, Branch: on.Name, Before: g.head(on), After: g.commit(), At: now, Paths: paths}
	g.heads[on], g.dates[p.After] = p.After, now
	g.trees[p.After] = maps.Clone(g.filesOf(on))
	g.pushes = append(g.pushes, p)
	g.hear(inTurn(pushFact(p), g.filesFact(on, paths...)))
	g.pushed = append(g.pushed, pushed{on, paths, promotion.Head{SHA: p.After, At: now, Count: len(g.pushed) + 1}})
	g.hear(pushedFact(g.pushed[len(g.pushed)-1]))
	return p.After
}

// source returns a pull request of a warehouse's repository; nil if there is none.
func (g *github) source(pull story.Pull) *source {
	for _, s := range slices.Backward(g.sources) {
		if s.Pull == pull {
			return s
		}
	}
	return nil
}

// mergeSource merges a pull request into a branch that a warehouse watches.
func (g *github) mergeSource(s *source, now time.Time) {
	for _, f := range s.files {
		g.filesOf(s.into)[f] += fmt.Sprintf("# by pull request %d\n", s.Number)
	}
	s.at, s.sha = now, g.push(s.into, s.files, now)
	g.hear(sourceFact(*s))
	g.look(s.into, now)
}

// sourceSHA returns the merge commit of the source pull request merged last with that number.
func (g *github) sourceSHA(number int) (promotion.SHA, bool) {
	for _, s := range slices.Backward(g.sources) {
		if s.Number == number && s.sha != "" {
			return s.sha, true
		}
	}
	return "", false
}

// pushFiles changes files of a branch without a pull request. Files that are nil go.
func (g *github) pushFiles(on promotion.Branch, changed map[string]*string, now time.Time) promotion.SHA {
	g.write(on, changed)
	sha := g.push(on, sortedKeys(changed), now)
	g.look(on, now)
	return sha
}

// pullNumbers of our pull requests begin here, above everything that stories call #N.
const pullNumbers = 100_000

// open makes a pull request of ours, or moves the branch of the one that a promotion has to a new commit.
func (g *github) open(
	p promotion.Promotion, on promotion.Branch, branch string, writes map[string]*string, now time.Time,
) *pullRequest {
	it := g.pullFor(p.Number, p.Step())
	if it == nil {
		it = &pullRequest{promoted: p.Number, step: p.Step(), on: on, Pull: promotion.Pull{
			Repo: on.Repo, Number: pullNumbers + len(g.pulls), Head: branch, Base: on.Name, State: promotion.PullOpen,
		}}
		g.pulls = append(g.pulls, it)
	}
	it.HeadSHA, it.writes, it.base, it.baseSHA = g.commit(), writes, len(g.pushes), g.head(on)
	g.changed(it, now)
	return it
}

// pullFor returns the pull request of a promotion, or of a step of it, or nil.
func (g *github) pullFor(n promotion.Number, step int) *pullRequest {
	for _, p := range g.pulls {
		if p.promoted == n && p.step == step {
			return p
		}
	}
	return nil
}

// merge merges an open pull request of ours; it reports whether the base had no other change to the same files.
func (g *github) merge(p *pullRequest, by promotion.Actor, now time.Time) bool {
	if g.conflicts(p) {
		return false
	}
	into := p.into()
	g.write(into, p.writes)
	p.State, p.By, p.MergedAt = promotion.PullMerged, by, now
	p.MergeSHA = g.push(into, sortedKeys(p.writes), now)
	g.changed(p, now)
	g.look(into, now)
	return true
}

// into is the branch that a pull request is to be merged into.
func (p *pullRequest) into() promotion.Branch { return promotion.Branch{Repo: p.Repo, Name: p.Base} }

// head is the branch that a pull request comes from.
func (p *pullRequest) head() promotion.Branch { return promotion.Branch{Repo: p.Repo, Name: p.Head} }

// pushOnto puts a commit of somebody else on the branch of a pull request of ours.
func (g *github) pushOnto(p *pullRequest, files map[string]*string, now time.Time) {
	p.writes = maps.Clone(p.writes)
	maps.Copy(p.writes, files)
	p.HeadSHA = g.commit()
	g.changed(p, now)
}

// write changes files of a branch.
func (g *github) write(on promotion.Branch, files map[string]*string) {
	for path, contents := range files {
		if contents == nil {
			delete(g.filesOf(on), path)
			continue
		}
		g.filesOf(on)[path] = *contents
	}
}

// commitOf returns the commit that an effect has put on the branch of the stages, if it has.
func (g *github) commitOf(effect promotion.EffectKey) (sha promotion.SHA, found bool) {
	sha, found = g.committed[effect]
	return sha, found
}

// commitDirectly puts a commit on the branch of the stages without a pull request.
func (g *github) commitDirectly(
	effect promotion.EffectKey, on promotion.Branch, files map[string]*string, now time.Time,
) promotion.SHA {
	g.committed[effect] = g.pushFiles(on, files, now)
	return g.committed[effect]
}

// close closes an open pull request of ours.
func (g *github) close(p *pullRequest, by promotion.Actor, now time.Time) {
	p.State, p.By = promotion.PullClosed, by
	g.changed(p, now)
}

// conflicts reports whether a push to its base since the pull request's commit was made changed a file that it changes
// too.
func (g *github) conflicts(p *pullRequest) bool {
	for _, push := range g.pushes[p.base:] {
		if push.On() != p.into() {
			continue
		}
		for _, path := range push.Paths {
			if _, both := p.writes[path]; both {
				return true
			}
		}
	}
	return false
}

// changed tells of a pull request of ours that has changed.
func (g *github) changed(p *pullRequest, now time.Time) {
	p.Updated = now
	p.Revision++
	p.Conflicts = p.State == promotion.PullOpen && g.conflicts(p)
	g.hear(pullFact(p.Pull))
}

// look works out anew which open pull requests can be merged, after their base has moved.
func (g *github) look(base promotion.Branch, now time.Time) {
	for _, p := range g.pulls {
		if p.State == promotion.PullOpen && p.into() == base {
			g.changed(p, now)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
