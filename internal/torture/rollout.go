package torture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// batch is a number of targets that are updated one step after the other.
type batch struct {
	name    string
	targets []string // none: those that no other batch names
	atOnce  string
	wait    time.Duration
	signed  int // how many people have to sign its first pull request off
}

func (s *stage) rolls() bool { return len(s.targets) > 0 }

// roll makes one of the stages consist of targets.
func (p *pipeline) roll(r *rand.Rand) {
	s := &p.stages[r.IntN(len(p.stages))]
	if s.passes || r.IntN(2) == 0 {
		s = &p.stages[0]
	}
	for i := range 3 + r.IntN(6) {
		s.targets = append(s.targets, fmt.Sprintf("t%d", i+1))
	}
	s.beyond, s.maxFailures = beyonds[r.IntN(len(beyonds))], max(0, r.IntN(4)-1)
	s.external, s.perTarget, s.settled = r.IntN(6) == 0, !s.direct && r.IntN(5) == 0, r.IntN(3) == 0
	s.batches = drawBatches(r, s)
	shared := r.IntN(4) == 0 && (s.perTarget || !slices.ContainsFunc(s.batches, func(b batch) bool { return b.atOnce != "1" }))
	for i := range s.verify {
		if !shared {
			s.verify[i].pattern = ofTarget(s.verify[i].pattern)
		}
	}
}

// ofTarget makes a pattern one that each target has for itself.
func ofTarget(pattern string) string {
	if name, star := strings.CutSuffix(pattern, "*"); star {
		return name + "-${target.name}-*"
	}
	return pattern + "-${target.name}"
}

// beyonds are what may become of a rollout in which more targets have failed than may.
var beyonds = []string{"pause", "pause", "rollback", "continue"}

// drawBatches distributes the targets of a stage over one to three batches. One that is driven from outside has one.
func drawBatches(r *rand.Rand, s *stage) (all []batch) {
	if s.external {
		return []batch{{name: "all", atOnce: "1"}}
	}
	targets := s.targets
	for n := r.IntN(3); n > 0 && len(targets) > 1; n-- {
		some := 1 + r.IntN(len(targets)/2)
		all = append(all, drawBatch(r, fmt.Sprintf("b%d", len(all)+1), targets[:some]))
		targets = targets[some:]
	}
	all = append(all, drawBatch(r, "rest", nil))
	if !s.direct && r.IntN(5) == 0 {
		all[r.IntN(len(all))].signed = 1
	}
	return all
}

func drawBatch(r *rand.Rand, name string, targets []string) batch {
	return batch{
		name: name, targets: targets, atOnce: []string{"1", "1", "2", "3", "50%", "100%"}[r.IntN(6)],
		wait: []time.Duration{0, 0, time.Minute, 10 * time.Minute}[r.IntN(4)],
	}
}

// in returns which of a stage's targets belong to a batch.
func (s *stage) in(b batch) []string {
	if b.targets != nil {
		return slices.DeleteFunc(slices.Clone(b.targets), func(t string) bool { return !slices.Contains(s.targets, t) })
	}
	return slices.DeleteFunc(slices.Clone(s.targets), func(t string) bool {
		return slices.ContainsFunc(s.batches, func(other batch) bool { return slices.Contains(other.targets, t) })
	})
}

// limit is how many targets of a batch may be unavailable.
func (s *stage) limit(b batch) int {
	if percent, is := strings.CutSuffix(b.atOnce, "%"); is {
		n, _ := strconv.Atoi(percent)
		return max(1, len(s.in(b))*n/100)
	}
	n, _ := strconv.Atoi(b.atOnce)
	return n
}

// batchOf is the index of the batch that a target belongs to; -1 if there is none.
func (s *stage) batchOf(target string) int {
	return slices.IndexFunc(s.batches, func(b batch) bool { return slices.Contains(s.in(b), target) })
}

// listed are the targets as the pipeline file lists them.
func (s *stage) listed() (all []string) {
	for _, t := range s.targets {
		if at := s.atOf(t); at != s.at() {
			t = fmt.Sprintf("{name: %s, files: {repo: %s, branch: %s}}", t, at.repo, at.branch)
		}
		all = append(all, t)
	}
	return all
}

// targetsText is what the pipeline file says of a stage's targets.
func (s *stage) targetsText() []string {
	if !s.rolls() {
		return nil
	}
	var all []string
	for _, b := range s.batches {
		text := fmt.Sprintf("{name: %s, at-once: %s, wait: %s", b.name, b.atOnce, b.wait)
		if b.targets != nil {
			text += fmt.Sprintf(", targets: [%s]", strings.Join(b.targets, ", "))
		}
		if b.signed > 0 {
			text += fmt.Sprintf(", approvals: %d", b.signed)
		}
		all = append(all, text+"}")
	}
	targets := "[" + strings.Join(s.listed(), ", ") + "]"
	if s.glob {
		targets = `"` + s.file("*") + `"`
	}
	rollout := "[" + strings.Join(all, ", ") + "]"
	if s.external {
		rollout = "external"
	}
	results := []string{
		"targets: " + targets, "rollout: " + rollout, fmt.Sprintf("max-failures: %d", s.maxFailures), "on-failure: " + s.beyond,
	}
	if s.ready {
		results = append(results, `ready: [{status: "up-${target.name}"}]`)
	}
	if s.perTarget {
		results = append(results, "pull-requests: target")
	}
	return results
}

// environment is in which environment what a stage, or a target of it, gets is a deployment.
func (s *stage) environment(target string) string {
	if s.settled {
		return s.name + "-" + target
	}
	return s.name
}

// fleet returns the stage that consists of targets, as people have written it down; nil if there is none.
func (w *World) fleet() *stage {
	for i := range w.pipeline.stages {
		if w.pipeline.stages[i].rolls() {
			return &w.pipeline.stages[i]
		}
	}
	return nil
}

// changeTargets has a person do something with the targets of a stage.
func (w *World) changeTargets(a Act) {
	s := w.fleet()
	if s == nil {
		w.configure(a)
		return
	}
	target := s.targets[a.A%len(s.targets)]
	switch a.B % 6 {
	case 0:
		w.removeFile(s.file(target))
	case 1:
		w.restoreFiles()
	default:
		w.redraw(a, s.name, target)
	}
}

// redraw has a person change what the pipeline file says of targets.
func (w *World) redraw(a Act, name, target string) {
	p := w.pipeline.clone()
	s := p.stage(name)
	switch a.B % 6 {
	case 2:
		if open := w.openTargets(name); len(open) > 0 && a.C%2 == 0 {
			target = open[a.A%len(open)]
		}
		if len(s.targets) > 1 {
			s.targets = slices.DeleteFunc(slices.Clone(s.targets), func(t string) bool { return t == target })
			if s.glob {
				defer w.removeFile(s.file(target))
			}
		}
	case 3:
		w.joined++
		s.targets = append(slices.Clone(s.targets), fmt.Sprintf("t%d", 8+w.joined))
	case 4:
		s.maxFailures, s.beyond = a.C%3, beyonds[a.C%len(beyonds)]
	case 5:
		if s.external {
			break
		}
		s.batches = slices.Clone(s.batches)
		b := &s.batches[a.C%len(s.batches)]
		b.wait = []time.Duration{0, time.Minute, time.Hour}[a.A%3]
		if slices.ContainsFunc(s.verify, func(m matcher) bool { return strings.Contains(m.pattern, "${target.name}") }) {
			b.atOnce = []string{"1", "2", "50%", "100%"}[a.A%4]
		}
	}
	w.setPipeline(p)
}

// openTargets are the targets of a stage that an open pull request would update.
func (w *World) openTargets(stage string) (all []string) {
	for _, p := range w.ours("open") {
		if stageIn(p) != stage {
			continue
		}
		changes, _ := w.github.PullChanges(p.Repo, p.Number)
		for _, c := range changes {
			all = append(all, targetOf(c.Path))
		}
	}
	return all
}

// removeFile has a person take away a file of a stage.
func (w *World) removeFile(path string) {
	files := map[string]*string{path: nil}
	err := w.push("ann", "Take away", files)
	w.note("  ann takes %s away: %v", path, err)
	w.told.prose("(ann takes %s away)", path)
}

// restoreFiles has a person put files back that stages lack.
func (w *World) restoreFiles() {
	files := w.pipeline.lacking(w.has)
	if len(files) == 0 {
		return
	}
	err := w.push("ann", "Put back", files)
	w.note("  ann puts %v back: %v", keys(files), err)
	w.told.prose("(ann puts %v back)", keys(files))
}

// goOn has CI decide about one step of a rollout after the other: most targets are good, some are not, and of some
// nothing is heard.
func (w *World) goOn(a Act) {
	for n := range 1 + a.A%4 {
		s := w.fleet()
		if s == nil || n > 0 && a.B%5 == 0 {
			break
		}
		if s.external || (a.C/7+n)%3 == 0 {
			w.say("bob", w.driving(Act{A: a.A + n, B: a.C/11 + n, C: a.B + n}), 0)
			w.rest()
		}
		held := a.C%4 == n
		if held {
			w.say("bob", "/hold "+s.name, 0)
			w.rest()
		}
		if w.decideTargets(s, a.B%5); !held && n == a.A%4 {
			w.some(a.C % 60) // somebody comes in between
			if w.failure != nil || len(w.openTargets(s.name)) == 0 {
				return
			}
			switch a.B % 4 {
			case 0:
				w.redraw(Act{A: a.A, B: 2}, s.name, "")
			default:
				w.say("bob", w.driving(Act{A: a.A, B: a.C / 60, C: a.B}), 0)
			}
			return
		}
		if w.rest(); w.failure != nil {
			return
		}
		if held {
			w.say("bob", "/unhold "+s.name, 0)
			w.rest()
		}
		if a.C%3 == 0 {
			w.pass(10 * time.Minute)
		}
	}
	w.succeed(a)
}

// decideTargets has CI say something of the targets that a stage has updated last.
func (w *World) decideTargets(s *stage, how int) {
	w.showSome(s)
	for _, target := range s.targets {
		sha := w.mergedInto(s.name, target)
		if sha == "" {
			continue
		}
		for _, m := range s.verify {
			m = m.of(target)
			switch all := outcomes[m.kind]; {
			case w.lastSaid(m, sha) == "success":
			case how > 1 && w.random.IntN(6) > 0:
				w.signal(s.atOf(target), m, sha, "success")
			case w.random.IntN(3) > 0:
				w.signal(s.atOf(target), m, sha, all[w.random.IntN(len(all))])
			}
		}
	}
}
