package promotion

import (
	"fmt"
	"strings"
	"time"
)

// Every sentence that Waybill says stands in this file. Codes decide, sentences only tell: nothing
// ever reads them back.

// Sentence says a reason in words, without a full stop, so that it can stand after "because" or by itself.
func (r Reason) Sentence() string {
	return r.sentence() + after(": ", r.Detail)
}

func (r Reason) sentence() string {
	arg, list := r.Arg(0), strings.Join(r.Args, ", ")
	switch r.Code {
	case Asked:
		return or(arg, "somebody") + " asked for it"
	case Closed:
		return or(arg, "somebody") + " closed its pull request"
	case Behind:
		return "promotion " + arg + " goes first"
	case BeforeFailed:
		return fmt.Sprintf("promotion %s before it failed its verification: %s", arg, strings.Join(r.Args[min(1, len(r.Args)):], ", "))
	case Newer:
		return "newer freight took its place: " + arg
	case Held:
		if arg == "bot" {
			return "Waybill holds the stage until somebody decides (`/unhold`)"
		}
		return arg + " holds it"
	case Unverified:
		return "not verified in " + list
	case FailedCheck:
		return "verification failed: " + list
	case Soaking:
		return "verified in " + list + ", but not there for long enough yet"
	case Unapproved:
		return arg + " more sign-offs are needed"
	case PlanChanged:
		return "its branch is no longer what Waybill made; merge it yourself, or close it"
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
	}
	return r.lesserSentence(list)
}

// lesserSentence says the codes that only answer questions.
func (r Reason) lesserSentence(list string) string {
	switch r.Code {
	case Refused:
		return "GitHub does not allow it" + after(": ", list)
	case Removed:
		return list + " is no longer in the pipeline file"
	case Already:
		return "it is so already"
	case Waiting:
		return "waiting for " + or(list, "an answer from GitHub")
	case ToBeMerged:
		return "a person is to merge its pull request"
	case Unmergable:
		return "GitHub does not let it be merged yet: " + list
	case Unknown:
		return "there is no " + list + " here"
	case Forbidden:
		return "that needs " + strings.Join(r.Args, " ")
	}
	return string(r.Code)
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func after(separator, s string) string {
	if s == "" {
		return ""
	}
	return separator + s
}

// stateWords says a state in the words of a title.
var stateWords = map[State]string{
	Queued:             "Queued",
	Running:            "Opening its pull request",
	WaitingForMerge:    "Waiting for its merge",
	Verifying:          "Merged, verifying",
	Succeeded:          "Verified",
	Failed:             "Failed",
	Declined:           "Declined",
	VerificationFailed: "Verification failed",
	Cancelled:          "Cancelled",
	Superseded:         "Superseded",
}

// placeWords says a place without promotion in the words of a title.
var placeWords = map[Place]string{
	PlaceAvailable:   "Available",
	PlaceUnavailable: "Not available yet",
	PlaceSkipped:     "Skipped",
}

// Title says in a few words where the freight stands: the title of its check run.
func (s Standing) Title() string {
	word := placeWords[s.Place]
	if s.Promotion != nil {
		word = stateWords[s.Promotion.State]
	}
	if s.Reason.IsZero() {
		return word
	}
	return clip(word+": "+s.Reason.Sentence(), 200)
}

// Summary says where the freight stands, why, when somebody looks again, and what a person can do: the summary of its
// check run. link turns a promotion's pull request into its address, "" if there is none.
func (s Standing) Summary(stage StageName, pull string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** in **%s**: %s.\n", Plain(s.Name), Plain(string(stage)), s.Title())
	if s.Promotion != nil {
		fmt.Fprintf(&b, "\nPromotion %d, %s%s.\n", s.Promotion.Number, s.Promotion.Class, after(", asked for by ", Plain(string(s.Promotion.By.Login))))
	}
	if pull != "" {
		fmt.Fprintf(&b, "\nPull request: %s\n", pull)
	}
	if s.Reason.URL != "" {
		fmt.Fprintf(&b, "\nSee: %s\n", s.Reason.URL)
	}
	if !s.Until.IsZero() {
		fmt.Fprintf(&b, "\nLooked at again at %s.\n", s.Until.UTC().Format(time.RFC3339))
	}
	if next := s.Next(stage); next != "" {
		fmt.Fprintf(&b, "\nNext: `%s`\n", next)
	}
	return b.String()
}

// Next returns the command that a person could type next, or "".
func (s Standing) Next(stage StageName) string {
	if s.Promotion == nil {
		if s.Place == PlaceAvailable || s.Place == PlaceSkipped {
			return fmt.Sprintf("/promote %s %s", stage, s.Name)
		}
		return ""
	}
	switch s.Promotion.State {
	case Failed, Declined:
		return fmt.Sprintf("/retry %s", stage)
	case VerificationFailed:
		return fmt.Sprintf("/rollback %s", stage)
	case Queued, Running, WaitingForMerge:
		return fmt.Sprintf("/cancel %s", stage)
	}
	if s.Reason.Code == Inconclusive || s.Reason.Code == Missing {
		return fmt.Sprintf("/verify %s", stage)
	}
	return ""
}

// Marker is the hidden line by which a pull request is known to be that of a promotion.
func Marker(n Number) string { return fmt.Sprintf("<!-- waybill:promotion=%d -->", n) }

// PullTitle is the title of a promotion's pull request.
func PullTitle(p *Promotion) string {
	return clip(fmt.Sprintf("Promote %s to %s", p.FreightName, p.Stage), 250)
}

// PullBody says what a promotion's pull request changes, where that comes from, and how to stop it.
func PullBody(p *Promotion, f Freight, paths []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nBrings **%s** to **%s**", Marker(p.Number), Plain(p.FreightName), Plain(string(p.Stage)))
	if f.Number != 0 {
		fmt.Fprintf(&b, ", from %s#%d (%s)", f.Repo, f.Number, f.SHA)
	}
	fmt.Fprintf(&b, ".\n\n| promotion | class | files |\n|---|---|---|\n| %d | %s | %s |\n", p.Number, p.Class, codes(paths))
	fmt.Fprintf(&b, "\nTo stop it, close this pull request, or comment `/cancel %s` on it; `/hold %s` stops what comes after, too.\n", p.Stage, p.Stage)
	return b.String()
}

// CommitMessage is the message of a promotion's commit.
func CommitMessage(p *Promotion) string {
	return fmt.Sprintf("%s\n\nWaybill-Promotion: %d\n", PullTitle(p), p.Number)
}

// TellText is the comment that a promotion's end, or its being stuck, is worth.
func TellText(p *Promotion, outcome string, r Reason) string {
	var b strings.Builder
	switch outcome {
	case string(Failed):
		fmt.Fprintf(&b, "**%s** could not be promoted to **%s**: %s.", Plain(p.FreightName), Plain(string(p.Stage)), r.Sentence())
		fmt.Fprintf(&b, "\n\nNext: `/retry %s`", p.Stage)
	case string(VerificationFailed):
		fmt.Fprintf(&b, "**%s** is in **%s**, but it is not good: %s.", Plain(p.FreightName), Plain(string(p.Stage)), r.Sentence())
		fmt.Fprintf(&b, "\n\nNext: `/rollback %s`, or merge a fix", p.Stage)
	default:
		fmt.Fprintf(&b, "**%s** is in **%s**, and nobody can tell whether it is good: %s. The stage is held.", Plain(p.FreightName), Plain(string(p.Stage)), r.Sentence())
		fmt.Fprintf(&b, "\n\nNext: `/verify %s` asks GitHub again, `/verdict %s pass --because \"...\"` decides", p.Stage, p.Stage)
	}
	fmt.Fprintf(&b, "%s\n", after("\n\nSee: ", r.URL))
	return b.String()
}

// ReplyText answers a command.
func ReplyText(outcome string, r Reason) string {
	switch Code(outcome) {
	case Done:
		return "Done."
	case Already:
		return "Nothing to do: " + or(r.Sentence(), "it is so already") + "."
	}
	return "Refused: " + or(r.Sentence(), "it is not allowed") + "."
}

// Plain makes text of other people harmless in Markdown: it shows as it was typed, and pings, links and formats nothing.
func Plain(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_{}[]()<>#+-!|~@&:", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func codes(paths []string) string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = "`" + strings.NewReplacer("`", "", "|", "", "\n", "").Replace(p) + "`"
	}
	return strings.Join(quoted, ", ")
}

// clip cuts s to n bytes at most, at a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-3], "") + "..."
}

// ConfigTrouble is the summary of the check run on pipeline files that cannot be used.
func ConfigTrouble(problems string) string {
	return "The last good ones stay in force.\n\n```\n" + clip(strings.ReplaceAll(problems, "```", "'''"), 60_000) + "\n```\n"
}
