package say

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"waybill/promotion"
)

// PullBody is the text of a promotion's pull request: where its stage goes, which values change, what it waits for or
// how it has ended, who asked for it, and what to type; below, folded, all that comes along, and how to stop it.
func PullBody(at promotion.FreightStatus, f promotion.Freight, paths []string) string {
	at.Drift, at.Withdrawn = promotion.Reason{}, "" // that is told elsewhere, and concerns what came later
	p, n := at.Promotion, at.Notes
	var b strings.Builder
	b.WriteString(movement(p, n) + repairText(p) + "\n")
	b.WriteString(cargoBrief(n))
	b.WriteString(around("\n**Changes in the application:** ", Risks(n, code), ".\n"))
	if n != nil {
		b.WriteString(editTable(n, fewEdits))
	}
	fmt.Fprintf(&b, "\n%s  \n%s.", standing(at), Origin(p, n, code, plain))
	if unsigned(at) > 0 {
		b.WriteString(around("  \n", signersOut(at, n, code), "."))
	}
	b.WriteString(around("  \n**When this was planned:** ", Earnings(n, code), ".") + "\n")
	if next := nextOnPull(at); next != "" {
		b.WriteString(fence(next))
	}
	b.WriteString(folded(at, f, paths))
	return b.String()
}

// standing says what a promotion waits for, or how it has ended. Where nothing is in its way it says what the pipeline
// file asks for, so that the text stays right by itself while the promotion goes on.
func standing(at promotion.FreightStatus) string {
	p := at.Promotion
	see := around(" ([see](", address(at.Reason.URL), "))")
	switch {
	case p.State.Ended():
		return fmt.Sprintf("**Outcome:** %s %s at %s%s%s.", endMarks[p.State], stateWord(at.Stage, p.State), moment(since(p)),
			after(": ", markdown(at.Reason)), see)
	case inTheWay(at):
		return fmt.Sprintf("**Now:** %s %s%s.", mark(at), markdown(at.Reason), see)
	case p.State == promotion.Verifying:
		return "**Now:** ⏳ it is merged" + after(", and is verified by ", verifiers(at.Stage, p)) + "."
	}
	text := "Waybill merges it as soon as GitHub lets it"
	if at.Stage != nil && at.Stage.Merge.By == promotion.MergeManual {
		text = "a person merges it"
	}
	if n := unsigned(at); n == 1 {
		text = "a person signs it off, then " + text
	} else if n > 1 {
		text = fmt.Sprintf("%d people sign it off, then %s", n, text)
	} else if at.Waived {
		text += ", without sign-offs, because it goes back to what was verified there last"
	}
	return "**What happens:** " + text + after("; then it is verified by ", verifiers(at.Stage, p)) + "."
}

// inTheWay reports whether something stops an open promotion that the pipeline file does not ask for.
func inTheWay(at promotion.FreightStatus) bool {
	return Stuck(at) && at.Reason.Code != promotion.Unapproved && at.Reason.Code != promotion.ToBeMerged
}

// verifiers describes what verifies a promotion to a stage, or the present step of its rollout; "" if nothing does.
func verifiers(s *promotion.Stage, p *promotion.Promotion) string {
	switch {
	case s == nil:
		return ""
	case !s.Rolls() || p.Rollout == nil:
		return matchers(s.Verify())
	}
	var all []promotion.Matcher
	for _, name := range p.Rollout.Targets {
		if t := s.Target(name); t != nil {
			all = append(all, t.Verify...)
		}
	}
	return matchers(all)
}

// unsigned is how many sign-offs an open promotion lacks: until its pull request is open as many as the pipeline file
// asks for.
func unsigned(at promotion.FreightStatus) int {
	p := at.Promotion
	switch {
	case WaitsForSignOff(at):
		n, _ := strconv.Atoi(at.Reason.Arg(0))
		return n
	case p.State == promotion.Running && at.Stage != nil && !at.Waived:
		return signersOf(at.Stage, p)
	}
	return 0
}

// KeptUpToDate reports whether the text of a promotion's pull request is to say how things are now: where it may be the
// turn of people who look at it, and when it has ended. One that needs nobody gets its text once more, at the end.
func KeptUpToDate(at promotion.FreightStatus) bool {
	p := at.Promotion
	if p.State.Ended() || Stuck(at) {
		return true
	}
	return p.State == promotion.Verifying && at.Stage != nil &&
		(at.Stage.SignsOff() || at.Stage.Merge.By == promotion.MergeManual)
}

// signersOf is how many sign-offs the pipeline file asks for before the present step of a promotion is merged.
func signersOf(s *promotion.Stage, p *promotion.Promotion) int {
	n := 0
	if p.Rollout.AsksStage() {
		n = s.Policy.Approvals
	}
	if r := p.Rollout; r != nil && r.Step > 0 && r.Batch < len(r.Batches) {
		n = max(n, r.Batches[r.Batch].Approvals)
	}
	return n
}

// nextOnPull returns the command that a person could type next on the pull request; "" if none is needed.
func nextOnPull(at promotion.FreightStatus) string {
	p := at.Promotion
	next := Next(at)
	switch {
	case p.State == promotion.Running && unsigned(at) > 0: // once it is open, which is when people read this
		return fmt.Sprintf("/approve %s", p.Stage)
	case !p.State.Ended() && !Stuck(at), strings.HasPrefix(next, "/cancel"):
		return ""
	}
	return next
}

// folded is the part of the text below that is opened by who wants to know more.
func folded(at promotion.FreightStatus, f promotion.Freight, paths []string) string {
	p, n := at.Promotion, at.Notes
	var b strings.Builder
	if n != nil && len(n.Cargo) > 0 && cargoBrief(n) == "" {
		fold(&b, cargoTitle(n), cargoList(n, len(n.Cargo))+besideList(n, len(n.Beside)))
	}
	if n != nil && len(n.Edits) > fewEdits {
		fold(&b, fmt.Sprintf("%d values change", len(n.Edits)+n.Hidden), editTable(n, len(n.Edits)))
	}
	text := fmt.Sprintf("| promotion | class | freight | files |\n|---|---|---|---|\n| %d | %s | %s | %s |\n",
		p.Number, p.Class, cmp.Or(source(f), code(p.Freight.Name)), cells(promotion.FirstOf(paths)))
	if r := p.Rollout; p.Rolls() {
		text += fmt.Sprintf("\nStep %d of its rollout, in batch %d of %d, %s: %s.\n",
			r.Step, r.Batch+1, len(r.Batches), code(r.BatchName()), cells(promotion.FirstOf(promotion.Texts(r.Targets))))
	}
	title := "More about it"
	if how := stopping(at); how != "" {
		title += ", and how to stop it"
		text += "\n" + how + "\n"
	}
	fold(&b, title, text)
	return b.String()
}

// stopping says how to stop a promotion, or how to take back what is merged, if there is something to go back to; ""
// once it has ended.
func stopping(at promotion.FreightStatus) string {
	p := at.Promotion
	back := ""
	if at.BackTo != "" {
		back = fmt.Sprintf("; `/rollback %s` takes back what is merged, too", p.Stage)
	}
	switch {
	case p.State.Ended():
		return ""
	case p.State == promotion.Verifying && p.Rolls():
		return fmt.Sprintf("This step is merged. To stop what is still to come, comment `/cancel %s` here%s.", p.Stage, back)
	case p.State == promotion.Verifying && back == "":
		return ""
	case p.State == promotion.Verifying:
		return fmt.Sprintf("It is merged; `/rollback %s` takes it back.", p.Stage)
	}
	return fmt.Sprintf("Before the merge: close this pull request, or comment `/cancel %s`. `/hold %s` stops what comes "+
		"after, too.", p.Stage, p.Stage)
}

// fold adds a text that is shown when somebody opens it.
func fold(b *strings.Builder, title, text string) {
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%s\n</details>\n", title, strings.Trim(text, "\n"))
}

// source says what freight was made of; "" if that is not known.
func source(f promotion.Freight) string {
	switch {
	case f.Pull != 0:
		return fmt.Sprintf("%s#%d (%s)", f.Repo, f.Pull, f.SHA)
	case f.Tag != "":
		return strings.ReplaceAll(code(f.Tag), "|", `\|`) + fmt.Sprintf(" of %s (%s)", f.Repo, f.SHA)
	case f.Repo != "":
		return fmt.Sprintf("%s@%s", f.Repo, f.SHA)
	}
	return ""
}
