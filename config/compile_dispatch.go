package config

import (
	"strings"
	"time"

	"waybill/promotion"
)

// dispatchFile is a workflow that is started.
type dispatchFile struct {
	workflow found[string]
	inputs   found[[]entry[string]]
	timeout  found[time.Duration]
}

// mostInputs is how many inputs GitHub takes, but for the one that is ours.
const mostInputs = 24

var inputNames = naming{
	what: "an input", pattern: stageNames.pattern, rule: "it takes letters, digits, - and _", most: mostInputs,
}

var dispatchForm = object[dispatchFile]{
	what: "a workflow that is started",
	fields: []field[dispatchFile]{
		key("workflow",
			matching("the name of a file in .github/workflows, such as deploy.yml", `^[A-Za-z0-9][A-Za-z0-9._-]*\.ya?ml$`),
			func(d *dispatchFile) *found[string] { return &d.workflow },
			"The file in `.github/workflows`, on the branch of the stage's files; it runs on workflow_dispatch and has "+
				"the input `waybill`.").needed(),
		key("inputs", table(inputNames, scalar("a value")),
			func(d *dispatchFile) *found[[]entry[string]] { return &d.inputs },
			"The other inputs of the workflow.").otherwise("nothing"),
		key("timeout", duration(time.Second, month), func(d *dispatchFile) *found[time.Duration] { return &d.timeout },
			"The time after its start within which it must have ended.").otherwise("1h"),
	},
}.form()

// compileDispatch compiles the workflow that a stage starts.
func compileDispatch(t templates) {
	p, s := t.place, t.place.stage
	f := &s.file.value
	if !f.dispatch.given() {
		return
	}
	dispatchesOnly(s)
	d := f.dispatch.value
	s.Dispatch = &promotion.Dispatch{Workflow: d.workflow.or("")}
	r := s.reader.key("dispatch").key("inputs")
	for _, i := range d.inputs.value {
		if strings.EqualFold(i.name, promotion.RunInput) {
			r.errorf(i.key, "`%s` is the input by which Waybill knows its runs; choose another name", i.name)
			continue
		}
		if value, ok := t.value(r.key(i.name), i); ok {
			s.Dispatch.Inputs = append(s.Dispatch.Inputs, promotion.Input{Name: i.name, Value: value})
		}
	}
	p.Verify = append(p.Verify, promotion.Matcher{
		Kind: promotion.KindRun, Pattern: promotion.RunSignal(s.Name),
		App: t.from.pipeline.Starter(p.on.Repo), Appear: defaultAppear,
		Timeout: d.timeout.or(defaultTimeout), Missing: promotion.LackHolds, Skipped: promotion.LackHolds,
	})
	s.matchersAt = append(s.matchersAt, f.dispatch.key)
}

// dispatchesOnly refuses other keys of a stage that are about files or pull requests, of which there are none.
func dispatchesOnly(s *compiled) {
	f := &s.file.value
	for _, k := range changeKinds {
		if k.of(f).given() {
			s.reader.errorf(k.of(f).key,
				"`%s` changes files, and a stage with `dispatch` only starts a workflow; make two stages of them", k.kind)
		}
	}
	for _, k := range []struct {
		name string
		at   pos
	}{
		{"copy", f.copy.key}, {"branch", f.branch.key}, {"commit", f.commit.key}, {"merge", f.merge.key},
		{"merge-method", f.mergeMethod.key}, {"approvals", f.approvals.key}, {"drift", f.drift.key}, {"guard", f.guard.key},
	} {
		if k.at.line > 0 {
			s.reader.errorf(k.at,
				"`%s` is about files or pull requests, and a stage with `dispatch` has none; remove one of the two", k.name)
		}
	}
}
