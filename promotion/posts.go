package promotion

import (
	"cmp"
	"fmt"
	"strings"
)

// What Waybill posts on GitHub: check runs, pull requests, commits and comments.

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

// directWords and runWords are those where a commit, or a workflow, takes the place of a pull request.
var (
	directWords = map[State]string{Running: "Committing", Verifying: "Committed, verifying"}
	runWords    = map[State]string{Running: "Starting its workflow", Verifying: "Its workflow runs"}
)

// word says a state in the words of a title, as it is in this stage.
func (s *Stage) word(state State) string {
	special := ""
	switch {
	case s == nil:
	case s.Dispatch != nil:
		special = runWords[state]
	case s.Direct:
		special = directWords[state]
	}
	return cmp.Or(special, stateWords[state])
}

// placeWords says a place without promotion in the words of a title.
var placeWords = map[Place]string{
	PlaceAvailable:   "Available",
	PlaceUnavailable: "Not available yet",
	PlaceSkipped:     "Skipped",
}

// Title says in a few words where the freight stands: the title of its check run.
func (s Standing) Title() string {
	return clip(oneLine(s.word()+after(": ", s.Reason.Sentence())), 200)
}

func (s Standing) word() string {
	if s.Promotion == nil {
		return placeWords[s.Place]
	}
	word := s.Stage.word(s.Promotion.State)
	if !s.Drift.IsZero() {
		word += ", drifted"
	}
	if tally := s.Tally.String(); tally != "" {
		word += " (" + tally + ")"
	}
	return word
}

// Summary says where the freight stands, why, when somebody looks again, and what a person can do: the summary of its
// check run. link is where its promotion can be seen.
func (s Standing) Summary(stage StageName, link Link) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** in **%s**: %s%s.\n", code(s.Name), code(string(stage)), s.word(), after(": ", s.Reason.Markdown()))
	b.WriteString(after("\n", whichStand(s.Targets)))
	if s.Promotion != nil {
		fmt.Fprintf(&b, "\nPromotion %d, %s%s.%s\n", s.Promotion.Number, s.Promotion.Class,
			after(", asked for by ", Plain(string(s.Promotion.By.Login))), s.Promotion.repairText())
	}
	if !s.Drift.IsZero() {
		fmt.Fprintf(&b, "\nDrifted: %s.\n", s.Drift.Markdown())
	}
	if link.URL != "" {
		fmt.Fprintf(&b, "\n%s: %s\n", strings.ToUpper(link.What[:1])+link.What[1:], link.URL)
	}
	if url := address(s.Reason.URL); url != "" {
		fmt.Fprintf(&b, "\nSee: %s\n", url)
	}
	if !s.Until.IsZero() {
		fmt.Fprintf(&b, "\nLooked at again at %s.\n", moment(s.Until))
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
	if !s.Drift.IsZero() && s.Promotion.State.Ended() && s.Promotion.State != VerificationFailed {
		return fmt.Sprintf("/promote %s %s", stage, s.Name)
	}
	if s.WaitsForSignOff() {
		return fmt.Sprintf("/approve %s", stage)
	}
	switch s.Promotion.State {
	case Failed, Declined:
		return fmt.Sprintf("/retry %s", stage)
	case VerificationFailed:
		if s.Tally.mended() {
			return fmt.Sprintf("/retry %s", stage)
		}
		return fmt.Sprintf("/rollback %s", stage)
	case Queued, Running, WaitingForMerge:
		return fmt.Sprintf("/cancel %s", stage)
	}
	if s.Reason.Code == Inconclusive || s.Reason.Code == Missing {
		return fmt.Sprintf("/verify %s", stage)
	}
	return ""
}

// PullTitle is the title of a promotion's pull request.
func PullTitle(p *Promotion) string {
	title := fmt.Sprintf("Promote %s to %s", p.FreightName, p.Stage)
	if p.Rollout != nil {
		title += fmt.Sprintf(" (%s: %s)", p.Rollout.BatchName(), strings.Join(firstOf(texts(p.Rollout.Targets)), ", "))
	}
	return clip(title, 250)
}

// PullBody says what a promotion's pull request changes, where that comes from, and how to stop it.
func PullBody(p *Promotion, f Freight, paths []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Brings **%s** to **%s**", code(p.FreightName), code(string(p.Stage)))
	switch {
	case f.Pull != 0:
		fmt.Fprintf(&b, ", from %s#%d (%s)", f.Repo, f.Pull, f.SHA)
	case f.Tag != "":
		fmt.Fprintf(&b, ", from %s of %s (%s)", code(f.Tag), f.Repo, f.SHA)
	case f.Repo != "":
		fmt.Fprintf(&b, ", from %s@%s", f.Repo, f.SHA)
	}
	fmt.Fprintf(&b, ".%s\n\n| promotion | class | files |\n|---|---|---|\n| %d | %s | %s |\n", p.repairText(), p.Number, p.Class, cells(paths))
	if r := p.Rollout; r != nil {
		fmt.Fprintf(&b, "\nStep %d of its rollout, in batch %d of %d, %s: %s.\n", r.Step, r.Batch+1, len(r.Batches), code(r.BatchName()), cells(firstOf(texts(r.Targets))))
	}
	fmt.Fprintf(&b, "\nTo stop it, close this pull request, or comment `/cancel %s` on it; `/hold %s` stops what comes after, too.\n", p.Stage, p.Stage)
	return b.String()
}

// repairText says what a repair is for; "" of any other promotion.
func (p *Promotion) repairText() string {
	if !p.Repairs {
		return ""
	}
	return fmt.Sprintf(" It writes again what promotion %d wrote, because the files no longer say so.", p.Cause)
}

// CommitMessage is the message of a promotion's commit, which ends with a trailer (Pipeline.Trailer).
func CommitMessage(p *Promotion, trailer string) string {
	return fmt.Sprintf("%s\n\n%s\n", PullTitle(p), trailer)
}

// TellText is the comment that a promotion's end, or its being stuck, is worth.
func TellText(p *Promotion, outcome string, r Reason) string {
	var b strings.Builder
	freight, stage := code(p.FreightName), code(string(p.Stage))
	switch outcome {
	case string(Failed):
		fmt.Fprintf(&b, "**%s** could not be promoted to **%s**: %s.", freight, stage, r.Markdown())
		fmt.Fprintf(&b, "\n\nNext: `/retry %s`", p.Stage)
	case string(VerificationFailed):
		fmt.Fprintf(&b, "**%s** is in **%s**, but it is not good: %s.", freight, stage, r.Markdown())
		fmt.Fprintf(&b, "\n\nNext: `/rollback %s`, or merge a fix", p.Stage)
	case string(Void):
		fmt.Fprintf(&b, "Look at it again, please: %s.\n\nNext: `/approve %s`", r.Markdown(), p.Stage)
	case string(EventDrifted):
		fmt.Fprintf(&b, "**%s** is in **%s**, but %s.", freight, stage, r.Markdown())
		fmt.Fprintf(&b, "\n\nNext: `/promote %s %s` writes it again; with `drift: repair` in the pipeline file Waybill does that by itself",
			p.Stage, p.FreightName)
	default:
		fmt.Fprintf(&b, "**%s** is in **%s**, and nobody can tell whether it is good: %s. The stage is held.", freight, stage, r.Markdown())
		fmt.Fprintf(&b, "\n\nNext: `/verify %s` asks GitHub again, `/verdict %s pass --because \"...\"` decides", p.Stage, p.Stage)
	}
	fmt.Fprintf(&b, "%s\n", after("\n\nSee: ", address(r.URL)))
	return b.String()
}

// stopped ends a sentence that has no end yet.
func stopped(sentence string) string {
	if strings.HasSuffix(sentence, "?") {
		return sentence
	}
	return sentence + "."
}

// ReplyText answers a command, in Markdown.
func ReplyText(outcome string, r Reason) string {
	switch Code(outcome) {
	case Done:
		return "Done."
	case Already:
		return "Nothing to do: " + cmp.Or(r.Markdown(), "it is so already") + "."
	}
	return stopped("Refused: " + cmp.Or(r.Markdown(), "it is not allowed"))
}

// ConfigTrouble is the summary of the check run on pipeline files that cannot be used.
func ConfigTrouble(problems string) string {
	return "The last good ones stay in force.\n\n" + listing(problems)
}

// listing shows lines as they are.
func listing(lines string) string {
	return "```\n" + clip(strings.ReplaceAll(lines, "```", "'''"), 60_000) + "\n```\n"
}
