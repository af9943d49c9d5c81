package page

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"waybill/app/api"
)

// words returns the functions of the templates.
func words() template.FuncMap {
	return template.FuncMap{
		"asset": asset, "short": short, "stamp": stamp, "exact": exact, "happened": happened, "verdict": verdictMark,
		"host": hostMark, "state": stateMark, "target": targetMark, "finding": findingMark, "join": strings.Join,
		"pullOf": pullOf, "sentence": sentence,
		"took": took, "typical": typical, "hundredths": hundredths,
		"percent": func(x *float64) string { return hundredths(*x) + " %" },
		"cause":   func(c string) string { return causeWords[c] },
	}
}

// mark says how something is: by a sign, by a word, and by a tone, which is a colour.
type mark struct{ Sign, Word, Tone string }

// verdictMark is the mark of freight in a stage.
func verdictMark(verdict string) mark {
	switch verdict {
	case "passed":
		return mark{"✓", "verified", "good"}
	case "failed":
		return mark{"✗", "failed", "bad"}
	case "inconclusive":
		return mark{"?", "inconclusive", "asks"}
	}
	return mark{"◔", "not verified yet", "going"}
}

// hostMark is the mark of freight that a stage hosts.
func hostMark(h api.Hosted) mark {
	if h.Partly {
		return mark{"◐", "verified in part", "going"}
	}
	return verdictMark(h.Verdict)
}

// stateMark is the mark of a promotion.
func stateMark(state string) mark {
	switch state {
	case "succeeded":
		return mark{"✓", "verified", "good"}
	case "failed", "verification-failed":
		return mark{"✗", strings.ReplaceAll(state, "-", " "), "bad"}
	case "queued", "running", "waiting-for-merge", "verifying":
		return mark{"◔", strings.ReplaceAll(state, "-", " "), "going"}
	}
	return mark{"–", strings.ReplaceAll(state, "-", " "), "quiet"}
}

// targetMark is the mark of a target of a rollout.
func targetMark(state string) mark {
	switch state {
	case "verified":
		return mark{"✓", state, "good"}
	case "failed":
		return mark{"✗", state, "bad"}
	case "updating":
		return mark{"◔", state, "going"}
	}
	return mark{"·", state, "quiet"}
}

// findingMark returns the mark of a finding of the doctor.
func findingMark(state string) mark {
	switch state {
	case api.StateOK:
		return mark{"✓", "ok", "good"}
	case api.StateWarn:
		return mark{"!", "warn", "going"}
	}
	return mark{"✗", "fail", "bad"}
}

// short is the part of a commit that people say.
func short(sha string) string { return sha[:min(len(sha), 7)] }

// stamp is a time for people everywhere.
func stamp(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04 UTC") }

// exact is a time to the second.
func exact(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04:05 UTC") }

// happened returns the word of a line of the audit trail, as people read it.
func happened(e api.Event) string {
	text := strings.ReplaceAll(e.Word, "-", " ")
	if e.Kind == "effect" {
		return text + ": done on GitHub"
	}
	return text
}

// ago is how long a time has been over.
func ago(t, now time.Time) string {
	if d := now.Sub(t); d >= time.Minute {
		return span(d) + " ago"
	}
	return "just now"
}

// until is how long it is until a time.
func until(t *time.Time, now time.Time) string {
	if d := t.Sub(now); d > 0 {
		return "in " + span(d)
	}
	return "now"
}

// span is a duration in its largest unit.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(int(d.Seconds()), 1))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// sentence begins a text as a sentence begins.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// pullOf is the number of a pull request by its address.
func pullOf(address string) string { return "#" + address[strings.LastIndex(address, "/")+1:] }
