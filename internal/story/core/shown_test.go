package core

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"waybill/internal/shown"
	"waybill/internal/story"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/say"
)

// comparing compares what views say with what is so.
type comparing struct {
	t    require.TestingT
	seen map[string]int // how often each was so
}

// views compares, in every stage and of every freight, what each view says with what is so.
func (c comparing) views(w *World, after string) {
	for _, stage := range w.Pipeline().Stages {
		if stage.Delivery == promotion.DeliveryNone {
			continue
		}
		s := w.snapshot(stage, false)
		is := decide.Explain(s, w.now)
		c.status(s, is, after)
		for i := range s.Freight {
			at := decide.Why(s, s.Freight[i].ID, w.now)
			c.freight(s, is, s.Freight[i], at, after)
		}
	}
}

// status compares the answer to `/status` with what the stage hosts, waits for, and is stopped by.
func (c comparing) status(s *promotion.Snapshot, is promotion.Status, after string) {
	row := say.StageRow(is)
	said := shown.OfHosts(row[1])
	hosts := 0
	for i := range s.Deployments {
		d := &s.Deployments[i]
		if d.Ended() {
			continue
		}
		hosts++
		name := s.NameOf(d.Freight)
		claim, there := said[name]
		require.True(c.t, there, "%s: %s does not host %s: %s", after, s.Stage.Name, name, row[1])
		is := shown.Is{Here: true, Ended: true, Good: d.Verdict == promotion.Passed, Bad: d.Verdict == promotion.Bad,
			Partly: partly(d, s.Promotion(d.Promotion))}
		c.agrees(claim, is, true, "/status", after, row[1])
		fails := func(r promotion.TargetResult) bool { return r.Verdict != promotion.Passed }
		if is.Bad && s.Promotion(d.Promotion).State == promotion.Succeeded {
			require.True(c.t, slices.ContainsFunc(d.Results, fails), "%s: all of it is good: %s", after, row[1])
		}
		if p := s.Promotion(d.Promotion); p.MergeSHA != "" && p.State.Ended() && d.Verdict != promotion.Pending {
			require.Equal(c.t, is.Good, s.Deployed(p) == "success", "%s: %s", after, s.Deployed(p))
		}
		incomplete := len(s.Unwritten(d)) > 0
		require.Equal(c.t, incomplete, strings.Contains(row[1], name+" ") && strings.Contains(row[1], "incomplete"), after)
	}
	require.Len(c.t, said, hosts, "%s: %s", after, row[1])
	for _, at := range slices.Concat(is.Open, is.Coming) {
		if !at.Reason.IsZero() {
			require.Contains(c.t, row[3], say.Sentence(at.Reason), after)
		}
		if at.Until.After(is.At) {
			require.Contains(c.t, row[3], moment(at.Until)+" (in ", after)
			c.seen["waits"]++
		}
	}
	for _, h := range s.Holds {
		if (h.Stage == s.Stage.Name || h.Stage == "") && h.Stands(is.At) {
			require.Contains(c.t, row[3], say.HoldSentence(h), after)
			c.seen["held"]++
		}
	}
	if f, until := s.Stage.Frozen(promotion.Automatic, is.At); f != nil {
		require.Contains(c.t, row[3], "frozen", after)
		require.Contains(c.t, row[3], moment(until), after)
		c.seen["frozen"]++
	}
}

// freight compares what the views of a freight say with what is so in a stage: its label, check run, comment, message
// in Slack, and the answer to `/why`.
func (c comparing) freight(
	s *promotion.Snapshot, status promotion.Status, f promotion.Freight, at promotion.FreightStatus, after string,
) {
	is := c.standing(s, f, at)
	agree := func(claim shown.Claim, all bool, view, text string) { c.agrees(claim, is, all, view, after, text) }
	label := say.Label(at)
	agree(shown.OfLabel(label), !is.Partly, "label", label)
	running, conclusion := say.Conclusion(at)
	title := say.Title(at)
	agree(shown.OfCheck(conclusion, title), true, "check run", running+" "+conclusion+" "+title)
	agree(shown.OfConclusion(conclusion), !is.Partly, "conclusion", conclusion+" "+title)
	require.Equal(c.t, at.Promotion != nil && at.Promotion.State.Active() && !say.WaitsForSignOff(at),
		running == "in_progress", after)
	require.Contains(c.t, say.WhyReport(at, status).Title, title, after)
	way := say.Way{Name: f.Name}
	way.Put(s.Pipeline, f.Warehouse, say.LineOf(f, at))
	text := say.Sticky([]say.Way{way})
	line, there := shown.OfComment(text)[string(s.Stage.Name)]
	require.True(c.t, there, text)
	agree(line.Word, true, "comment", text)
	agree(line.Picture, !is.Partly, "picture", text)
	if at.Promotion != nil {
		card := say.CardOf(s.Pipeline, at)
		agree(shown.OfMessage(card.Text), true, "Slack", card.Text)
	}
	if at.Until.After(status.At) && at.Rejection == nil {
		require.Contains(c.t, say.Summary(at, s.Stage.Name), moment(at.Until), after)
		require.Contains(c.t, strings.Join(say.WhyReport(at, status).Notes, "\n"), moment(at.Until)+" (in ", after)
		if line.Why != "" && at.Drift.IsZero() && at.Withdrawn == "" {
			require.Contains(c.t, line.Why, moment(at.Until), after)
		}
	}
	if is.Good {
		require.NotContains(c.t, title, "to come", after)
	}
	c.reason(s, at, is, after, map[string]string{"title": title, "comment": line.Why, "/where": say.WhereRow(at)[3]})
	for what, so := range map[string]bool{"good": is.Good, "bad": is.Bad, "drifted": is.Drifted, "taken": is.Taken,
		"gone": !is.Here && is.Good, "turned": is.Here && is.Good && at.Promotion.State == promotion.VerificationFailed,
		"fails since": is.Here && is.Bad && at.Promotion.State == promotion.Succeeded, "partly": is.Partly} {
		if so {
			c.seen[what]++
		}
	}
}

// standing says how freight stands in a stage, by its deployments there: it is judged by the one that lasts, and once
// it has left by what its newest promotion that has merged something had brought.
func (c comparing) standing(s *promotion.Snapshot, f promotion.Freight, at promotion.FreightStatus) (is shown.Is) {
	p := s.NewestOf(f.ID)
	is.Held = len(s.Holds) > 0
	if p == nil {
		return is
	}
	d := verdictOn(s, f.ID)
	is.Ended, is.Undone = p.State.Ended(), p.State == promotion.Failed
	if d != nil {
		is.Here, is.Drifted = !d.Ended(), !d.Ended() && d.Drift.Stands() && s.Stage.Drift != promotion.DriftIgnore
		is.Good, is.Bad = d.Verdict == promotion.Passed && is.Ended, d.Verdict == promotion.Bad && is.Ended
		is.Partly = partly(d, p)
	}
	is.Taken = !is.Bad && (s.Rejected(s.Stage.Name, &f) != nil || s.TakenBack(&f))
	return is
}

// verdictOn returns the deployment by which freight is judged: the one that lasts, or the one that its newest promotion
// has brought, or, if that has ended, an earlier one; nil if there is none.
func verdictOn(s *promotion.Snapshot, f promotion.FreightID) (d *promotion.Deployment) {
	p := s.NewestOf(f)
	for i := range s.Deployments {
		one := &s.Deployments[i]
		its := p != nil && (one.Promotion == p.Number || p.State.Ended()) && (d == nil || d.Ended())
		if one.Freight == f && (its || !one.Ended()) {
			d = one
		}
	}
	return d
}

// reason requires that views give the reason for the latest verdict, and none of an earlier one.
func (c comparing) reason(
	s *promotion.Snapshot, at promotion.FreightStatus, is shown.Is, after string, views map[string]string,
) {
	cause := ""
	if d := verdictOn(s, at.Freight); d != nil && is.Bad {
		cause = say.Sentence(d.Cause)
	}
	for view, text := range views {
		if cause != "" && (is.Drifted || is.Taken) && view != "title" {
			continue // which is told instead
		}
		require.Contains(c.t, text, cause, "%s: %s", after, view)
		if is.Good && at.Promotion.State == promotion.VerificationFailed {
			require.NotContains(c.t, text, say.Sentence(at.Promotion.Reason), "%s: %s", after, view)
		}
	}
	if failed := is.Bad && at.Promotion.State == promotion.VerificationFailed; failed &&
		cause != say.Sentence(at.Promotion.Reason) {
		c.seen["fails otherwise"]++
	}
}

// partly reports whether a promotion has ended and what it has brought has no verdict: it is good where it is.
func partly(d *promotion.Deployment, p *promotion.Promotion) bool {
	return d.Verdict == promotion.Pending &&
		(p.State == promotion.Succeeded || p.State == promotion.VerificationFailed && d.Incomplete)
}

// agrees requires that a view says nothing that is not so, and, where it says how freight stands, all of that.
func (c comparing) agrees(claim shown.Claim, is shown.Is, all bool, view, after, text string) {
	require.Empty(c.t, claim.Contradiction(is), "%s: %s: %s", after, view, text)
	if all {
		require.Empty(c.t, claim.Silence(is), "%s: %s: %s", after, view, text)
	}
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// watched is a world whose views are compared after each happening.
type watched struct {
	*World
	comparing
}

func (w watched) Do(ctx context.Context, h story.Happening) ([]story.Line, error) {
	lines, err := w.World.Do(ctx, h)
	w.views(w.World, h.String())
	return lines, err
}

// TestNoViewContradictsTheStatus reads back, in all stories and after each happening, what each view says.
func TestNoViewContradictsTheStatus(t *testing.T) { // semantics 4.14
	files, err := filepath.Glob("../../../promotion/testdata/stories/*.txtar")
	require.NoError(t, err)
	seen := map[string]int{}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			s, err := story.Parse(file, data)
			require.NoError(t, err)
			_, err = story.Run(context.Background(), s, watched{newWorld(t, s), comparing{t, seen}})
			require.NoError(t, err)
		})
	}
	for _, what := range []string{"good", "bad", "drifted", "taken", "gone", "turned", "fails since", "fails otherwise",
		"partly", "held", "frozen", "waits"} {
		require.NotZero(t, seen[what], what)
	}
}

// TestNoViewContradictsTheStatusInRandomHistories does the same in histories that nobody has thought of.
func TestNoViewContradictsTheStatusInRandomHistories(t *testing.T) { // semantics 4.14
	inRandomHistories(t, func(t *rapid.T, w *World, h story.Happening, _ []story.Line) {
		comparing{t, map[string]int{}}.views(w, h.String())
	})
}
