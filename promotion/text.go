package promotion

import (
	"cmp"
	"fmt"
	"strings"
)

// Every sentence that Waybill says stands here and in posts.go. Codes decide, sentences only tell: nothing ever reads them
// back.

// Sentence says a reason in words, without a full stop, so that it can stand after "because" or by itself. It is plain
// text: what people have typed stands in it as they typed it.
func (r Reason) Sentence() string {
	return r.sentence(func(s string) string { return s }) + after(": ", r.Detail)
}

// Markdown says the same in Markdown, in which nothing of what people have typed pings, links or formats.
func (r Reason) Markdown() string {
	return r.sentence(code) + after(": ", Plain(clip(r.Detail, 300)))
}

// sentence says the code and its arguments; show is how an argument is shown.
func (r Reason) sentence(show func(string) string) string {
	shown := r.shown(show)
	arg, list := r.Arg(0), strings.Join(shown, ", ")
	switch r.Code {
	case Asked:
		return cmp.Or(list, "somebody") + " asked for it"
	case Closed:
		return cmp.Or(list, "somebody") + " closed its pull request"
	case Behind:
		return "promotion " + arg + " goes first"
	case BeforeFailed:
		return "promotion " + arg + " before it failed its verification" + after(": ", strings.Join(shown[min(1, len(shown)):], ", "))
	case Newer:
		return "newer freight took its place: " + list
	case Held:
		if arg == "bot" {
			return "Waybill holds the stage until somebody decides (`/unhold`)"
		}
		return list + " holds it"
	case Frozen:
		return "the stage is frozen" + after(": ", list)
	case Incomplete:
		return "waiting for its image " + list
	case Unverified:
		return "not verified in " + list
	case FailedCheck:
		return list + " failed"
	case Soaking:
		return "verified in " + list + ", but not there for long enough yet"
	case Unapproved:
		return "sign-offs that are still needed: " + arg
	case Void:
		return "what would be merged has changed, so the sign-offs of " + cmp.Or(list, "people") + " no longer count"
	case PlanChanged:
		return "its pull request is no longer what Waybill made; merge it yourself, or close it"
	case Missing:
		return "no signal of " + list + " appeared"
	case TimedOut:
		return "no verdict of " + list + " in time"
	case Inconclusive:
		return "the signals are neither good nor bad" + after(": ", list)
	case NoChange:
		return "the files say so already"
	case Conflict:
		return "it conflicts with its base in " + list
	case Unreadable:
		return "cannot be changed: " + list
	case Rolling:
		return "batch " + strings.Join(shown[:min(1, len(shown))], "") + after(": ", strings.Join(shown[min(1, len(shown)):], ", "))
	}
	return r.lesserSentence(list)
}

// maxShown bounds how many arguments a sentence lists.
const maxShown = 20

// shown returns the arguments as they are shown, the first of them if there are too many to read.
func (r Reason) shown(show func(string) string) []string {
	var all []string
	for _, arg := range r.Args[:min(maxShown, len(r.Args))] {
		all = append(all, show(arg))
	}
	if more := len(r.Args) - maxShown; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return all
}

// lesserSentence says the codes that only answer questions.
func (r Reason) lesserSentence(list string) string {
	switch r.Code {
	case Refused:
		return "GitHub does not allow it" + after(": ", list)
	case Removed:
		return list + " is no longer in the pipeline file"
	case Moved:
		return "the files of the stage are elsewhere now: " + list + "; `/promote`, or newer freight, goes there"
	case Drifted:
		return "the files no longer say what was promoted: " + list
	case Already:
		return "it is so already"
	case Done:
		return "it has been done"
	case Waiting:
		return "waiting for " + cmp.Or(list, "an answer from GitHub")
	case ToBeMerged:
		return "a person is to merge its pull request"
	case Enqueued:
		return "it stands in GitHub's merge queue"
	case Unmergable:
		return "GitHub does not let it be merged yet: " + list
	case Unknown:
		return "there is no " + list + " here"
	case Malformed:
		return "it cannot be understood"
	case Forbidden:
		return r.forbidden(list)
	case Resting:
		return "the wait after batch " + list
	case Paused:
		return list + " has paused it (`/resume`)"
	case Skipped:
		return "somebody has left out " + list
	case NotReady:
		return "not ready: " + list
	case Unready:
		return "no target can take part yet: " + list
	}
	return string(r.Code)
}

// forbidden says who may instead.
func (r Reason) forbidden(list string) string {
	switch arg := r.Arg(0); arg {
	case "nobody":
		return "nobody may do that here"
	case Unasked.String():
		return "GitHub could not be asked who may do that; try again in a minute"
	case "not":
		return "the " + r.Arg(1) + " may not do that"
	case string(Automatic):
		return "it is no longer promoted by itself; `/promote` asks for it"
	case Read.String(), Triage.String(), Write.String(), Maintain.String(), Admin.String():
		return "that needs " + arg + " permission"
	}
	return "that needs one of the teams " + list
}

// Words says what somebody may.
func (r Right) Words() string {
	switch {
	case !r.Why.IsZero():
		return "no: " + r.Why.Sentence()
	case r.Own:
		return "yes, but only holds of their own or of Waybill"
	case len(r.Not) > 0:
		return "yes, unless they are the promotion's " + strings.Join(r.Not, " or ")
	}
	return "yes"
}

// around puts text between two others; "" stays that.
func around(before, s, behind string) string {
	if s == "" {
		return ""
	}
	return before + s + behind
}

func after(separator, s string) string {
	if s == "" {
		return ""
	}
	return separator + s
}
