package api

import (
	"math"
	"strconv"
	"strings"
	"time"

	"waybill/promotion"
	"waybill/promotion/dora"
	"waybill/store"
)

// Numbers say how delivery goes in a pipeline and its stages. docs/numbers.md defines each of them.
type Numbers struct {
	At      time.Time      `json:"at" doc:"the time of this state, and the end of the range"`
	Since   time.Time      `json:"since" doc:"the beginning of the range"`
	Partial bool           `json:"partial,omitempty" doc:"there were more than the newest 10,000 promotions, which count"`
	Period  string         `json:"period" doc:"day or week: what periods are"`
	Last    []string       `json:"last" doc:"the last stages: no other takes freight after them"`
	Whole   Measures       `json:"whole" doc:"the pipeline: its last stages together"`
	Stages  []StageNumbers `json:"stages" doc:"in the order of the file, without those that only pass freight on"`
}

// StageNumbers are the numbers of one stage.
type StageNumbers struct {
	Stage string `json:"stage" doc:"the stage"`
	Measures
}

// Measures say how delivery goes in one stage, or in several together.
type Measures struct {
	Deployments int      `json:"deployments" doc:"promotions that brought a change"`
	PerWeek     float64  `json:"perWeek" doc:"how many of them there were in a week"`
	Judged      int      `json:"judged" doc:"deployments that turned out good or bad"`
	Failed      int      `json:"failed" doc:"those that turned out bad"`
	FailureRate *float64 `json:"failureRate,omitempty" doc:"failed of judged, 0 to 1; absent: none was judged"`
	LeadTime    *Spread  `json:"leadTime,omitempty" doc:"from merge until verified here; absent: there is none"`
	Waits       []Wait   `json:"waits" doc:"what the lead times consist of, in the order in which it passes"`
	Restore     *Spread  `json:"restore,omitempty" doc:"from a failure until what came next was verified; absent: none"`
	Broken      int      `json:"broken" doc:"failures after which nothing that came was verified yet"`
	Periods     []Period `json:"periods" doc:"the range in UTC days, or weeks from Monday, oldest first"`
}

// Spread says how some durations are distributed.
type Spread struct {
	Count  int   `json:"count" doc:"how many there are"`
	Median int64 `json:"median" doc:"in seconds: half of them are at most as long"`
	P90    int64 `json:"p90" doc:"in seconds: nine of ten are at most as long"`
}

// Wait is the part of lead times that passed for one cause.
type Wait struct {
	Cause string  `json:"cause" doc:"before, held, turn, sign-off, delivery or verification"`
	Share float64 `json:"share" doc:"of all lead times together, 0 to 1"`
	Spread
}

// Period is a day or a week.
type Period struct {
	From        time.Time `json:"from" doc:"when it begins"`
	Deployments int       `json:"deployments" doc:"how many there were"`
	Failed      int       `json:"failed" doc:"those of them that turned out bad, whenever that was"`
}

const (
	usualDays = 28
	maxDays   = 366
)

// numbers reads the promotions and holds of a pipeline, and then computes its numbers.
func (s *Server) numbers(c *call) (any, error) {
	var w dora.Window
	var passages []promotion.Passage
	var holds []promotion.Hold
	var all bool
	asked, err := c.stagesAsked()
	if err != nil {
		return nil, err
	}
	err = s.view(c.Context(), func(tx *store.Tx) (err error) {
		w.Until = tx.Now
		if w.Since, err = sinceWhen(c.URL.Query().Get("since"), tx.Now); err != nil {
			return err
		}
		if passages, all, err = tx.Promotions.Passages(c.row.ID, w.Since); err != nil {
			return err
		}
		holds, err = tx.Ledger.HoldsSince(c.row.ID, w.Since)
		return err
	})
	if err != nil {
		return nil, err
	}
	answer := Numbers{
		At: w.Until, Since: w.Since, Partial: !all, Period: "week", Last: []string{}, Stages: []StageNumbers{},
	}
	if w.Days() {
		answer.Period = "day"
	}
	h := dora.NewHistory(passages, holds)
	if c.pipeline == nil {
		answer.Whole = measuresOf(h.Numbers(w), w)
		return answer, nil
	}
	stages, last := dora.Stages(c.pipeline)
	answer.Whole = measuresOf(h.Numbers(w, last...), w)
	for _, name := range last {
		answer.Last = append(answer.Last, string(name))
	}
	for _, name := range stages {
		if asked.named != nil && !asked.named[name] {
			continue
		}
		answer.Stages = append(answer.Stages, StageNumbers{string(name), measuresOf(h.Numbers(w, name), w)})
	}
	return answer, nil
}

// sinceWhen reads the beginning of a range that ends now: a time, a day, or how many days ago.
func sinceWhen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now.AddDate(0, 0, -usualDays), nil
	}
	at, ok := begin(text, now)
	if !ok || !at.Before(now) || at.Before(now.AddDate(0, 0, -maxDays)) {
		return at, badRequest("since must be a time such as 2026-01-31 or 2026-01-31T09:00:00Z, or a number of days "+
			"such as %dd, at most %d days ago", usualDays, maxDays)
	}
	return at, nil
}

func begin(text string, now time.Time) (time.Time, bool) {
	if days, are := strings.CutSuffix(text, "d"); are {
		n, err := strconv.ParseUint(days, 10, 16)
		return now.AddDate(0, 0, -int(n)), err == nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

func measuresOf(n dora.Numbers, w dora.Window) Measures {
	answer := Measures{
		Deployments: n.Deployments, PerWeek: rounded(float64(n.Deployments) / w.Weeks()), Judged: n.Judged, Failed: n.Failed,
		LeadTime: spreadOf(n.Lead), Restore: spreadOf(n.Restore), Broken: n.Broken,
		Periods: list(n.Periods, func(p dora.Period) Period { return Period{p.From, p.Deployments, p.Failed} }),
	}
	if n.Judged > 0 {
		answer.FailureRate = new(rounded(float64(n.Failed) / float64(n.Judged)))
	}
	var whole time.Duration
	for _, wait := range n.Waits {
		whole += wait.Total
	}
	answer.Waits = list(n.Waits, func(wait dora.Wait) Wait {
		share := rounded(float64(wait.Total) / float64(max(whole, 1)))
		return Wait{Cause: string(wait.Cause), Share: share, Spread: *spreadOf(wait.Spread)}
	})
	return answer
}

// spreadOf is a spread as an answer; nil if there is nothing to spread.
func spreadOf(s dora.Spread) *Spread {
	if s.Count == 0 {
		return nil
	}
	return &Spread{s.Count, int64(s.Median.Seconds()), int64(s.P90.Seconds())}
}

// rounded leaves as many digits as anybody reads.
func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }
