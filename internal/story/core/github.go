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

// github is the simulated GitHub. It holds the actual state, whether or not Waybill has received it.
type github struct {
	home    promotion.Branch                       // of the pipeline file
	files   map[promotion.Branch]map[string]string // of the head of each branch
	trees   map[promotion.SHA]map[string]string    // the files of each commit
	heads   map[promotion.Branch]promotion.SHA
	pushes  []promotion.Push
	sources []*source // source pull requests
	pushed  []pushed
	tagged  []tagged // releases and tags
	images  []promotion.Image
	dates   map[promotion.SHA]time.Time
	pulls   []*pullRequest // of promotions
	runs    []*run         // started by promotions
	// committed maps effects to the commits that they put on a branch without a pull request.
	committed map[promotion.EffectKey]promotion.SHA
	signals   []promotion.Signal
	suites    []promotion.Suite
	// suiteIndex maps the identity of a suite to its index in suites.
	suiteIndex   map[suiteOf]int
	environments map[string]bool
	commits      int // number of commits; each SHA is made from it
	nextID       int64

	// hear receives each webhook, as a fact.
	hear func(fact)
}

// source is a source pull request, written by a person.
type source struct {
	story.Pull
	into   promotion.Branch
	sha    promotion.SHA // of its merge; empty: it is open
	at     time.Time     // of its merge
	files  []string
	labels []string
	author promotion.Actor
}

// pushed is a push to any branch. Its Count is the number of pushes so far.
type pushed struct {
	on    promotion.Branch
	files []string
	promotion.Head
}

// pullRequest is a pull request of a promotion.
type pullRequest struct {
	promotion.Pull
	on       promotion.Branch   // its original base; people may change Base
	writes   map[string]*string // path to contents; nil deletes
	base     int                // number of pushes when its commit was made
	baseSHA  promotion.SHA
	promoted promotion.Number
	step     int   // of its rollout
	round    int64 // of the plan that its commit carries out
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

// furnish puts the files of a stage on a branch of the stage. A branch that promotions replace as a whole begins as a
// copy of the pipeline's branch.
func (g *github) furnish(on promotion.Branch, s *promotion.Stage, files map[string]string) {
	there := g.filesOf(on)
	for path, text := range files {
		if s.Whole() || s.Touches(path) {
			there[path] = text
		}
	}
}

// commit returns the SHA of a new commit.
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

// filesOf returns the files of a branch. A new branch begins with the files of the pipeline's branch, if both are in
// one repository.
func (g *github) filesOf(on promotion.Branch) map[string]string {
	if g.files[on] == nil {
		g.files[on] = map[string]string{}
		if on.Repo == g.home.Repo {
			maps.Copy(g.files[on], g.files[g.home])
		}
	}
	return g.files[on]
}

// push puts a new commit on a branch and returns its SHA. The caller has written the files before.
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

// source returns a source pull request, or nil.
func (g *github) source(pull story.Pull) *source {
	for _, s := range slices.Backward(g.sources) {
		if s.Pull == pull {
			return s
		}
	}
	return nil
}

// mergeSource merges a source pull request.
func (g *github) mergeSource(s *source, now time.Time) {
	for _, f := range s.files {
		g.filesOf(s.into)[f] += fmt.Sprintf("# by pull request %d\n", s.Number)
	}
	s.at, s.sha = now, g.push(s.into, s.files, now)
	g.hear(sourceFact(*s))
	g.look(s.into, now)
}

// sourceSHA returns the merge commit of the newest merged source pull request with that number.
func (g *github) sourceSHA(number int) (promotion.SHA, bool) {
	for _, s := range slices.Backward(g.sources) {
		if s.Number == number && s.sha != "" {
			return s.sha, true
		}
	}
	return "", false
}

// pushFiles changes files of a branch without a pull request. Files that are nil are deleted.
func (g *github) pushFiles(on promotion.Branch, changed map[string]*string, now time.Time) promotion.SHA {
	g.write(on, changed)
	sha := g.push(on, sortedKeys(changed), now)
	g.look(on, now)
	return sha
}

// pullNumbers is the number of the first pull request of a promotion, above the numbers that stories use.
const pullNumbers = 100_000

// open makes a pull request for a promotion, or moves the branch of the existing one to a new commit.
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
	it.shows(g.commit(), now)
	it.writes, it.base, it.baseSHA = writes, len(g.pushes), g.head(on)
	g.changed(it, now)
	return it
}

// shows moves the head of a pull request.
func (p *pullRequest) shows(head promotion.SHA, now time.Time) {
	p.Replaced = p.HeadSHA != ""
	p.HeadSHA, p.HeadAt, p.HeadHeard = head, now, now
}

// pullFor returns the pull request of a step of a promotion, or nil.
func (g *github) pullFor(n promotion.Number, step int) *pullRequest {
	for _, p := range g.pulls {
		if p.promoted == n && p.step == step {
			return p
		}
	}
	return nil
}

// merge merges an open pull request of a promotion. It returns false if the pull request conflicts with its base.
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

// into returns the branch that a pull request is to be merged into.
func (p *pullRequest) into() promotion.Branch { return promotion.Branch{Repo: p.Repo, Name: p.Base} }

// head returns the branch that a pull request comes from.
func (p *pullRequest) head() promotion.Branch { return promotion.Branch{Repo: p.Repo, Name: p.Head} }

// pushOnto puts a person's commit on the branch of a promotion's pull request.
func (g *github) pushOnto(p *pullRequest, files map[string]*string, now time.Time) {
	p.writes = maps.Clone(p.writes)
	maps.Copy(p.writes, files)
	p.shows(g.commit(), now)
	g.changed(p, now)
}

// write changes files of a branch. Files that are nil are deleted.
func (g *github) write(on promotion.Branch, files map[string]*string) {
	for path, contents := range files {
		if contents == nil {
			delete(g.filesOf(on), path)
			continue
		}
		g.filesOf(on)[path] = *contents
	}
}

// commitOf returns the commit that an effect has put on a branch without a pull request, if it has.
func (g *github) commitOf(effect promotion.EffectKey) (sha promotion.SHA, found bool) {
	sha, found = g.committed[effect]
	return sha, found
}

// commitDirectly puts the commit of an effect on a branch without a pull request.
func (g *github) commitDirectly(
	effect promotion.EffectKey, on promotion.Branch, files map[string]*string, now time.Time,
) promotion.SHA {
	g.committed[effect] = g.pushFiles(on, files, now)
	return g.committed[effect]
}

// close closes an open pull request of a promotion.
func (g *github) close(p *pullRequest, by promotion.Actor, now time.Time) {
	p.State, p.By = promotion.PullClosed, by
	g.changed(p, now)
}

// conflicts reports whether a push to the base, made after the pull request's commit, changed one of its files.
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

// changed computes the mergeability of a pull request that has changed, and sends its webhook.
func (g *github) changed(p *pullRequest, now time.Time) {
	p.Updated = now
	p.Revision++
	p.Conflicts = p.State == promotion.PullOpen && g.conflicts(p)
	g.hear(pullFact(p.Pull))
}

// look computes the mergeability of the open pull requests anew, after their base has moved.
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
