package config

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// compiled is a stage with its entry in the file.
type compiled struct {
	*promotion.Stage
	file       entry[stageFile]
	reader     *reader
	part       string // that it is in; "": the pipeline file
	gates      map[promotion.WarehouseName]gate
	matchersAt []pos // of the matchers of all targets
	copied     []copied
	targets    []found[targetFile]
	divided    bool // the targets, into batches as the file says
}

// compilePipeline makes a pipeline of a file that has been read. It goes on after a mistake, to find all of them, and
// takes care not to report mere consequences of one.
func compilePipeline(s Sources, file *pipelineFile, r *reader, levels []level, find finding) *promotion.Pipeline {
	p := &promotion.Pipeline{
		ID: s.ID, Home: s.Home, Branch: s.Branch, Resync: resync(file, s.Resync),
		Quiet: !file.comments.or(true), Zone: file.timezone.or(nil),
	}
	p.Inventories = slices.DeleteFunc(slices.Clone(r.report.others), func(file string) bool { return PartOf(file) != "" })
	lists(file, r)
	in := r.key("warehouses")
	for _, w := range file.warehouses.value {
		p.Warehouses = append(p.Warehouses, compileWarehouse(in.key(w.name), w, p.At()))
	}
	alike(in, file.warehouses.value)
	stages := stagesOf(p, file.stages.value, r)
	n := len(stages.all)
	each := Budget{Steps: n * (n + len(p.Warehouses)) / 4} // is compared with the others, and with the warehouses
	if find.allowance.pay(r.key("stages"), file.stages.key, each) {
		from := warehouses{p, namesIn(file.warehouses.value, r.report), !file.warehouses.given()}
		compileStages(stages, from, levels, find)
	}
	separate(p, file, r)
	unused(stages, file, r)
	return p
}

// stagesOf gives a pipeline its stages.
func stagesOf(p *promotion.Pipeline, entries []entry[stageFile], r *reader) graph {
	stages, in := graph{pipeline: p, names: namesIn(entries, r.report)}, r.key("stages")
	for i, f := range entries {
		s := &promotion.Stage{Name: promotion.StageName(f.name), Index: i}
		p.Stages = append(p.Stages, s)
		stages.all = append(stages.all, &compiled{
			Stage: s, file: f, reader: in.key(f.name), part: r.report.part(f.key),
		})
	}
	alike(in, entries)
	return stages
}

func compileStages(stages graph, from warehouses, levels []level, find finding) {
	for _, s := range stages.all {
		settle(s, stages.pipeline)
	}
	for _, s := range stages.all {
		compileStage(s, stages, from, find)
	}
	floors{stages, find.allowance}.raise(levels)
	for _, s := range stages.all {
		told(s)
	}
	cycles(stages)
	unreachable(stages)
	unsoaked(stages)
	sharedMatchers(stages)
	sharedValues(stages)
	copiedStages(stages)
	sharedFolders(stages)
	undivided(stages)
}

func compileStage(s *compiled, stages graph, from warehouses, find finding) {
	f := &s.file.value
	s.Merge.By = f.merge.or(promotion.MergeAuto)
	s.Merge.Method = f.mergeMethod.or("")
	s.Queue = f.queue.or(promotion.QueueLatest)
	s.Intake = f.intake.or(promotion.IntakeAtOnce)
	s.OnFailedVerification = f.onFailure.or(promotion.OnFailureCancel)
	s.Drift = f.drift.or(promotion.DriftReport)
	s.Slack = f.slack.or("")
	s.Guard = f.guard.or(false)
	s.Groups = texts(f.groups.value)
	compileFrom(s, stages, from)
	placing{stages, from, find}.places(s)
	s.Delivery = s.delivery()
	s.Policy.Approvals = f.approvals.or(0)
	s.Policy.Freezes = compileFreezes(f.freeze, cmp.Or(stages.pipeline.Zone, time.UTC))
	direct(s)
	compileAttention(s)
	passThrough(s)
	undoes(s)
}

// settle works out where the files of a stage are.
func settle(s *compiled, p *promotion.Pipeline) {
	promotion.OnePlace(s.Stage, promotion.Target{})
	compileWhole(s, p)
	f := s.file.value.files
	if !f.given() || !f.good() || s.Whole() {
		return
	}
	s.Files = promotion.Branch{
		Repo: promotion.Repo(f.value.repo.or(string(p.Home))), Name: f.value.branch.or(p.Branch),
	}
	if glob := s.file.value.targets.value.glob.Text; glob != "" && s.Files != p.At() {
		s.reader.key("targets").errorf(s.file.value.targets.at, "targets are found on the branch that the pipeline file is "+
			"on only, but the files of this stage are on %s; list the targets", s.Files)
	}
	fitBranch(s.reader.key("files").key("branch"), f.value.branch.at, s.Files.Name)
}

// fitBranch judges the name of a branch that promotions go to.
func fitBranch(r *reader, at pos, name string) {
	switch {
	case strings.HasPrefix(name, "refs/"):
		r.errorf(at, "branch must be the name of a branch; write %s", quote(strings.TrimPrefix(name, "refs/heads/")))
	case strings.HasPrefix(name, "waybill/"):
		r.errorf(at, "branches that begin with waybill/ are those of Waybill's own pull requests; choose another name")
	}
}

// anyShared reports whether two lists of branches have one in common.
func anyShared(a, b []promotion.Branch) bool {
	return slices.ContainsFunc(a, func(on promotion.Branch) bool { return slices.Contains(b, on) })
}

// resync returns how often a pipeline is resynced: as its file says, else as the server says, always within bounds.
func resync(file *pipelineFile, server time.Duration) time.Duration {
	return file.resync.or(min(max(cmp.Or(server, DefaultResync), minResync), maxResync))
}

// alike reports names that differ only in capitals: GitHub's labels, and branches on some machines, do not tell them
// apart.
func alike[V any](r *reader, entries []entry[V]) {
	first := make(map[string]string)
	for _, e := range entries {
		lower := strings.ToLower(e.name)
		if other, taken := first[lower]; taken {
			r.errorf(e.key, "%s differs from %s only in capitals; choose another name", quote(e.name), quote(other))
			continue
		}
		first[lower] = e.name
	}
}

// passThrough refuses keys of a stage without changes that are about promotions, of which it has none.
func passThrough(s *compiled) {
	f := &s.file.value
	if f.changes() {
		return
	}
	if f.verify.given() {
		s.reader.errorf(f.verify.key, "`verify` needs `set` or another change: a stage that changes no file has no "+
			"promotion to verify, and passes freight on")
	}
	if f.approvals.given() {
		s.reader.errorf(f.approvals.key, "`approvals` needs `set` or another change: a stage that changes no file has no "+
			"promotion to sign off, and passes freight on")
	}
	if f.targets.given() {
		s.reader.errorf(f.targets.key, "`targets` needs `set` or another change: a stage that changes no file has no "+
			"promotion that could be rolled out, and passes freight on")
	}
	if f.environment.given() {
		s.reader.errorf(f.environment.key, "`environment` needs `set` or another change: a stage that changes no file has "+
			"no promotion that could be a deployment, and passes freight on")
	}
	if f.beyond.given() {
		s.reader.errorf(f.beyond.key, "`on-failure` needs `set` or another change: a stage that changes no file has no "+
			"promotion that could fail, and passes freight on")
	}
	idle := map[string]pos{"commit": f.commit.key, "merge": f.merge.key, "merge-method": f.mergeMethod.key,
		"queue": f.queue.key, "intake": f.intake.key, "on-failed-verification": f.onFailure.key,
		"drift": f.drift.key, "slack": f.slack.key, "guard": f.guard.key, "files": f.files.key,
		"pull-request": f.attention.key}
	for name, at := range idle {
		if at.line > 0 {
			s.reader.warnf(at,
				"`%s` has no effect without `set` or another change: a stage that changes no file has no promotions; "+
					"remove it", name)
		}
	}
}

// unsoaked warns of stages that would let freight soak for nobody.
func unsoaked(stages graph) {
	for _, s := range stages.all {
		if s.Intake != promotion.IntakeAfterSoak || !s.file.value.changes() || s.reader.report.errors > 0 {
			continue
		}
		asked := slices.ContainsFunc(s.From, func(from promotion.Source) bool {
			return len(stages.pipeline.SoaksAsked(s.Stage, from.Warehouse)) > 0
		})
		if !asked {
			s.reader.warnf(s.file.value.intake.key,
				"`intake: after-soak` has no effect: no stage behind this one asks for a `soak`; remove it, or ask for one")
		}
	}
}

// unused warns of warehouses whose freight goes nowhere, unless a mistake may be the reason.
func unused(stages graph, file *pipelineFile, r *reader) {
	if r.report.errors > 0 {
		return
	}
	for _, w := range file.warehouses.value {
		if !slices.ContainsFunc(stages.all, func(s *compiled) bool { return s.asks(w.name) }) {
			r.key("warehouses").warnf(w.key, "no stage takes freight from %s; name it under `from`, or remove it", quote(w.name))
		}
	}
}
