package api

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"time"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/rollout"
	"waybill/promotion/say"
	"waybill/store"
)

// Promotions is a page of promotions.
type Promotions struct {
	Promotions []Promotion `json:"promotions" doc:"newest first"`
	Next       string      `json:"next,omitempty" doc:"the cursor of the next page; without it this is the last"`
}

// Promotion is one freight on its way into one stage.
type Promotion struct {
	Number    int64      `json:"number" doc:"its number, which branches and markers on GitHub carry"`
	Stage     string     `json:"stage" doc:"the stage"`
	Freight   string     `json:"freight" doc:"the freight"`
	FreightID string     `json:"freightId" doc:"the identity of the freight"`
	Warehouse string     `json:"warehouse" doc:"where the freight comes from"`
	Class     string     `json:"class" doc:"rollback, manual or automatic: the order of the queue"`
	Automatic bool       `json:"automatic" doc:"whether the policy queued it, whatever its class has become since"`
	State     string     `json:"state" doc:"queued, running, waiting-for-merge, verifying; or its end, such as succeeded"`
	Why       Why        `json:"why" doc:"the reason why it waits, or ended so"`
	Trouble   string     `json:"trouble,omitempty" doc:"GitHub's answer to the latest try, while Waybill tries again"`
	By        string     `json:"by,omitempty" doc:"who asked for it; absent: automation"`
	Cause     int64      `json:"cause,omitempty" doc:"the promotion that it retries or rolls back"`
	Pull      string     `json:"pull,omitempty" doc:"the address of its pull request"`
	Commit    string     `json:"commit,omitempty" doc:"the address of its commit, where it has no pull request"`
	Run       string     `json:"run,omitempty" doc:"the address of the run of its workflow, where it changes no file"`
	MergeSHA  string     `json:"mergeSha,omitempty" doc:"the commit that it was merged as, or is"`
	Queued    time.Time  `json:"queued" doc:"when it was queued"`
	Started   *time.Time `json:"started,omitempty" doc:"when it was started"`
	Merged    *time.Time `json:"merged,omitempty" doc:"when it was merged or committed, as GitHub says"`
	Ended     *time.Time `json:"ended,omitempty" doc:"when it ended"`
	Rollout   *Rollout   `json:"rollout,omitempty" doc:"its progress through the targets; absent: the stage has none"`
}

// Rollout is how a promotion goes through the targets of its stage.
type Rollout struct {
	Summary string   `json:"summary" doc:"the number of targets in each state, such as 12/40 verified, 28 to come"`
	Step    int      `json:"step" doc:"the step in progress, or the last one"`
	Batch   string   `json:"batch" doc:"the batch that the step belongs to"`
	Targets []Target `json:"targets" doc:"batch by batch"`
}

// Target is how one target of a rollout stands.
type Target struct {
	Name  string `json:"name" doc:"its name"`
	Batch string `json:"batch" doc:"the batch that it is in"`
	State string `json:"state" doc:"verified, updating, failed, waiting, removed or to come"`
	Why   string `json:"why,omitempty" doc:"why it failed, for people"`
	URL   string `json:"url,omitempty" doc:"an address with the details of that"`
}

// rolloutOf describes the rollout of a promotion; nil if it has none.
func rolloutOf(p promotion.Promotion, targets []promotion.TargetStatus) *Rollout {
	if !p.Rolls() {
		return nil
	}
	r := &Rollout{Summary: say.String(rollout.Summarize(targets)), Step: p.Rollout.Step, Batch: p.Rollout.BatchName(),
		Targets: []Target{}}
	for _, t := range targets {
		r.Targets = append(r.Targets,
			Target{Name: string(t.Target), Batch: t.Batch, State: string(t.State), Why: say.Sentence(t.Cause),
				URL: t.Cause.URL})
	}
	return r
}

// PromotionDetail is a promotion and its effects.
type PromotionDetail struct {
	Promotion
	Branch  string   `json:"branch,omitempty" doc:"the branch of its pull request"`
	HeadSHA string   `json:"headSha,omitempty" doc:"the commit that the pull request proposes"`
	Paths   []string `json:"paths" doc:"the files that it changes"`
	Effects []Effect `json:"effects" doc:"in the order of decision"`
	Notes   *Notes   `json:"notes,omitempty" doc:"what it brings, as its pull request says; absent: it has no plan yet"`
	Steps   []string `json:"steps,omitempty" doc:"of a rollout: the pull requests, or commits, of earlier steps"`
	// Commands are sign-offs, refusals, retries and the like.
	Commands []Event `json:"commands" doc:"the commands that were about it, in order, 100 at most"`
}

// Effect is something that is done for a promotion at GitHub.
type Effect struct {
	Verb     string     `json:"verb" doc:"plan, open, merge, commit, dispatch, dequeue, close, observe, tell or reply"`
	State    string     `json:"state" doc:"due, doing, done, failed (given up) or void (no longer wanted before it began)"`
	Attempts int        `json:"attempts" doc:"how often it was tried"`
	Decided  time.Time  `json:"decided" doc:"when it was decided on"`
	Tried    *time.Time `json:"tried,omitempty" doc:"when it was last tried"`
	Done     *time.Time `json:"done,omitempty" doc:"when it was done or given up"`
	NextLook *time.Time `json:"nextLook,omitempty" doc:"when it is tried next"`
	Error    string     `json:"error,omitempty" doc:"why the last try failed"`
}

// promotions lists the promotions of a pipeline, or of some of its stages.
func (s *Server) promotions(c *call) (any, error) {
	var before promotion.Number
	limit, err := c.page(&before)
	if err != nil {
		return nil, err
	}
	page := Promotions{Promotions: []Promotion{}}
	err = s.view(c.Context(), func(tx *store.Tx) error {
		var all []promotion.Promotion
		for _, stage := range c.stagesPast(c.URL.Query().Get("stage")) {
			of, err := tx.Promotions.Latest(store.StageKey{Pipeline: c.row.ID, Stage: stage}, before, limit+1)
			if err != nil {
				return err
			}
			all = append(all, of...)
		}
		slices.SortFunc(all, func(a, b promotion.Promotion) int { return cmp.Compare(b.Number, a.Number) })
		if len(all) > limit {
			all = all[:limit]
			page.Next = nextCursor(all[limit-1].Number)
		}
		for _, p := range all {
			answer, err := c.promotion(tx, p)
			if err != nil {
				return err
			}
			page.Promotions = append(page.Promotions, answer)
		}
		return nil
	})
	return page, err
}

// onePromotion describes a promotion of the pipeline.
func (s *Server) onePromotion(c *call) (any, error) {
	n, err := strconv.ParseInt(c.PathValue("number"), 10, 64)
	if err != nil || n < 1 {
		return nil, badRequest("%q is not the number of a promotion", c.PathValue("number"))
	}
	var answer PromotionDetail
	err = s.view(c.Context(), func(tx *store.Tx) error {
		p, err := tx.Promotions.ByNumber(c.row.ID, promotion.Number(n))
		if errors.Is(err, store.ErrNotFound) {
			return notFound("%s has no promotion %d", c.row.Repo, n)
		}
		if err != nil {
			return err
		}
		answer, err = c.detail(tx, p)
		return err
	})
	return answer, err
}

// detail describes a promotion and its effects.
func (c *call) detail(tx *store.Tx, p promotion.Promotion) (PromotionDetail, error) {
	answer := PromotionDetail{Paths: []string{}}
	var err error
	if answer.Promotion, err = c.promotion(tx, p); err != nil {
		return answer, err
	}
	a, err := tx.Attempts.Of(c.row.ID, p.Number)
	if err != nil {
		return answer, err
	}
	steps, err := tx.Attempts.Steps(c.row.ID, p.Number)
	if err != nil {
		return answer, err
	}
	for _, s := range steps {
		answer.Steps = append(answer.Steps, s.URL)
	}
	answer.Branch, answer.HeadSHA = a.Branch, string(a.Made.Head)
	if a.Plan != nil {
		answer.Paths = append(answer.Paths, a.Plan.Paths...)
		answer.Notes = notesOf(p, a.Plan.Notes)
	}
	effects, err := tx.Outbox.EffectsOf(c.row.ID, p.Number)
	if err != nil {
		return answer, err
	}
	answer.Effects = list(effects, effectOf)
	commands, err := tx.Audit.Commands(c.row.ID, p.Number, maxLimit)
	answer.Commands = list(commands, eventOf)
	return answer, err
}

func effectOf(e store.Effect) Effect {
	answer := Effect{
		Verb: string(e.Verb), State: string(e.State), Attempts: e.Attempts, Decided: e.Decided.UTC(),
		Tried: when(e.Tried), Done: when(e.Done), Error: e.Error,
	}
	if open(e) {
		answer.NextLook = when(e.RunAt)
	}
	return answer
}

// open reports whether an effect is still to be carried out.
func open(e store.Effect) bool { return e.State == store.EffectDue || e.State == store.EffectDoing }

// promotion describes one of a list: why it waits if it is open, and else how it ended.
func (c *call) promotion(tx *store.Tx, p promotion.Promotion) (Promotion, error) {
	a, err := tx.Attempts.Of(c.row.ID, p.Number)
	if err != nil {
		return Promotion{}, err
	}
	at := promotion.FreightStatus{
		Freight: p.Freight.ID, Name: p.Freight.Name, Promotion: &p, Place: promotion.PlaceEnded, Reason: p.Reason,
	}
	if p.State.Ended() {
		answer := promotionOf(p, at, a.Link())
		if !p.Rolls() {
			return answer, nil
		}
		parts, err := tx.Deployments.Results(c.row.ID, p.Number)
		answer.Rollout = rolloutOf(p, rollout.StatusOf(&p, parts))
		return answer, err
	}
	snapshot, err := tx.Ledger.Snapshot(c.pipeline, store.StageKey{Pipeline: c.row.ID, Stage: p.Stage}, p.Freight.ID)
	if err != nil {
		return Promotion{}, err
	}
	answer := promotionOf(p, decide.Why(snapshot, p.Freight.ID, tx.Now), a.Link())
	answer.Rollout = rolloutOf(p, rollout.Status(snapshot, &p))
	answer.Trouble, err = troubleOf(tx, c.row.ID, p.Number)
	return answer, err
}

// troubleOf returns why the latest try of a promotion's effect at GitHub failed, as long as it is tried again.
func troubleOf(tx *store.Tx, pipeline int64, n promotion.Number) (trouble string, err error) {
	effects, err := tx.Outbox.EffectsOf(pipeline, n)
	for _, e := range effects {
		if open(e) && e.Error != "" {
			trouble = e.Error
		}
	}
	return trouble, err
}

func promotionOf(p promotion.Promotion, at promotion.FreightStatus, link promotion.Link) Promotion {
	answer := Promotion{
		Number: int64(p.Number), Stage: string(p.Stage), Freight: p.Freight.Name, FreightID: string(p.Freight.ID),
		Warehouse: string(p.Freight.Warehouse), Class: string(p.Class), Automatic: p.Automatic, State: string(p.State),
		Why: whyOf(at, p.Stage), By: person(p.By), Cause: int64(p.Cause), MergeSHA: string(p.MergeSHA),
		Queued: p.Queued.UTC(), Started: when(p.Started), Merged: when(p.Merged), Ended: when(p.Ended),
	}
	switch link.What {
	case promotion.OnPull:
		answer.Pull = link.URL
	case promotion.OnCommit:
		answer.Commit = link.URL
	case promotion.OnRun:
		answer.Run = link.URL
	}
	return answer
}
