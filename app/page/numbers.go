package page

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"waybill/app/api"
)

// figures are the numbers about delivery of a pipeline, or of one of its stages.
type figures struct {
	api.Numbers
	Stage  string // empty: the pipeline
	Shown  api.Measures
	Chart  chart
	Range  string   // as it was asked for
	Ranges []choice // that are offered
}

// choice is a range of time that a visitor may choose.
type choice struct{ Since, Label string }

// ranges are those that are offered.
var ranges = []choice{{"7d", "7 days"}, {"28d", "28 days"}, {"90d", "90 days"}, {"365d", "a year"}}

// numbers shows how delivery goes.
func numbers(v *visit) (page, error) {
	asked := v.r.URL.Query()
	f := &figures{Stage: asked.Get("stage"), Range: cmp.Or(asked.Get("since"), ranges[1].Since), Ranges: ranges}
	if err := v.get(&f.Numbers, v.of("/numbers?since="+url.QueryEscape(f.Range))); err != nil {
		return page{}, err
	}
	f.Shown = f.Whole
	title := "Numbers of " + v.Repo
	if f.Stage != "" {
		i := slices.IndexFunc(f.Stages, func(n api.StageNumbers) bool { return n.Stage == f.Stage })
		if i < 0 {
			return page{}, &api.Problem{
				Status: http.StatusNotFound, Title: http.StatusText(http.StatusNotFound),
				Detail: "There is no stage " + f.Stage + " that is deployed to.",
			}
		}
		f.Shown, title = f.Stages[i].Measures, "Numbers of "+f.Stage
	}
	f.Chart = chartOf(f.Shown.Periods, f.Period)
	return page{template: "numbers.html", title: title, data: f}, nil
}

// chart is a picture of deployments over time: a bar upwards for each period, and one downwards for those of its
// deployments that failed.
type chart struct {
	Bars         []bar
	Width, Whole int // of the picture
	Base         int // where the bars begin
	Most         int // deployments in a period
	Period       string
}

// bar is a period of a chart.
type bar struct {
	api.Period
	X, Y, Did, Fell int // where it begins from the left and from above, and how far it goes up and down from the base
	Says            string
}

const (
	barStep  = 10  // from one bar to the next
	barReach = 100 // the height of the highest bar
)

// chartOf draws periods.
func chartOf(periods []api.Period, each string) chart {
	c := chart{Width: max(1, len(periods)) * barStep, Base: barReach, Period: each}
	deepest := 0
	for _, p := range periods {
		c.Most, deepest = max(c.Most, p.Deployments), max(deepest, p.Failed)
	}
	height := func(n int) int { return n * barReach / max(1, c.Most) }
	c.Whole = barReach + height(deepest)
	for i, p := range periods {
		up := height(p.Deployments)
		c.Bars = append(c.Bars, bar{Period: p, X: i*barStep + 1, Y: barReach - up, Did: up, Fell: height(p.Failed),
			Says: fmt.Sprintf("%s: %d deployed, %d failed", p.From.Format("2 Jan"), p.Deployments, p.Failed)})
	}
	return c
}

// First and Last are the days of the first and the last bar.
func (c chart) First() string { return c.day(0) }

// Last is the day of the last bar.
func (c chart) Last() string { return c.day(len(c.Bars) - 1) }

func (c chart) day(i int) string {
	if i < 0 || i >= len(c.Bars) {
		return ""
	}
	return c.Bars[i].From.Format("2 Jan 2006")
}

// causeWords are the causes of waiting as people read them.
var causeWords = map[string]string{
	"before":       "Before its turn in the stage: the stages before, soaking, somebody who asks",
	"held":         "In the queue, while it was held",
	"turn":         "In the queue otherwise: other promotions, freezes",
	"sign-off":     "Until it was signed off",
	"delivery":     "Until it was merged: checks, reviews, rules of the branch",
	"verification": "Until it was verified",
}

// hundredths is a part of one in percent.
func hundredths(x float64) string { return fmt.Sprintf("%.0f", 100*x) }

// typical says how many durations there were, and how long most of them were.
func typical(s *api.Spread, what string) string {
	if s.Count == 1 {
		return "of one " + what
	}
	return fmt.Sprintf("half of %d; nine of ten within %s", s.Count, took(s.P90))
}

// took is a number of seconds in its two largest units.
func took(seconds int64) string {
	d := time.Duration(seconds) * time.Second
	two := func(large, small time.Duration, a, b string) string {
		text := fmt.Sprintf("%d %s", d/large, a)
		if rest := d % large / small; rest > 0 {
			text += fmt.Sprintf(" %d %s", rest, b)
		}
		return text
	}
	switch {
	case d < time.Second:
		return "0 s"
	case d < time.Hour:
		return span(d)
	case d < 48*time.Hour:
		return two(time.Hour, time.Minute, "h", "min")
	}
	return two(24*time.Hour, time.Hour, "days", "h")
}
