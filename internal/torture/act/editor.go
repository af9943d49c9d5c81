package act

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Editor changes the pipeline file and the files of stages.
type Editor struct {
	byHand   *ledger.ByHand
	checkout *ledger.Checkout
	gaps     *ledger.Gaps
	github   *githubsim.Server
	log      *ledger.Journal
	random   *rand.Rand
	remote   *ledger.Remote

	joined int // how many targets have joined a stage
}

// pushFiles has a person push to the branch of the stages.
func (e *Editor) pushFiles(a plan.Act) {
	s := &e.checkout.Pipeline.Stages[a.A%len(e.checkout.Pipeline.Stages)]
	n := len(e.github.Requests())
	if s.Whole && a.C%2 == 0 {
		e.pushWhole(s, n)
		return
	}
	files := map[string]*string{}
	path, old := e.checkout.ChosenFile(s, a.C)
	switch {
	case path == "" || a.B%3 == 0:
		files["README.md"] = githubsim.Text(fmt.Sprintf("# deploy %d\n", n))
	case a.B%3 == 1:
		files[path] = githubsim.Text(s.Form.Touched(old, n))
	default:
		files["notes/"+s.Name] = githubsim.Text(fmt.Sprintf("%d\n", n))
	}
	err := e.checkout.Push("ann", "By hand", files)
	e.log.Note("  ann pushes %v: %v", ledger.Keys(files), err)
	e.log.Told.Happening("push %s by ann", strings.Join(ledger.Keys(files), " "))
}

// drift has a person edit a value that a promotion wrote into a stage's file.
func (e *Editor) drift(a plan.Act) {
	s := &e.checkout.Pipeline.Stages[a.A%len(e.checkout.Pipeline.Stages)]
	if s.Whole {
		e.pushWhole(s, e.log.Steps)
		return
	}
	name, text := e.checkout.ChosenFile(s, a.C/2)
	if name == "" || len(s.From) == 0 {
		return
	}
	wh, value := s.From[a.B%len(s.From)], []string{"by-hand", fmt.Sprintf("by-hand-%d", e.log.Steps)}[a.C%2]
	files := map[string]*string{name: githubsim.Text(s.Form.With(text, wh, value))}
	err := e.checkout.Push("ann", "By hand", files)
	e.log.Note("  ann sets %s in %s to %s: %v", wh, name, value, err)
	e.log.Told.Happening("edit %s %s %s by ann", name, wh, value)
}

// configure has a person change the pipeline or the policy file.
func (e *Editor) configure(a plan.Act) {
	e.gaps.Deaf = true // only a resync may find out which files are guarded
	p := e.checkout.Pipeline.Clone()
	s := &p.Stages[a.A%len(p.Stages)]
	switch a.B % 8 {
	case 7:
		s.Drift = shape.DriftModes[a.C%len(shape.DriftModes)]
	case 0:
		s.Queue = map[string]string{"latest": "fifo", "fifo": "latest"}[s.Queue]
	case 1:
		if !s.Direct {
			s.Merge = map[string]string{"auto": "manual", "manual": "auto"}[s.Merge]
		}
	case 2:
		if len(p.Stages) > 1 {
			p.Stages = p.Stages[:len(p.Stages)-1]
		}
	case 3:
		if p.Stage("extra") == nil {
			extra := shape.DrawStage(e.random, "extra", nil)
			extra.From = []string{"api"}
			p.Stages = append(p.Stages, extra)
		}
	case 4:
		p.Broken = !p.Broken
	case 5:
		if len(s.After) > 0 {
			s.Soak = []time.Duration{0, time.Minute, time.Hour}[a.C%3]
		}
	case 6:
		if i := slices.Index(p.Manual, s.Name); i >= 0 {
			p.Manual = slices.Delete(slices.Clone(p.Manual), i, i+1)
		} else {
			p.Manual = append(slices.Clone(p.Manual), s.Name)
		}
	}
	e.checkout.SetPipeline(p)
}

// Repair has a person restore the files that promotions cannot change any more.
func (e *Editor) Repair() {
	_ = e.checkout.Push("ann", "Mend", e.checkout.Pipeline.Lacking(func(s *shape.Stage, path string) bool {
		text, _ := e.checkout.ContentOf(path)
		_, there := s.Form.Says(text, "api")
		return there
	}))
}

// pushWhole has a person push to an environment branch.
func (e *Editor) pushWhole(s *shape.Stage, n int) {
	path := []string{"by-hand", "README.md"}[n%2]
	e.byHand.Touched[s.Name]++
	err := e.checkout.PushAt(s.At(), "ann", "By hand",
		map[string]*string{path: githubsim.Text(fmt.Sprintf("by hand %d\n", n))})
	e.log.Note("  ann pushes %s to %s: %v", path, s.At().Branch, err)
	e.log.Told.Prose("(ann pushes %s to %s)", path, s.At().Branch)
}

// changeTargets has a person change the targets of a stage.
func (e *Editor) changeTargets(a plan.Act) {
	s := e.checkout.Pipeline.Fleet()
	if s == nil {
		e.configure(a)
		return
	}
	target := s.Targets[a.A%len(s.Targets)]
	switch a.B % 6 {
	case 0:
		e.removeFile(s.File(target))
	case 1:
		e.restoreFiles()
	default:
		e.redraw(a, s.Name, target)
	}
}

// redraw has a person change the settings of targets in the pipeline file.
func (e *Editor) redraw(a plan.Act, name, target string) {
	p := e.checkout.Pipeline.Clone()
	s := p.Stage(name)
	switch a.B % 6 {
	case 2:
		if open := e.remote.OpenTargets(name); len(open) > 0 && a.C%2 == 0 {
			target = open[a.A%len(open)]
		}
		if len(s.Targets) > 1 {
			s.Targets = slices.DeleteFunc(slices.Clone(s.Targets), func(t string) bool { return t == target })
			if s.Glob {
				defer e.removeFile(s.File(target))
			}
		}
	case 3:
		e.joined++
		s.Targets = append(slices.Clone(s.Targets), fmt.Sprintf("t%d", 8+e.joined))
	case 4:
		s.MaxFailures, s.Beyond = a.C%3, shape.Beyonds[a.C%len(shape.Beyonds)]
	case 5:
		if s.External {
			break
		}
		s.Batches = slices.Clone(s.Batches)
		b := &s.Batches[a.C%len(s.Batches)]
		b.Wait = []time.Duration{0, time.Minute, time.Hour}[a.A%3]
		if slices.ContainsFunc(s.Verify, func(m shape.Matcher) bool {
			return strings.Contains(m.Pattern,
				"${target.name}")
		}) {
			b.AtOnce = []string{"1", "2", "50%", "100%"}[a.A%4]
		}
	}
	e.checkout.SetPipeline(p)
}

// removeFile has a person remove a file of a stage.
func (e *Editor) removeFile(path string) {
	files := map[string]*string{path: nil}
	err := e.checkout.Push("ann", "Take away", files)
	e.log.Note("  ann takes %s away: %v", path, err)
	e.log.Told.Prose("(ann takes %s away)", path)
}

// restoreFiles has a person restore the files that stages lack.
func (e *Editor) restoreFiles() {
	files := e.checkout.Pipeline.Lacking(e.checkout.Has)
	if len(files) == 0 {
		return
	}
	err := e.checkout.Push("ann", "Put back", files)
	e.log.Note("  ann puts %v back: %v", ledger.Keys(files), err)
	e.log.Told.Prose("(ann puts %v back)", ledger.Keys(files))
}
