package config

import (
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// compiler makes a pipeline of a file that has been read. It goes on after a mistake, to find all of them, and takes
// care not to report mere consequences of one.
type compiler struct {
	sources   Sources
	alone     bool // the repository is not there to be looked at
	allowance *allowance
	file      pipelineFile
	names     names
	reader    *reader
	levels    []level // the policy files above it
	pipeline  *promotion.Pipeline
	stages    []*compiled // in the order of the file
	byName    map[string]*compiled
}

// compiled is a stage with its entry in the file.
type compiled struct {
	*promotion.Stage
	file       entry[stageFile]
	reader     *reader
	part       string // that it is in; "": the pipeline file
	position   int    // in the files
	gates      map[promotion.WarehouseName]gate
	matchersAt []pos // of the matchers of all targets
	copied     []copied
	targets    []found[targetFile]
	divided    bool   // the targets, into batches as the file says
	place      *place // the target that is being compiled
}

// place is a target with its entry in the file.
type place struct {
	promotion.Target
	on         promotion.Branch // that holds its files
	file       *targetFile      // nil: the stage is one place
	matchersAt []pos            // of Verify
	copied     []copied
}

func (c *compiler) compilePipeline() {
	c.pipeline = &promotion.Pipeline{
		ID: c.sources.ID, Home: c.sources.Home, Branch: c.sources.Branch, Resync: c.resync(),
		Quiet: !c.file.comments.or(true), Zone: c.file.timezone.or(nil),
	}
	c.pipeline.Inventories = slices.DeleteFunc(slices.Clone(c.reader.report.others),
		func(file string) bool { return PartOf(file) != "" })
	c.lists()
	warehouses := c.reader.key("warehouses")
	for _, w := range c.file.warehouses.value {
		c.pipeline.Warehouses = append(c.pipeline.Warehouses, c.warehouse(warehouses.key(w.name), w))
	}
	alike(warehouses, c.file.warehouses.value)
	c.compileStages()
	c.separate()
	c.unused()
}

func (c *compiler) compileStages() {
	stages := c.reader.key("stages")
	c.byName = make(map[string]*compiled)
	for i, f := range c.file.stages.value {
		stage := &promotion.Stage{Name: promotion.StageName(f.name), Index: i}
		c.pipeline.Stages = append(c.pipeline.Stages, stage)
		c.byName[f.name] = &compiled{
			Stage: stage, file: f, reader: stages.key(f.name), part: c.reader.report.part(f.key), position: i,
		}
		c.stages = append(c.stages, c.byName[f.name])
	}
	alike(stages, c.file.stages.value)
	n := len(c.stages)
	each := Budget{Steps: n * (n + len(c.pipeline.Warehouses)) / 4} // is compared with the others, and with the warehouses
	if !c.allowance.pay(stages, c.file.stages.key, each) {
		return
	}
	for _, s := range c.stages {
		c.settle(s)
	}
	for _, s := range c.stages {
		c.compileStage(s)
	}
	c.floors()
	for _, s := range c.stages {
		c.told(s)
	}
	c.cycles()
	c.unreachable()
	c.unsoaked()
	c.sharedMatchers()
	c.sharedValues()
	c.copiedStages()
	c.sharedFolders()
	c.undivided()
}

func (c *compiler) compileStage(s *compiled) {
	f := s.file.value
	s.Merge.By = f.merge.or(promotion.MergeAuto)
	s.Merge.Method = f.mergeMethod.or("")
	s.Queue = f.queue.or(promotion.QueueLatest)
	s.Intake = f.intake.or(promotion.IntakeAtOnce)
	s.OnFailedVerification = f.onFailure.or(promotion.OnFailureCancel)
	s.Drift = f.drift.or(promotion.DriftReport)
	s.Slack = f.slack.or("")
	s.Guard = f.guard.or(false)
	for _, group := range f.groups.value {
		s.Groups = append(s.Groups, group.value)
	}
	c.from(s)
	c.places(s)
	s.Delivery = s.delivery()
	s.Policy.Approvals = f.approvals.or(0)
	c.freezes(s)
	c.direct(s)
	c.attention(s)
	c.passThrough(s)
	c.undoes(s)
}

// settle works out where the files of a stage are.
func (c *compiler) settle(s *compiled) {
	promotion.OnePlace(s.Stage, promotion.Target{})
	c.whole(s)
	f := s.file.value.files
	if !f.given() || !f.good() || s.Whole() {
		return
	}
	s.Files = promotion.Branch{
		Repo: promotion.Repo(f.value.repo.or(string(c.sources.Home))), Name: f.value.branch.or(c.sources.Branch),
	}
	if glob := s.file.value.targets.value.glob.Text; glob != "" && s.Files != c.pipeline.At() {
		s.reader.key("targets").errorf(s.file.value.targets.at, "targets are found on the branch that the pipeline file is "+
			"on only, but the files of this stage are on %s; list the targets", s.Files)
	}
	c.fitBranch(s.reader.key("files").key("branch"), f.value.branch.at, s.Files.Name)
}

// fitBranch judges the name of a branch that promotions go to.
func (c *compiler) fitBranch(r *reader, at pos, name string) {
	switch {
	case strings.HasPrefix(name, "refs/"):
		r.errorf(at, "branch must be the name of a branch; write %s", quote(strings.TrimPrefix(name, "refs/heads/")))
	case strings.HasPrefix(name, "waybill/"):
		r.errorf(at, "branches that begin with waybill/ are those of Waybill's own pull requests; choose another name")
	}
}

// together reports whether two stages have files on one branch.
func (c *compiler) together(a, b *compiled) bool {
	return anyShared(c.pipeline.BranchesOf(a.Stage), c.pipeline.BranchesOf(b.Stage))
}

// anyShared reports whether two lists of branches have one in common.
func anyShared(a, b []promotion.Branch) bool {
	return slices.ContainsFunc(a, func(on promotion.Branch) bool { return slices.Contains(b, on) })
}

// resync returns how often the pipeline is resynced: as its file says, else as the server says, always within bounds.
func (c *compiler) resync() time.Duration {
	server := c.sources.Resync
	if server == 0 {
		server = DefaultResync
	}
	return c.file.resync.or(min(max(server, minResync), maxResync))
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
func (c *compiler) passThrough(s *compiled) {
	f := s.file.value
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
				"`%s` has no effect without `set` or another change: a stage that changes no file has no promotions", name)
		}
	}
}

// unsoaked warns of stages that would let freight soak for nobody.
func (c *compiler) unsoaked() {
	for _, s := range c.stages {
		if s.Intake != promotion.IntakeAfterSoak || !s.file.value.changes() || c.reader.report.errors > 0 {
			continue
		}
		asked := slices.ContainsFunc(s.From, func(from promotion.Source) bool {
			return len(c.pipeline.SoaksAsked(s.Stage, from.Warehouse)) > 0
		})
		if !asked {
			s.reader.warnf(s.file.value.intake.key,
				"`intake: after-soak` has no effect: no stage behind this one asks for a `soak`")
		}
	}
}

// unused warns of warehouses whose freight goes nowhere, unless a mistake may be the reason.
func (c *compiler) unused() {
	if c.reader.report.errors > 0 {
		return
	}
	for _, w := range c.file.warehouses.value {
		taken := false
		for _, s := range c.stages {
			taken = taken || s.asks(w.name)
		}
		if !taken {
			c.reader.key("warehouses").warnf(w.key, "no stage takes freight from %s", quote(w.name))
		}
	}
}
