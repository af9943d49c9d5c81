package core

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"waybill/promotion"
)

// github is the outside: what is really so, whether or not Waybill has heard of it.
type github struct {
	home    promotion.Repo
	branch  string
	files   map[string]string                    // of the home repository's branch
	others  map[promotion.Repo]map[string]string // of the branches of other repositories
	trees   map[promotion.SHA]map[string]string  // the files of each commit
	heads   map[branchOf]promotion.SHA
	pushes  []promotion.Push
	sources []source // pull requests of warehouses, merged
	pushed  []pushed
	tagged  []tagged // releases and tags
	images  []promotion.Image
	dates   map[promotion.SHA]time.Time
	labels  map[pullOf][]string
	pulls   []*pull // of ours
	runs    []*run  // that promotions have started
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

type branchOf struct {
	repo   promotion.Repo
	branch string
}

type pullOf struct {
	repo   promotion.Repo
	number int
}

// source is a merged pull request of a warehouse's repository.
type source struct {
	repo   promotion.Repo
	branch string
	number int
	sha    promotion.SHA
	at     time.Time
	files  []string
	labels []string
	author promotion.Actor
}

// pushed is a push to any branch; its Count is how many there have been.
type pushed struct {
	repo   promotion.Repo
	branch string
	files  []string
	promotion.Head
}

// pull is a pull request of ours.
type pull struct {
	promotion.Pull
	writes   map[string]*string // path to contents; nil deletes
	base     int                // how many pushes the home branch had seen when its commit was made
	baseSHA  promotion.SHA
	promoted promotion.Number
	step     int   // of its rollout
	round    int64 // of the plan that its commit was made by
}

func newGitHub(home promotion.Repo, branch string, files map[string]string, hear func(fact)) *github {
	return &github{
		home: home, branch: branch, files: files, hear: hear,
		others: map[promotion.Repo]map[string]string{}, trees: map[promotion.SHA]map[string]string{},
		heads: map[branchOf]promotion.SHA{}, labels: map[pullOf][]string{}, dates: map[promotion.SHA]time.Time{},
		suiteIndex: map[suiteOf]int{}, environments: map[string]bool{}, committed: map[promotion.EffectKey]promotion.SHA{},
	}
}

// commit returns the name of a new commit.
func (g *github) commit() promotion.SHA {
	g.commits++
	sum := sha256.Sum256(fmt.Appendf(nil, "commit %d", g.commits))
	return promotion.SHA(hex.EncodeToString(sum[:20]))
}

// head returns the head of a branch.
func (g *github) head(repo promotion.Repo, branch string) promotion.SHA {
	key := branchOf{repo, branch}
	if g.heads[key] == "" {
		g.heads[key] = g.commit()
	}
	return g.heads[key]
}

// filesOf returns the files of a repository.
func (g *github) filesOf(repo promotion.Repo) map[string]string {
	if repo == g.home {
		return g.files
	}
	if g.others[repo] == nil {
		g.others[repo] = map[string]string{}
	}
	return g.others[repo]
}

// push puts a new commit on a branch and returns it.
func (g *github) push(repo promotion.Repo, branch string, paths []string, now time.Time) promotion.SHA {
	p := promotion.Push{
		Repo: repo, Branch: branch, Before: g.head(repo, branch), After: g.commit(), At: now, Paths: paths,
	}
	g.heads[branchOf{repo, branch}], g.dates[p.After] = p.After, now
	g.trees[p.After] = maps.Clone(g.filesOf(repo))
	if repo == g.home && branch == g.branch {
		g.pushes = append(g.pushes, p)
		g.hear(inTurn(pushFact(p), g.filesFact(paths...)))
	}
	g.pushed = append(g.pushed, pushed{repo, branch, paths, promotion.Head{SHA: p.After, At: now, Count: len(g.pushed) + 1}})
	g.hear(pushedFact(g.pushed[len(g.pushed)-1]))
	return p.After
}

// mergeSource merges a pull request into a branch that a warehouse watches.
func (g *github) mergeSource(s source) {
	s.labels = g.labels[pullOf{s.repo, s.number}]
	if s.repo != g.home || s.branch == g.branch {
		for _, f := range s.files {
			g.filesOf(s.repo)[f] += fmt.Sprintf("# by pull request %d\n", s.number)
		}
	}
	s.sha = g.push(s.repo, s.branch, s.files, s.at)
	g.sources = append(g.sources, s)
	g.hear(sourceFact(s))
	g.look(s.at)
}

// sourceSHA returns the merge commit of the source pull request merged last with that number.
func (g *github) sourceSHA(number int) (promotion.SHA, bool) {
	for _, s := range slices.Backward(g.sources) {
		if s.number == number {
			return s.sha, true
		}
	}
	return "", false
}

// pushFiles changes files of the home repository's branch without a pull request.
func (g *github) pushFiles(changed map[string]string, now time.Time) {
	maps.Copy(g.files, changed)
	g.push(g.home, g.branch, sortedKeys(changed), now)
	g.look(now)
}

// pullNumbers of our pull requests begin here, above everything that stories call #N.
const pullNumbers = 100_000

// open makes a pull request of ours, or moves the branch of the one that a promotion has to a new commit.
func (g *github) open(p promotion.Promotion, branch string, writes map[string]*string, now time.Time) *pull {
	it := g.pullFor(p.Number, p.Step())
	if it == nil {
		it = &pull{promoted: p.Number, step: p.Step(), Pull: promotion.Pull{
			Repo: g.home, Number: pullNumbers + len(g.pulls), Head: branch, Base: g.branch, State: promotion.PullOpen,
		}}
		g.pulls = append(g.pulls, it)
	}
	it.HeadSHA, it.writes, it.base, it.baseSHA = g.commit(), writes, len(g.pushes), g.head(g.home, g.branch)
	g.changed(it, now)
	return it
}

// pullFor returns the pull request of a promotion, or of a step of it, or nil.
func (g *github) pullFor(n promotion.Number, step int) *pull {
	for _, p := range g.pulls {
		if p.promoted == n && p.step == step {
			return p
		}
	}
	return nil
}

// merge merges an open pull request of ours; it reports whether the base had no other change to the same files.
func (g *github) merge(p *pull, by promotion.Actor, now time.Time) bool {
	if g.conflicts(p) {
		return false
	}
	g.write(p.writes)
	p.State, p.By, p.MergedAt = promotion.PullMerged, by, now
	p.MergeSHA = g.push(g.home, g.branch, sortedKeys(p.writes), now)
	g.changed(p, now)
	g.look(now)
	return true
}

// write changes files of the home repository.
func (g *github) write(files map[string]*string) {
	for path, contents := range files {
		if contents == nil {
			delete(g.files, path)
			continue
		}
		g.files[path] = *contents
	}
}

// commitOf returns the commit that an effect has put on the branch of the stages, if it has.
func (g *github) commitOf(effect promotion.EffectKey) (sha promotion.SHA, found bool) {
	sha, found = g.committed[effect]
	return sha, found
}

// commitDirectly puts a commit on the branch of the stages without a pull request.
func (g *github) commitDirectly(effect promotion.EffectKey, files map[string]*string, now time.Time) promotion.SHA {
	g.write(files)
	g.committed[effect] = g.push(g.home, g.branch, sortedKeys(files), now)
	g.look(now)
	return g.committed[effect]
}

// close closes an open pull request of ours.
func (g *github) close(p *pull, by promotion.Actor, now time.Time) {
	p.State, p.By = promotion.PullClosed, by
	g.changed(p, now)
}

// conflicts reports whether a push since the pull request's commit was made changed a file that it changes too.
func (g *github) conflicts(p *pull) bool {
	for _, push := range g.pushes[p.base:] {
		for _, path := range push.Paths {
			if _, both := p.writes[path]; both {
				return true
			}
		}
	}
	return false
}

// changed tells of a pull request of ours that has changed.
func (g *github) changed(p *pull, now time.Time) {
	p.Updated = now
	p.Revision++
	p.Conflicts = p.State == promotion.PullOpen && g.conflicts(p)
	g.hear(pullFact(p.Pull))
}

// look works out anew which open pull requests can be merged, after their base has moved.
func (g *github) look(now time.Time) {
	for _, p := range g.pulls {
		if p.State == promotion.PullOpen {
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
