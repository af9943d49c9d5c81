package config

import (
	"maps"
	"path"
	"slices"
	"strings"

	"waybill/promotion"
)

// place is a target with its entry in the file, or a stage that is one place.
type place struct {
	promotion.Target
	stage  *compiled
	reader *reader          // of the stage, for messages about this place
	file   *targetFile      // nil: the stage is one place
	on     promotion.Branch // that holds its files
	// inventories are there, too. People change them, as they do the pipeline file: freight must not decide where it is
	// promoted.
	inventories []string
}

// placing compiles the places of stages.
type placing struct {
	stages graph
	from   warehouses
	find   finding
}

// places compiles the changes and matchers of a promotion: of the stage itself, or of each of its targets.
func (c placing) places(s *compiled) {
	f := &s.file.value
	if !f.targets.given() {
		p := &place{Target: s.Targets[0], stage: s, reader: s.reader, on: c.stages.pipeline.FilesOf(s.Stage)}
		c.compile(p)
		noRollout(s)
		s.Targets[0] = p.Target
		return
	}
	s.Targets, s.Strategy.Batches = nil, nil
	s.Strategy.OneDeployment = f.environment.given() && !f.environment.value.ofTargets()
	if f.dispatch.given() {
		s.reader.errorf(f.dispatch.key,
			"`dispatch` is not supported by this version for a stage with `targets`; remove one of the two")
		return
	}
	before := s.reader.report.errors
	if s.targets = c.find.targets(s); !c.eachTarget(s, before) {
		return
	}
	if f.targets.good() && c.find.seen(s) && s.reader.report.errors == before {
		distinct(s)
		divide(s, c.find.allowance)
	}
}

// compile compiles what a promotion does at a place, and what verifies it there.
func (c placing) compile(p *place) {
	if home := c.stages.pipeline; p.on == home.At() {
		p.inventories = home.Inventories
	}
	t := templates{blanks{p, c.find.allowance}, c.from}
	p.Environment, p.EnvironmentURL = compileEnvironment(t.blanks)
	compileChanges(t)
	compileCopies(t, c.stages)
	compileDispatch(t)
	compileVerify(t.blanks)
}

// eachTarget compiles the targets of a stage up to one with a mistake, and reports whether that was all: the next ones
// would say the same.
func (c placing) eachTarget(s *compiled, before int) bool {
	for i, t := range s.targets {
		r := s.reader.about(s.reader.report.listed(t))
		if r.report.errors > before || !c.find.allowance.pay(r, t.at, Budget{Values: 2}) {
			return false
		}
		s.Targets = append(s.Targets, c.target(s, r, &s.targets[i].value))
	}
	return true
}

// target compiles the changes and matchers of the stage for one of its targets.
func (c placing) target(s *compiled, r *reader, t *targetFile) promotion.Target {
	files := filesOf(t, r, c.stages.pipeline.FilesOf(s.Stage))
	p := &place{stage: s, reader: r, file: t, on: c.stages.pipeline.FilesOn(s.Stage, files)}
	p.Name, p.Files = promotion.TargetName(t.name.value), files
	c.compile(p)
	p.Ready = compileReady(blanks{p, c.find.allowance})
	for i := range p.Changes {
		p.Changes[i].Files = files
	}
	for i := range p.Copies {
		p.Copies[i].Files = files
	}
	for i := range p.Ready {
		p.Ready[i].Files = files
	}
	return p.Target
}

// filesOf works out where the files of a target are; the zero branch, if they are where those of the stage are.
func filesOf(t *targetFile, r *reader, stage promotion.Branch) promotion.Branch {
	f := t.files
	if !f.given() || !f.good() {
		return promotion.Branch{}
	}
	on := promotion.Branch{Repo: promotion.Repo(f.value.repo.or(string(stage.Repo))), Name: f.value.branch.or(stage.Name)}
	if on == stage {
		return promotion.Branch{}
	}
	fitBranch(r.key("targets").key(t.name.value).key("files"), f.at, on.Name)
	return on
}

// noRollout refuses keys about a rollout in a stage without targets.
func noRollout(s *compiled) {
	f := &s.file.value
	for name, at := range map[string]pos{
		"rollout": f.rollout.key, "rollback": f.rollback.key, "max-failures": f.maxFailures.key,
		"pull-requests": f.pulls.key, "ready": f.ready.key,
	} {
		if at.line > 0 {
			s.reader.errorf(at, "`%s` needs `targets`: the stage is one place; list its targets, or remove it", name)
		}
	}
}

// undoes compiles on-failure of a stage without targets, which may only go back: there are no targets to go on to.
func undoes(s *compiled) {
	f := &s.file.value
	switch {
	case f.targets.given() || !f.beyond.given() || !f.beyond.good():
	case f.beyond.value != promotion.BeyondRollsBack:
		s.reader.errorf(f.beyond.key, "`on-failure: %s` needs `targets`: the stage is one place, and "+
			"`on-failed-verification` decides about what waits; list its targets, or remove it", f.beyond.value)
	case !f.changes(): // passThrough says so
	case !f.verify.given() && !f.dispatch.given():
		s.reader.errorf(f.beyond.key, "`on-failure` needs `verify`: nothing can fail here; list the signals, or remove it")
	default:
		s.Strategy.Undoes = true
	}
}

// value returns the value of a ${target...}.
func (t *targetFile) value(ref string) (string, bool) {
	switch label, isLabel := strings.CutPrefix(ref, "target.labels."); {
	case ref == "target.name":
		return t.name.value, true
	case ref == "target.path":
		return t.path.value, t.path.good()
	case isLabel:
		return t.label(label)
	}
	return "", false
}

func (t *targetFile) label(name string) (string, bool) {
	for _, l := range t.labels.value {
		if l.name == name {
			return l.value, true
		}
	}
	return "", false
}

// distinct sees to it that targets differ: no two set the same value, and in a folder that one copies is nothing of
// another.
func distinct(s *compiled) {
	type place struct {
		on        promotion.Branch
		path, key string
	}
	first := make(map[place]promotion.TargetName)
	for _, t := range s.Targets {
		for _, change := range t.Changes {
			for _, a := range change.Set {
				at := place{change.Files, change.Path, a.Key}
				if other, taken := first[at]; taken {
					s.reader.key(string(a.Kind)).errorf(s.file.value.changeOf(a.Kind).at,
						"the targets %s and %s would both set %s of %s; let ${target.name} or ${target.path} tell them apart",
						other, t.Name, a.Key, change.Path)
					return
				}
				first[at] = t.Name
			}
		}
	}
	ownFolders(s)
}

// ownFolders sees to it that nothing else that the stage does happens in a folder that one of its targets copies.
func ownFolders(s *compiled) {
	type folder struct {
		on   promotion.Branch
		path string
	}
	owner := make(map[folder]promotion.TargetName)
	inside := func(t *promotion.Target, on promotion.Branch, at string) bool {
		for ; at != "."; at = path.Dir(at) {
			if other, taken := owner[folder{on, at}]; taken && other != t.Name {
				s.reader.key("copy").errorf(s.file.value.copy.at, "the targets %s and %s would both write in the folder %s; let "+
					"${target.name} or ${target.path} tell them apart", other, t.Name, at)
				return true
			}
		}
		return false
	}
	for i := range s.Targets {
		for _, one := range s.Targets[i].Copies {
			if inside(&s.Targets[i], one.Files, one.Path) {
				return
			}
			owner[folder{one.Files, one.Path}] = s.Targets[i].Name
		}
	}
	if len(owner) == 0 {
		return
	}
	for i := range s.Targets {
		t := &s.Targets[i]
		for _, one := range t.Copies { // those before it may lie in it
			if inside(t, one.Files, path.Dir(one.Path)) {
				return
			}
		}
		for _, change := range t.Changes {
			if inside(t, change.Files, change.Path) {
				return
			}
		}
	}
}

// divide works out in which order targets are updated, and how many of them at once.
func divide(s *compiled, allowance *allowance) {
	f := &s.file.value
	s.Strategy.PerTarget = f.pulls.or(perStep) == perTarget
	s.Strategy.MaxFailures, s.Strategy.Beyond = f.maxFailures.or(0), f.beyond.or(promotion.BeyondPauses)
	if q := f.rollback.value.atOnce; q.good() {
		s.Strategy.BackAtOnce = q.value.of(len(s.Targets))
	}
	if s.Strategy.External = f.rollout.value.external; s.Strategy.External || !f.rollout.given() {
		s.Strategy.Batches = []promotion.Batch{{Name: "all", Targets: namesOf(s.Targets), AtOnce: 1}}
		s.divided = true
		return
	}
	in := distribute(s, allowance)
	for i, b := range f.rollout.value.batches {
		if !b.good() {
			return
		}
		batch := promotion.Batch{
			Name: b.value.name.value, AtOnce: 1, Wait: b.value.wait.or(0), Approvals: b.value.signed.or(0),
		}
		for _, t := range s.Targets {
			if in[t.Name] == i {
				batch.Targets = append(batch.Targets, t.Name)
			}
		}
		if q := b.value.atOnce; q.good() {
			batch.AtOnce = q.value.of(len(batch.Targets))
		}
		s.Strategy.Batches = append(s.Strategy.Batches, batch)
	}
	s.divided = true
}

// distribute puts every target into exactly one batch.
func distribute(s *compiled, allowance *allowance) map[promotion.TargetName]int {
	r := s.reader.key("rollout")
	in := make(map[promotion.TargetName]int)
	rest := -1
	names := make(map[string]bool)
	for i, b := range s.file.value.rollout.value.batches {
		if lower := strings.ToLower(b.value.name.value); names[lower] {
			r.element(i).errorf(b.at, "the batch %s is there already; give this one another name", quote(b.value.name.value))
		} else {
			names[lower] = true
		}
		if !b.value.targets.given() {
			if rest >= 0 {
				r.element(i).errorf(b.at, "only one batch can take what no other names; give this one `targets`")
			}
			rest = i
			continue
		}
		if !allowance.pay(s.reader, b.value.targets.at, Budget{Steps: len(s.Targets) * b.value.targets.value.steps()}) {
			return in
		}
		selected := 0
		for j := range s.Targets {
			if !b.value.targets.value.selects(&s.targets[j].value) {
				continue
			}
			selected++
			if other, taken := in[s.Targets[j].Name]; taken {
				r.element(i).errorf(b.value.targets.at, "the target %s is in batch %s already; a target is in exactly one",
					s.Targets[j].Name, s.file.value.rollout.value.batches[other].value.name.value)
			}
			in[s.Targets[j].Name] = i
		}
		if selected == 0 {
			r.element(i).warnf(b.value.targets.at, "the batch %s selects no target: %s", quote(b.value.name.value),
				s.selectable(b.value.targets.value))
		}
	}
	for _, t := range s.Targets {
		if _, taken := in[t.Name]; taken {
			continue
		}
		if rest < 0 {
			r.errorf(s.file.value.rollout.key,
				"the target %s is in no batch; name it in one, or add a batch without `targets`, which takes the rest", t.Name)
			break
		}
		in[t.Name] = rest
	}
	return in
}

// selectable says which names, or which labels, the targets of a stage have, to somebody who has named others.
func (s *compiled) selectable(by selectorFile) string {
	var names []string
	values := map[string][]string{}
	for _, t := range s.targets {
		names = append(names, t.value.name.value)
		for _, l := range t.value.labels.value {
			if !slices.Contains(values[l.name], shorten(l.value)) {
				values[l.name] = append(values[l.name], shorten(l.value))
			}
		}
	}
	switch {
	case len(by.labels) == 0:
		return "the targets are " + strings.Join(promotion.FirstOf(names), ", ")
	case len(values) == 0:
		return "no target has labels"
	}
	var labels []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		labels = append(labels, name+" ("+strings.Join(promotion.FirstOf(values[name]), ", ")+")")
	}
	return "the labels are " + strings.Join(promotion.FirstOf(labels), ", ")
}

// steps is about what it costs to ask whether a batch names a target.
func (f selectorFile) steps() int {
	steps := maxLabels * len(f.labels)
	for _, name := range f.names {
		steps += stepsOf(name.value)
	}
	return steps
}

// stepsOf is about what it costs to compare a pattern with a name.
func stepsOf(pattern string) int { return 5 + len(pattern)/10 }

// selects reports whether a batch names a target.
func (f selectorFile) selects(t *targetFile) bool {
	for _, name := range f.names {
		if promotion.Match(name.value, t.name.value) {
			return true
		}
	}
	for _, want := range f.labels {
		if value, has := t.label(want.name); !has || value != want.value {
			return false
		}
	}
	return len(f.labels) > 0
}

// told sees to it that the signals of targets that are updated together can be told apart (semantics 5.4).
func told(s *compiled) {
	targets := make(map[promotion.TargetName]promotion.Target, len(s.Targets))
	for _, t := range s.Targets {
		targets[t.Name] = t
	}
	if !s.divided {
		return
	}
	comparisons := 0
	back := promotion.Batch{Targets: namesOf(s.Targets), AtOnce: s.Strategy.BackAtOnce}
	for _, b := range append(slices.Clip(s.Strategy.Batches), back) {
		if b.AtOnce < 2 || s.Strategy.PerTarget {
			continue
		}
		together := make(map[promotion.Branch][]promotion.Matcher)
		for _, name := range b.Targets {
			on, own := targets[name].Files, targets[name].Verify
			earlier := together[on]
			for i := range own {
				if comparisons += len(earlier); comparisons > maxComparisons {
					return
				}
				if slices.ContainsFunc(earlier, func(m promotion.Matcher) bool { return m.Overlaps(&own[i]) }) {
					s.reader.key("verify").errorf(s.matchersAt[i],
						"%s of %s is waited for by another target of the same pull request, too, and nobody could tell whose it is; "+
							"write ${target.name} into it, or update one target at once",
						quote(own[i].Pattern), name)
					return
				}
			}
			together[on] = append(earlier, own...)
		}
	}
}

func namesOf(targets []promotion.Target) []promotion.TargetName {
	names := make([]promotion.TargetName, len(targets))
	for i, t := range targets {
		names[i] = t.Name
	}
	return names
}
