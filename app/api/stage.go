package api

import (
	"cmp"
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/rollout"
	"waybill/promotion/say"
	"waybill/store"
)

// Stage is a stage as it is now.
type Stage struct {
	Name        string      `json:"name" doc:"as the pipeline file calls it"`
	Automatic   bool        `json:"automatic" doc:"whether the policy promotes into it automatically"`
	PassThrough bool        `json:"passThrough" doc:"whether it changes nothing and only passes freight on"`
	Files       string      `json:"files" doc:"the branch that its files are on: owner/name@branch"`
	Takes       []Take      `json:"takes" doc:"the warehouses whose freight it takes, and the conditions"`
	Hosts       []Hosted    `json:"hosts" doc:"the freight that it hosts, one of each warehouse"`
	Active      *Promotion  `json:"active,omitempty" doc:"the promotion that occupies it"`
	Queue       []Promotion `json:"queue" doc:"the promotions that wait for their turn, by number"`
	Coming      []Coming    `json:"coming" doc:"the newest freight that has had no promotion here, newest first"`
	Holds       []Hold      `json:"holds" doc:"everything that stops it, holds of the whole pipeline included"`
	Frozen      *Why        `json:"frozen,omitempty" doc:"the freeze that stops automation now; nextLook is its end"`
	Rules       []Rule      `json:"rules,omitempty" doc:"rules of its branches for its promotions, as read last"`
	Back        string      `json:"back,omitempty" doc:"the freight that a rollback would bring back; absent: none"`
	NextLook    *time.Time  `json:"nextLook,omitempty" doc:"when it is decided again even if nothing happens"`
}

// Take is a warehouse from which a stage takes freight, and the condition for that.
type Take struct {
	Warehouse string   `json:"warehouse" doc:"its name"`
	After     []string `json:"after,omitempty" doc:"the stages that verify the freight first; absent: none must"`
	Need      int      `json:"need,omitempty" doc:"how many of them must"`
	Soak      string   `json:"soak,omitempty" doc:"how long they host it before"`
}

// StageDetail is a stage, and where the newest freight stands in it.
type StageDetail struct {
	Stage
	At      time.Time  `json:"at" doc:"the time of this state"`
	Freight []Standing `json:"freight" doc:"the newest of its warehouses' freight, newest first"`
}

// Hosted is freight that is in a stage.
type Hosted struct {
	FreightRef
	Since     time.Time  `json:"since" doc:"when it was merged there"`
	Promotion int64      `json:"promotion" doc:"the promotion that brought it"`
	Commit    string     `json:"commit" doc:"the commit whose checks say whether it is good"`
	Verdict   string     `json:"verdict" doc:"pending, passed, failed or inconclusive"`
	Judged    *time.Time `json:"judged,omitempty" doc:"the time of the verdict"`
	JudgedBy  string     `json:"judgedBy,omitempty" doc:"the person whose verdict it is; absent: signals decided"`
	Cause     *Why       `json:"cause,omitempty" doc:"why it failed"`
	Drift     *Why       `json:"drift,omitempty" doc:"how the stage's files differ from the promoted values"`
	// Partly, TakenBack and Incomplete are as /status has them.
	Partly     bool     `json:"partly,omitempty" doc:"whether it is good in the targets that it came to, and not in all"`
	TakenBack  string   `json:"takenBack,omitempty" doc:"what the stage takes it back by, behind the stage's name"`
	Incomplete []string `json:"incomplete,omitempty" doc:"where the file has gained or lost a value since it came"`

	Next    string   `json:"next,omitempty" doc:"the command that a person could type next"`
	Rollout *Rollout `json:"rollout,omitempty" doc:"the states of its targets; absent: the stage has none"`
}

// Coming is freight that is on its way to a stage.
type Coming struct {
	FreightRef
	Place string `json:"place" doc:"available, unavailable or skipped"`
	Why   Why    `json:"why" doc:"the reason why it waits"`
}

// Standing is where a freight stands in a stage.
type Standing struct {
	FreightRef
	Place     string `json:"place" doc:"open, ended, available, unavailable or skipped"`
	Promotion int64  `json:"promotion,omitempty" doc:"its newest promotion there"`
	State     string `json:"state,omitempty" doc:"the state of that promotion"`
	Hosted    bool   `json:"hosted" doc:"whether the stage hosts it now"`
	Verdict   string `json:"verdict" doc:"the latest on it there: pending, passed, failed or inconclusive"`
	Why       Why    `json:"why" doc:"how it stands now, and why"`
}

// FreightRef names a freight.
type FreightRef struct {
	Freight   string `json:"freight" doc:"its name, such as api#142"`
	FreightID string `json:"freightId" doc:"its identity, the hash of its contents"`
	Warehouse string `json:"warehouse" doc:"the warehouse that it comes from"`
	Title     string `json:"title,omitempty" doc:"the title of its pull request or release, or of its commit"`
}

// Hold is a stop on a stage or a pipeline.
type Hold struct {
	Target        string     `json:"target,omitempty" doc:"the target of the stage that it stops; absent: all of it"`
	Warehouse     string     `json:"warehouse,omitempty" doc:"the warehouse whose freight it stops; absent: of all"`
	By            string     `json:"by,omitempty" doc:"the person who gave it; absent: Waybill"`
	Why           Why        `json:"why" doc:"why it was given"`
	Text          string     `json:"text,omitempty" doc:"the reason that the person gave"`
	Since         time.Time  `json:"since" doc:"when it was given first: it may have been made longer since"`
	Until         *time.Time `json:"until,omitempty" doc:"when it expires; absent: when it is lifted"`
	Promotion     int64      `json:"promotion,omitempty" doc:"the promotion that made it necessary"`
	WholePipeline bool       `json:"wholePipeline" doc:"whether it stops all stages"`
}

// maxComing bounds how much freight that has no promotion yet a stage lists.
const maxComing = 5

// oneStage describes a stage and the freight before it.
func (s *Server) oneStage(c *call) (any, error) {
	limit, err := c.limit()
	if err != nil {
		return nil, err
	}
	name, err := c.stage()
	if err != nil {
		return nil, err
	}
	answer := StageDetail{Freight: []Standing{}}
	err = s.view(c.Context(), func(tx *store.Tx) error {
		rows, err := tx.Stages.Of(c.row.ID)
		if err != nil {
			return err
		}
		rows = inFile(rows, c.pipeline)
		i := slices.IndexFunc(rows, func(r store.StageRow) bool { return r.Key.Stage == name })
		if i < 0 {
			return notFound("%s has no stage %q yet", c.row.Repo, name)
		}
		answer.At = tx.Now
		var snapshot *promotion.Snapshot
		if answer.Stage, snapshot, err = s.stage(tx, c, rows[i]); err != nil {
			return err
		}
		for _, f := range newest(snapshot.Freight, limit) {
			answer.Freight = append(answer.Freight, standingOf(snapshot, f, tx.Now))
		}
		return nil
	})
	return answer, err
}

// stage describes a stage by the snapshot that it would be decided upon now.
func (s *Server) stage(tx *store.Tx, c *call, row store.StageRow) (Stage, *promotion.Snapshot, error) {
	snapshot, err := tx.Ledger.Snapshot(c.pipeline, row.Key)
	if err != nil {
		return Stage{}, nil, err
	}
	answer := describe(snapshot, tx.Now)
	answer.NextLook = when(row.Wake)
	if answer.Rules, err = s.rules(tx, c.pipeline, snapshot.Stage); err != nil {
		return Stage{}, nil, err
	}
	if answer.Active != nil {
		answer.Active.Trouble, err = troubleOf(tx, c.row.ID, promotion.Number(answer.Active.Number))
	}
	return answer, snapshot, err
}

// describe says everything that a snapshot tells.
func describe(s *promotion.Snapshot, now time.Time) Stage {
	answer := Stage{
		Name: string(s.Stage.Name), Automatic: s.Stage.Policy.Automatic,
		PassThrough: s.Stage.Delivery == promotion.DeliveryNone,
		Takes:       list(s.Stage.From, takeOf), Hosts: []Hosted{}, Queue: []Promotion{}, Coming: []Coming{}, Holds: []Hold{},
	}
	is := decide.Explain(s, now)
	for _, h := range is.Hosts {
		at := decide.Why(s, h.Freight.ID, now)
		answer.Hosts = append(answer.Hosts, hostedOf(s, h, at))
		answer.Back = cmp.Or(at.BackTo, answer.Back)
	}
	if !is.Frozen.IsZero() {
		answer.Frozen = new(because(is.Frozen))
		answer.Frozen.NextLook = when(is.Thaws)
	}
	for _, at := range is.Open {
		p := promotionOf(*at.Promotion, at, s.Link(at.Promotion.Number))
		p.Rollout = rolloutOf(*at.Promotion, rollout.Status(s, at.Promotion))
		if at.Promotion.State.Active() {
			answer.Active = &p
		} else {
			answer.Queue = append(answer.Queue, p)
		}
	}
	answer.Coming = append(answer.Coming, unpromoted(s, now)...)
	for _, h := range is.Holds {
		answer.Holds = append(answer.Holds, holdOf(h))
	}
	return answer
}

func takeOf(from promotion.Source) Take {
	t := Take{Warehouse: string(from.Warehouse)}
	if g := from.After; g != nil {
		t.After = list(g.Of, func(s *promotion.Stage) string { return string(s.Name) })
		t.Need = g.Need
		if g.Soak > 0 {
			t.Soak = g.Soak.String()
		}
	}
	return t
}

// unpromoted is the newest freight that has neither had a promotion nor been passed over by newer freight.
func unpromoted(s *promotion.Snapshot, now time.Time) (all []Coming) {
	for _, f := range newest(s.Freight, len(s.Freight)) {
		at := decide.Why(s, f.ID, now)
		if at.Promotion != nil || at.Place == promotion.PlaceSkipped {
			continue
		}
		if all = append(all, Coming{
			FreightRef: refOf(f), Place: string(at.Place), Why: whyOf(at, s.Stage.Name),
		}); len(all) == maxComing {
			break
		}
	}
	return all
}

// newest returns the freight of all warehouses that came last, the last first; of the same time the later in its order.
func newest(freight []promotion.Freight, limit int) []promotion.Freight {
	all := slices.Clone(freight)
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b promotion.Freight) int { return b.At().Compare(a.At()) })
	return all[:min(limit, len(all))]
}

func hostedOf(s *promotion.Snapshot, is promotion.Host, at promotion.FreightStatus) Hosted {
	deployment := is.Deployment
	h := Hosted{
		Partly: is.Partly, TakenBack: is.Withdrawn, Incomplete: is.Unwritten,
		FreightRef: FreightRef{
			Freight: at.Name, FreightID: string(deployment.Freight), Warehouse: string(deployment.Warehouse),
		},
		Since: deployment.Entered.UTC(), Promotion: int64(deployment.Promotion), Commit: string(deployment.Commit),
		Verdict: verdict(deployment.Verdict), Judged: when(deployment.Judged), JudgedBy: person(deployment.JudgedBy),
	}
	for _, f := range s.Freight {
		if f.ID == deployment.Freight {
			h.FreightRef = refOf(f)
		}
	}
	if !deployment.Cause.IsZero() {
		h.Cause = new(because(deployment.Cause))
	}
	if !at.Drift.IsZero() {
		h.Drift = new(because(at.Drift))
	}
	if at.Promotion != nil {
		h.Rollout = rolloutOf(*at.Promotion, at.Targets)
	}
	if deployment.Verdict == promotion.Bad || deployment.Verdict == promotion.Undecided || h.Drift != nil {
		h.Next = say.Next(at)
	}
	return h
}

func standingOf(s *promotion.Snapshot, f promotion.Freight, now time.Time) Standing {
	at := decide.Why(s, f.ID, now)
	answer := Standing{FreightRef: refOf(f), Place: string(at.Place), Why: whyOf(at, s.Stage.Name),
		Hosted: at.Hosted, Verdict: verdict(at.Verdict)}
	if at.Promotion != nil {
		answer.Promotion, answer.State = int64(at.Promotion.Number), string(at.Promotion.State)
	}
	return answer
}

func refOf(f promotion.Freight) FreightRef {
	return FreightRef{Freight: f.Name, FreightID: string(f.ID), Warehouse: string(f.Warehouse), Title: f.Title}
}

func holdOf(h promotion.Hold) Hold {
	return Hold{
		Target: string(h.Target), Warehouse: string(h.Warehouse), By: person(h.By), Why: because(h.Reason), Text: h.Text,
		Since: h.At.UTC(), Until: when(h.Until), Promotion: int64(h.Promotion), WholePipeline: h.Stage == "",
	}
}
