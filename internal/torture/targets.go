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
