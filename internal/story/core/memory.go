package core

import (
	"cmp"
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/verify"
)

// memory is the store of Waybill: the facts that it has received and its decisions. It survives a crash.
type memory struct {
	pipeline    *promotion.Pipeline
	since       map[warehouse]beginning // each warehouse began
	freight     []promotion.Freight
	images      []promotion.Image
	promotions  []promotion.Promotion // by number
	attempts    []*promotion.Attempt
	pulls       []promotion.Pull
	deployments []promotion.Deployment // by the time they began
	signals     []promotion.Signal
	suites      []promotion.Suite
	pushes      []promotion.Push
	readings    map[readingOf]promotion.Reading
	readiness   map[promotion.StageName]promotion.Readiness
	holds       []promotion.Hold
	approvals   []promotion.Approval
	rejects     []promotion.Reject
	requests    []request
	together    map[int64][]promotion.Code // the outcomes of commands that were given to several stages
	wanted      []wanted                   // requests by label that wait for freight
	heard       map[int64]bool             // requests received so far
	outbox      []*job
}

// warehouse is the identity of a warehouse. A warehouse with another kind or repository is a different one.
type warehouse struct {
	name promotion.WarehouseName
	kind promotion.WarehouseKind
	repo promotion.Repo
}

func keyOf(w *promotion.Warehouse) warehouse { return warehouse{w.Name, w.Kind, w.Repo} }

// beginning is the time at which a warehouse began, and the number of pushes before it.
type beginning struct {
	at     time.Time
	pushes int
}

// takeOver puts a pipeline in force.
func (m *memory) takeOver(p *promotion.Pipeline, now time.Time, pushes int) {
	m.pipeline = p
	for i, f := range m.freight {
		if w := p.Warehouse(f.Warehouse); w != nil {
			m.freight[i] = w.Placed(f)
		}
	}
	for _, w := range p.Warehouses {
		if _, known := m.since[keyOf(w)]; !known {
			m.since[keyOf(w)] = beginning{now, pushes}
		}
	}
}

// keep adds freight, unless its name is known.
func (m *memory) keep(f promotion.Freight) {
	for _, known := range m.freight {
		if known.Warehouse == f.Warehouse && known.Repo == f.Repo && known.Name == f.Name {
			return
		}
	}
	m.addImages(&f)
	m.freight = append(m.freight, f)
}

// request is a command request and the stage that answers it.
type request struct {
	stage promotion.StageName
	promotion.Request
}

// snapshot builds the snapshot for a decision about a stage. rights holds the permissions on the home repository.
func (m *memory) snapshot(stage *promotion.Stage, removed bool, rights *rights) *promotion.Snapshot {
	s := &promotion.Snapshot{
		Pipeline: m.pipeline, Stage: stage, Removed: removed,
		Freight: m.freightOf(stage), Pulls: m.pulls,
		Next: promotion.Number(len(m.promotions) + 1), NextID: int64(len(m.holds)+len(m.approvals)+len(m.rejects)) + 1,
	}
	for _, on := range m.pipeline.BranchesOf(stage) {
		if r, known := m.readings[readingOf{stage.Name, on}]; known {
			s.Readings = append(s.Readings, r)
		}
	}
	if r, known := m.readiness[stage.Name]; known {
		s.Readiness = &r
	}
	s.Promotions = filter(m.promotions, func(p promotion.Promotion) bool { return p.Stage == stage.Name })
	s.NextPlace = int64(len(s.Promotions)) + 1
	s.Deployments = filter(m.deployments, func(st promotion.Deployment) bool { return st.Stage == stage.Name })
	s.Rejections = m.rejections(stage.Name)
	s.Holds = filter(m.holds, func(h promotion.Hold) bool { return h.Lifted.IsZero() })
	s.Rejects = filter(m.rejects, func(r promotion.Reject) bool { return r.Lifted.IsZero() })
	for _, a := range m.attempts {
		s.Attempts = append(s.Attempts, *a)
		s.Attempts[len(s.Attempts)-1].Asker = rights.asker(m.pipeline, m.promotion(a.Promotion))
	}
	s.Reopened = m.reopened(s)
	for _, up := range m.pipeline.Stages {
		s.Records = append(s.Records, m.records(up.Name, s.Freight, s.Busy()))
	}
	for _, a := range m.approvals {
		if a.Stage == stage.Name {
			a.Entitled = rights.keeps(m.pipeline, a)
			s.Approvals = append(s.Approvals, a)
		}
	}
	for _, r := range m.requests {
		if r.stage == stage.Name {
			r.Permission = rights.of(r.By.Login)
			s.Requests = append(s.Requests, r.Request)
		}
	}
	s.Newest = m.marks(s)
	s.Evidence = verify.Gather(s, m.signals, m.suites, m.pushes)
	return s
}

// reopened returns the pull requests of ended promotions that people have opened again and that are not being closed.
func (m *memory) reopened(s *promotion.Snapshot) (all []promotion.Reopened) {
	for _, a := range m.attempts {
		p := m.promotion(a.Promotion)
		pull := s.Pull(*a)
		if pull == nil || p.Stage != s.Stage.Name || !p.State.Ended() || pull.State != promotion.PullOpen ||
			pull.Reopened == 0 {
			continue
		}
		closing := slices.ContainsFunc(m.outbox, func(j *job) bool {
			return j.Verb == promotion.Close && j.Promotion == p.Number && j.Round == pull.Reopened
		})
		if !closing {
			all = append(all, promotion.Reopened{
				Promotion: p.Number, Step: p.Step(), State: p.State, Freight: p.Freight.Name, Times: pull.Reopened,
			})
		}
	}
	return all
}

// freightOf returns the freight of a stage's warehouses, and of all that a request to it may mean, the oldest of each
// warehouse first.
func (m *memory) freightOf(stage *promotion.Stage) []promotion.Freight {
	var all []promotion.Freight
	everywhere := slices.ContainsFunc(m.requests, func(r request) bool {
		return r.stage == stage.Name && r.Command.Stage == "" // the first stage answers for all
	})
	for _, w := range m.pipeline.Warehouses {
		if _, takes := stage.Source(w.Name); takes || everywhere {
			all = append(all, filter(m.freight, func(f promotion.Freight) bool { return f.Warehouse == w.Name })...)
		}
	}
	slices.SortStableFunc(all, func(a, b promotion.Freight) int {
		return cmp.Or(cmp.Compare(a.Warehouse, b.Warehouse), a.Merged.Compare(b.Merged), cmp.Compare(a.Number, b.Number))
	})
	return all
}

// records sums up the history of freight in a stage, with the way of what may yet come there if that is asked for.
func (m *memory) records(stage promotion.StageName, freight []promotion.Freight, ways bool) []promotion.Record {
	records, withdrawals := make([]promotion.Record, len(freight)), m.withdrawals(stage)
	for i, f := range freight {
		records[i] = promotion.NewRecord(&f, filter(m.deployments, func(s promotion.Deployment) bool {
			return s.Stage == stage && s.Freight == f.ID
		}), withdrawals)
		for _, p := range m.promotions {
			if p.Stage != stage || !ways {
				continue
			}
			records[i].Coming = records[i].Coming || p.Freight.ID == f.ID && !p.State.Ended()
			records[i].Taken = records[i].Taken || !m.before(p.Freight.ID, f)
		}
	}
	return records
}

// withdrawals returns the promotions of a stage that take freight back there.
func (m *memory) withdrawals(stage promotion.StageName) (all []promotion.Withdrawal) {
	for _, p := range m.promotions {
		if f := m.freightByID(p.Freight.ID); p.Stage == stage && p.Withdraws() {
			all = append(all, promotion.Withdrawal{Promotion: p, To: f.Mark()})
		}
	}
	return all
}

// before reports whether freight is older than other freight, or of another warehouse.
func (m *memory) before(id promotion.FreightID, f promotion.Freight) bool {
	i := slices.IndexFunc(m.freight, func(g promotion.Freight) bool { return g.ID == id })
	return i < 0 || m.freight[i].Warehouse != f.Warehouse || m.freight[i].Before(f)
}

// marks returns the newest freight of each warehouse that has had a promotion in the snapshot's stage.
func (m *memory) marks(s *promotion.Snapshot) []promotion.Mark {
	marks := map[promotion.WarehouseName]promotion.Mark{}
	for _, f := range s.Freight { // the newest last
		if slices.ContainsFunc(s.Promotions, func(p promotion.Promotion) bool {
			return p.Freight.ID == f.ID && !p.Early
		}) {
			marks[f.Warehouse] = f.Mark()
		}
	}
	var all []promotion.Mark
	for _, source := range s.Stage.From {
		if mark, some := marks[source.Warehouse]; some {
			all = append(all, mark)
		}
	}
	return all
}

// apply records a decision.
func (m *memory) apply(d promotion.Decision) {
	for _, p := range d.Promotions {
		m.promotions = put(m.promotions, p, func(known promotion.Promotion) bool { return known.Number == p.Number })
		if p.State == promotion.Queued {
			m.moveTo(p.Number, m.pipeline.FilesOfStep(m.pipeline.Stage(p.Stage), &p))
		}
	}
	for _, s := range d.Deployments {
		if !slices.ContainsFunc(m.deployments, func(known promotion.Deployment) bool {
			return known.Promotion == s.Promotion && len(known.Results) == len(s.Results)
		}) {
			m.outdate(s.Stage, s.Commit)
		}
		m.deployments = put(m.deployments, s, func(known promotion.Deployment) bool { return known.Promotion == s.Promotion })
	}
	for _, h := range d.Holds {
		m.holds = put(m.holds, h, func(known promotion.Hold) bool { return known.ID == h.ID })
	}
	for _, a := range d.Approvals {
		m.approvals = put(m.approvals, a, func(known promotion.Approval) bool { return known.ID == a.ID })
	}
	for _, r := range d.Rejects {
		m.rejects = put(m.rejects, r, func(known promotion.Reject) bool { return known.ID == r.ID })
	}
	for _, a := range d.Answered {
		m.answered(a)
	}
}

// answered closes a request. When that was the last of those to several stages, their one reply is due.
func (m *memory) answered(a promotion.Answer) {
	i := slices.IndexFunc(m.requests, func(r request) bool { return r.ID == a.Request })
	if i < 0 {
		return
	}
	r := m.requests[i]
	m.requests = slices.Delete(m.requests, i, i+1)
	if r.Together == 0 {
		return
	}
	m.together[r.Together] = append(m.together[r.Together], a.Outcome)
	if !slices.ContainsFunc(m.requests, func(other request) bool { return other.Together == r.Together }) {
		m.outbox = append(m.outbox, &job{Effect: promotion.ReplyTogether(r.Request, m.together[r.Together])})
	}
}

// promotion returns the promotion with that number.
func (m *memory) promotion(n promotion.Number) promotion.Promotion {
	if n < 1 || int(n) > len(m.promotions) {
		return promotion.Promotion{}
	}
	return m.promotions[n-1]
}

// stepOf returns the current step of a promotion.
func (m *memory) stepOf(n promotion.Number) int {
	p := m.promotion(n)
	return p.Step()
}

// attempt returns the attempt at a promotion's current step, and makes it if necessary.
func (m *memory) attempt(n promotion.Number) *promotion.Attempt {
	p := m.promotion(n)
	begun := promotion.Attempt{Promotion: n, Step: p.Step(), Files: m.pipeline.FilesOfStep(m.pipeline.Stage(p.Stage), &p)}
	for _, a := range m.attempts {
		if a.Promotion == n {
			if a.Step != begun.Step {
				*a = begun
			}
			return a
		}
	}
	m.attempts = append(m.attempts, &begun)
	return &begun
}

// moveTo has a promotion that waits go to a branch.
func (m *memory) moveTo(n promotion.Number, to promotion.Branch) {
	if a := m.attempt(n); a.Files != to {
		a.MoveTo(to)
	}
}

// freightByID returns the freight with that id.
func (m *memory) freightByID(id promotion.FreightID) promotion.Freight {
	for _, f := range m.freight {
		if f.ID == id {
			return f
		}
	}
	return promotion.Freight{}
}

// put replaces the element for which same returns true, or appends a new one.
func put[T any](all []T, one T, same func(T) bool) []T {
	if i := slices.IndexFunc(all, same); i >= 0 {
		all[i] = one
		return all
	}
	return append(all, one)
}

func filter[T any](all []T, keep func(T) bool) []T {
	var kept []T
	for _, one := range all {
		if keep(one) {
			kept = append(kept, one)
		}
	}
	return kept
}
