package shape

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Batch is a set of targets that are updated in steps.
type Batch struct {
	Name    string
	targets []string // none: the targets that no other batch names
	AtOnce  string
	Wait    time.Duration
	Signed  int // how many people must sign its first pull request off
}

func (s *Stage) Rolls() bool { return len(s.Targets) > 0 }

// roll gives one of the stages targets.
func (p *Pipeline) roll(r *rand.Rand) {
	s := &p.Stages[r.IntN(len(p.Stages))]
	if s.Passes || r.IntN(2) == 0 {
		s = &p.Stages[0]
	}
	for i := range 3 + r.IntN(6) {
		s.Targets = append(s.Targets, fmt.Sprintf("t%d", i+1))
	}
	s.Beyond, s.MaxFailures = Beyonds[r.IntN(len(Beyonds))], max(0, r.IntN(4)-1)
	s.External, s.PerTarget, s.Settled = r.IntN(6) == 0, !s.Direct && r.IntN(5) == 0, r.IntN(3) == 0
	s.Batches = drawBatches(r, s)
	shared := r.IntN(4) == 0 && (s.PerTarget || !slices.ContainsFunc(s.Batches,
		func(b Batch) bool { return b.AtOnce != "1" }))
	for i := range s.Verify {
		if !shared {
			s.Verify[i].Pattern = ofTarget(s.Verify[i].Pattern)
		}
	}
}

// ofTarget adds the name of a target to a pattern.
func ofTarget(pattern string) string {
	if name, star := strings.CutSuffix(pattern, "*"); star {
		return name + "-${target.name}-*"
	}
	return pattern + "-${target.name}"
}

// Beyonds are the reactions to a rollout in which more targets have failed than allowed.
var Beyonds = []string{"pause", "pause", "rollback", "continue"}

// drawBatches distributes the targets of a stage over one to three batches. A stage that is driven from outside has
// one.
func drawBatches(r *rand.Rand, s *Stage) (all []Batch) {
	if s.External {
		return []Batch{{Name: "all", AtOnce: "1"}}
	}
	targets := s.Targets
	for n := r.IntN(3); n > 0 && len(targets) > 1; n-- {
		some := 1 + r.IntN(len(targets)/2)
		all = append(all, drawBatch(r, fmt.Sprintf("b%d", len(all)+1), targets[:some]))
		targets = targets[some:]
	}
	all = append(all, drawBatch(r, "rest", nil))
	if !s.Direct && r.IntN(5) == 0 {
		all[r.IntN(len(all))].Signed = 1
	}
	return all
}

func drawBatch(r *rand.Rand, name string, targets []string) Batch {
	return Batch{
		Name: name, targets: targets, AtOnce: []string{"1", "1", "2", "3", "50%", "100%"}[r.IntN(6)],
		Wait: []time.Duration{0, 0, time.Minute, 10 * time.Minute}[r.IntN(4)],
	}
}

// In returns the targets of a stage that belong to a batch.
func (s *Stage) In(b Batch) []string {
	if b.targets != nil {
		return slices.DeleteFunc(slices.Clone(b.targets), func(t string) bool { return !slices.Contains(s.Targets, t) })
	}
	return slices.DeleteFunc(slices.Clone(s.Targets), func(t string) bool {
		return slices.ContainsFunc(s.Batches, func(other Batch) bool { return slices.Contains(other.targets, t) })
	})
}

// Limit returns how many targets of a batch may be unavailable at once.
func (s *Stage) Limit(b Batch) int {
	if percent, is := strings.CutSuffix(b.AtOnce, "%"); is {
		n, _ := strconv.Atoi(percent)
		return max(1, len(s.In(b))*n/100)
	}
	n, _ := strconv.Atoi(b.AtOnce)
	return n
}

// BatchOf returns the index of the batch that a target belongs to; -1 if no batch has it.
func (s *Stage) BatchOf(target string) int {
	return slices.IndexFunc(s.Batches, func(b Batch) bool { return slices.Contains(s.In(b), target) })
}

// listed returns the targets as the pipeline file lists them.
func (s *Stage) listed() (all []string) {
	for _, t := range s.Targets {
		if at := s.AtOf(t); at != s.At() {
			t = fmt.Sprintf("{name: %s, files: {repo: %s, branch: %s}}", t, at.Repo, at.Branch)
		}
		all = append(all, t)
	}
	return all
}

// targetsText returns the settings of a stage's targets in the pipeline file.
func (s *Stage) targetsText() []string {
	if !s.Rolls() {
		return nil
	}
	var all []string
	for _, b := range s.Batches {
		text := fmt.Sprintf("{name: %s, at-once: %s, wait: %s", b.Name, b.AtOnce, b.Wait)
		if b.targets != nil {
			text += fmt.Sprintf(", targets: [%s]", strings.Join(b.targets, ", "))
		}
		if b.Signed > 0 {
			text += fmt.Sprintf(", approvals: %d", b.Signed)
		}
		all = append(all, text+"}")
	}
	targets := "[" + strings.Join(s.listed(), ", ") + "]"
	if s.Glob {
		targets = `"` + s.File("*") + `"`
	}
	rollout := "[" + strings.Join(all, ", ") + "]"
	if s.External {
		rollout = "external"
	}
	results := []string{
		"targets: " + targets, "rollout: " + rollout, fmt.Sprintf("max-failures: %d",
			s.MaxFailures), "on-failure: " + s.Beyond,
	}
	if s.Ready {
		results = append(results, `ready: [{status: "up-${target.name}"}]`)
	}
	if s.PerTarget {
		results = append(results, "pull-requests: target")
	}
	return results
}

// Environment returns the environment of the deployments of a stage, or of one of its targets.
func (s *Stage) Environment(target string) string {
	if s.Settled {
		return s.Name + "-" + target
	}
	return s.Name
}
