package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"waybill/app/api"
)

// list prints a line for each pipeline.
func (p *page) list(all []api.PipelineHead, now time.Time) {
	p.now = now
	if len(all) == 0 {
		p.line(0, plain, "There is no pipeline that you may read.")
		return
	}
	column := columnFor(repos(all))
	for _, h := range all {
		t, text := p.head(h)
		p.entry(h.Repo, column, t, text)
	}
}

// head says in one line how a pipeline does.
func (p *page) head(h api.PipelineHead) (tone, string) {
	text := fmt.Sprintf("%d stages, %s", len(h.StageNames), p.resynced(h.Resync))
	switch {
	case h.ConfigError != "":
		return bad, "its files cannot be used: " + firstLine(h.ConfigError)
	case !h.InForce:
		return waits, "there is no pipeline file"
	case h.Resync.Error != "":
		return bad, text
	}
	return plain, text
}

// pipeline prints a pipeline and all of its stages.
func (p *page) pipeline(a api.Pipeline) {
	p.now = a.At
	p.line(0, loud, a.Repo)
	p.config(a.PipelineHead)
	t := quiet
	if a.Resync.Error != "" {
		t = bad
	}
	p.line(2, t, p.resynced(a.Resync))
	for _, h := range a.Holds {
		p.line(2, bad, "everything is "+p.held(h))
	}
	for _, o := range a.Off {
		p.line(2, bad, o.Says)
	}
	column := columnFor(a.StageNames)
	for _, s := range a.Stages {
		p.print("\n")
		p.stage(s, column)
	}
}

// config says which files are in force, and the mistakes in newer ones.
func (p *page) config(h api.PipelineHead) {
	if h.ConfigError == "" && h.InForce {
		p.line(2, quiet, fmt.Sprintf("by the pipeline file of %s at %.7s", h.Branch, h.ConfigSHA))
		return
	}
	if h.ConfigError == "" {
		p.line(2, waits, fmt.Sprintf("there is no pipeline file on %s", h.Branch))
		return
	}
	p.line(2, bad, fmt.Sprintf("the files at %.7s cannot be used:", h.ConfigSHA))
	for line := range strings.Lines(h.ConfigError) {
		p.line(4, bad, line)
	}
	if h.InForce {
		p.line(2, plain, "the last good ones stay in force")
	}
}

// resynced says when a pipeline was compared with GitHub, and when it will be.
func (p *page) resynced(r api.Resync) string {
	text := "never compared with GitHub"
	if r.Last != nil {
		text = "compared with GitHub " + p.ago(*r.Last)
	}
	if r.Error != "" {
		text += fmt.Sprintf(", FAILED %s since: %s", times(r.Failures), r.Error)
	}
	if r.Stale != nil {
		text += "; nothing is decided before the next one, because GitHub may know more"
	}
	if r.Unswept {
		text += "; it has just started, and decides nothing before it has looked for missed webhooks"
	}
	return text + "; next " + p.in(r.Due)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// detail prints a stage, and where the newest freight stands in it.
func (p *page) detail(s api.StageDetail) {
	p.now = s.At
	p.stage(s.Stage, columnFor([]string{s.Name}))
	if len(s.Freight) == 0 {
		return
	}
	p.print("\n")
	var names []string
	for _, f := range s.Freight {
		names = append(names, f.Freight)
	}
	column := columnFor(names)
	for _, f := range s.Freight {
		p.entry(f.Freight, column, plain, f.Why.Sentence+promoted(f)+p.next(f.Why))
		if !f.Hosted { // else it stands above
			p.address(column+2, f.Why.URL)
		}
	}
}

func promoted(f api.Standing) string {
	if f.Promotion == 0 {
		return ""
	}
	return fmt.Sprintf(" (promotion %d)", f.Promotion)
}

// stage prints a stage: its freight, the promotions under way and waiting, and its holds.
func (p *page) stage(s api.Stage, column int) {
	name := s.Name
	for _, h := range s.Hosts {
		t, text := p.hosted(h)
		p.entry(name, column, t, text)
		name = ""
		if h.Drift != nil {
			p.line(column, bad, "DRIFTED: "+h.Drift.Sentence+nextly(h.Next))
		}
		if h.Cause != nil {
			p.address(column+2, h.Cause.URL)
		}
	}
	if len(s.Hosts) == 0 {
		p.entry(name, column, quiet, nothing(s))
	}
	for _, h := range s.Holds {
		if !h.WholePipeline {
			p.line(column, bad, p.held(h))
		}
	}
	if s.Frozen != nil {
		ends := ""
		if s.Frozen.NextLook != nil {
			ends = ", until " + p.clock(*s.Frozen.NextLook)
		}
		p.line(column, waits, s.Frozen.Sentence+ends)
	}
	for _, r := range s.Rules {
		if r.Weight == api.RuleStops {
			p.line(column, bad, r.Sentence)
		}
	}
	if s.Active != nil {
		p.underWay(*s.Active, column)
	}
	for _, q := range s.Queue {
		p.line(column, waits, p.promotion(q))
	}
	for _, c := range s.Coming {
		p.line(column, quiet, fmt.Sprintf("%s: %s%s", c.Freight, c.Why.Sentence, p.next(c.Why)))
	}
}

// nextly says how to give the command that a person could give next; "" if there is none.
func nextly(command string) string { return after("; next: ", given(command)) }

// after is a text behind a separator, "" if there is no text.
func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

func nothing(s api.Stage) string {
	if s.PassThrough {
		return "passes freight on"
	}
	return "hosts nothing yet"
}

// hosted describes the freight in a stage, and whether it is good.
func (p *page) hosted(h api.Hosted) (tone, string) {
	text := h.Freight
	if h.Title != "" {
		text += fmt.Sprintf(" %q", shorten(h.Title))
	}
	cause := ""
	if h.Cause != nil {
		cause = ": " + h.Cause.Sentence
	}
	if h.Drift == nil {
		cause += nextly(h.Next)
	}
	judged := h.Since
	if h.Judged != nil {
		judged = *h.Judged
	}
	by := ""
	if h.JudgedBy != "" {
		by = " by " + h.JudgedBy
	}
	summary := ""
	if h.Rollout != nil {
		summary = " (" + h.Rollout.Summary + ")"
	}
	if h.TakenBack != "" && h.Drift == nil {
		summary += ", but the stage " + h.TakenBack
	}
	if len(h.Incomplete) > 0 {
		summary += ", incomplete: the pipeline file now also sets, or no longer sets, " + strings.Join(h.Incomplete, ", ")
	}
	if h.Partly {
		return waits, fmt.Sprintf("%s, verified in part, there for %s%s", text, brief(p.now.Sub(h.Since)), summary)
	}
	switch h.Verdict {
	case "passed":
		return good, fmt.Sprintf("%s, verified%s %s%s", text, by, p.ago(judged), summary)
	case "failed":
		return bad, fmt.Sprintf("%s, FAILED%s %s%s%s", text, by, p.ago(judged), summary, cause)
	case "inconclusive":
		return bad, fmt.Sprintf("%s, inconclusive %s%s%s", text, p.ago(judged), summary, cause)
	}
	return waits, fmt.Sprintf("%s, not verified yet, there for %s%s", text, brief(p.now.Sub(h.Since)), summary)
}

// underWay prints the promotion that occupies a stage.
func (p *page) underWay(a api.Promotion, column int) {
	p.line(column, waits, p.promotion(a))
	if a.Trouble != "" {
		p.line(column+2, bad, "tried again after: "+firstLine(a.Trouble))
	}
	p.address(column+2, a.Pull)
	p.address(column+2, a.Why.URL)
}

// address prints where one can see for oneself, if anywhere.
func (p *page) address(indent int, url string) {
	if url != "" {
		p.line(indent, quiet, url)
	}
}

// named says which promotion waits, and why.
func named(a api.Promotion) string {
	return fmt.Sprintf("promotion %d of %s: %s", a.Number, a.Freight, a.Why.Sentence)
}

// promotion says why an open promotion waits.
func (p *page) promotion(a api.Promotion) string {
	text := named(a) + p.look(a.Why)
	if r := a.Rollout; r != nil {
		if !strings.Contains(a.Why.Sentence, r.Summary) {
			text += "; " + r.Summary
		}
		text += "; batch " + r.Batch
	}
	return text
}

// next says when it is looked at again, or else which command a person could give.
func (p *page) next(w api.Why) string {
	if w.NextLook == nil && w.Next != "" {
		return nextly(w.Next)
	}
	return p.look(w)
}

// look says until when it waits, or when Waybill looks next.
func (p *page) look(w api.Why) string {
	if w.NextLook == nil {
		return ""
	}
	look := "; next check " + p.in(*w.NextLook)
	if w.Ends() && w.NextLook.After(p.now) {
		look = fmt.Sprintf("; until %s (in %s)", p.clock(*w.NextLook), brief(w.NextLook.Sub(p.now)))
	}
	if w.GivenUp != nil {
		look += ", given up " + p.in(*w.GivenUp)
	}
	return look
}

// held says whose hold it is, how long it lasts and why.
func (p *page) held(h api.Hold) string {
	until := ""
	if h.Until != nil {
		until = ", until " + p.clock(*h.Until)
	}
	what := "HELD"
	switch {
	case h.Target != "":
		what = h.Target + " HELD"
	case h.Warehouse != "":
		what = "freight of " + h.Warehouse + " HELD"
	}
	text := fmt.Sprintf("%s by %s since %s%s", what, cmp.Or(h.By, "Waybill"), p.clock(h.Since), until)
	switch {
	case h.Text != "":
		return text + ": " + h.Text
	case h.By == "":
		return text + ": " + h.Why.Sentence
	}
	return text
}

// shorten cuts a title that would take more than a line.
func shorten(title string) string {
	const most = 40
	if letters := []rune(title); len(letters) > most {
		return string(letters[:most-3]) + "..."
	}
	return title
}

// firstLine is the first line of a text that may have more.
func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		line += " ..."
	}
	return line
}

// columnFor is how wide a column of names is.
func columnFor(names []string) int {
	const widest = 24
	column := 8
	for _, name := range names {
		column = max(column, min(len(name)+2, widest))
	}
	return column
}
