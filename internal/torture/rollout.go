package torture

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/internal/torture/shape"
)

// changeTargets has a person do something with the targets of a stage.
func (w *World) changeTargets(a Act) {
	s := w.pipeline.Fleet()
	if s == nil {
		w.configure(a)
		return
	}
	target := s.Targets[a.A%len(s.Targets)]
	switch a.B % 6 {
	case 0:
		w.removeFile(s.File(target))
	case 1:
		w.restoreFiles()
	default:
		w.redraw(a, s.Name, target)
	}
}

// redraw has a person change what the pipeline file says of targets.
func (w *World) redraw(a Act, name, target string) {
	p := w.pipeline.Clone()
	s := p.Stage(name)
	switch a.B % 6 {
	case 2:
		if open := w.openTargets(name); len(open) > 0 && a.C%2 == 0 {
			target = open[a.A%len(open)]
		}
		if len(s.Targets) > 1 {
			s.Targets = slices.DeleteFunc(slices.Clone(s.Targets), func(t string) bool { return t == target })
			if s.Glob {
				defer w.removeFile(s.File(target))
			}
		}
	case 3:
		w.joined++
		s.Targets = append(slices.Clone(s.Targets), fmt.Sprintf("t%d", 8+w.joined))
	case 4:
		s.MaxFailures, s.Beyond = a.C%3, shape.Beyonds[a.C%len(shape.Beyonds)]
	case 5:
		if s.External {
			break
		}
		s.Batches = slices.Clone(s.Batches)
		b := &s.Batches[a.C%len(s.Batches)]
		b.Wait = []time.Duration{0, time.Minute, time.Hour}[a.A%3]
		if slices.ContainsFunc(s.Verify, func(m shape.Matcher) bool { return strings.Contains(m.Pattern, "${target.name}") }) {
			b.AtOnce = []string{"1", "2", "50%", "100%"}[a.A%4]
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
			all = append(all, shape.TargetOf(c.Path))
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
	files := w.pipeline.Lacking(w.has)
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
		s := w.pipeline.Fleet()
		if s == nil || n > 0 && a.B%5 == 0 {
			break
		}
		if s.External || (a.C/7+n)%3 == 0 {
			w.say("bob", w.driving(Act{A: a.A + n, B: a.C/11 + n, C: a.B + n}), 0)
			w.rest()
		}
		held := a.C%4 == n
		if held {
			w.say("bob", "/hold "+s.Name, 0)
			w.rest()
		}
		if w.decideTargets(s, a.B%5); !held && n == a.A%4 {
			w.some(a.C % 60) // somebody comes in between
			if w.failure != nil || len(w.openTargets(s.Name)) == 0 {
				return
			}
			switch a.B % 4 {
			case 0:
				w.redraw(Act{A: a.A, B: 2}, s.Name, "")
			default:
				w.say("bob", w.driving(Act{A: a.A, B: a.C / 60, C: a.B}), 0)
			}
			return
		}
		if w.rest(); w.failure != nil {
			return
		}
		if held {
			w.say("bob", "/unhold "+s.Name, 0)
			w.rest()
		}
		if a.C%3 == 0 {
			w.pass(10 * time.Minute)
		}
	}
	w.succeed(a)
}

// decideTargets has CI say something of the targets that a stage has updated last.
func (w *World) decideTargets(s *shape.Stage, how int) {
	w.showSome(s)
	for _, target := range s.Targets {
		sha := w.mergedInto(s.Name, target)
		if sha == "" {
			continue
		}
		for _, m := range s.Verify {
			m = m.Of(target)
			switch all := outcomes[m.Kind]; {
			case w.lastSaid(m, sha) == "success":
			case how > 1 && w.random.IntN(6) > 0:
				w.signal(s.AtOf(target), m, sha, "success")
			case w.random.IntN(3) > 0:
				w.signal(s.AtOf(target), m, sha, all[w.random.IntN(len(all))])
			}
		}
	}
}
