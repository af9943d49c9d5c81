package say

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
)

// Report is the answer to a question, as plain text in its parts: each surface renders it for itself, and text of
// people stands in it as they typed it.
type Report struct {
	Title string
	Head  []string         // of the table
	Rows  [][]string       // of the table
	Folds bool             // where people read it among others, of many rows only the first are shown at once
	Notes []string         // sentences below it
	Links []promotion.Link // below these
	Next  string           // the command that a person could type next, or ""
	Undo  string           // the command that takes back what has been done, or ""
	None  bool             // the question is about nothing that there is: its comment shows that as a refusal
}

// NothingMeant answers a question about nothing that there is.
func NothingMeant(why string) Report { return Report{Title: "Refused: " + why + ".", None: true} }

// mostAnswer is how long a report for GitHub is at most, in bytes. GitHub takes comments of 65,536 characters.
const mostAnswer = 60_000

// Markdown renders a report for GitHub. Rows and notes that a comment has no room for are counted; the commands below
// them always fit.
func (r Report) Markdown() string {
	title, commands := fmt.Sprintf("**%s**\n", plain(r.Title)), r.commands()
	notes := make([]string, len(r.Notes))
	for i, note := range r.Notes {
		notes[i] = fmt.Sprintf("\n%s\n", plain(promotion.Clip(note, 1000)))
	}
	rows := make([]string, len(r.Rows))
	for i, cells := range r.Rows {
		rows[i] = row(plainCells(cells))
	}
	room := mostAnswer - len(title) - len(commands)
	below := fitting(notes, room/2)
	return title + r.table(rows, room-len(below)) + below + commands
}

// fitting joins those of some texts that there is room for, and counts the others.
func fitting(texts []string, room int) string {
	n := fit(texts, room)
	return strings.Join(texts[:n], "") + unfit(len(texts)-n)
}

// fit returns how many of some texts there is room for.
func fit(texts []string, room int) int {
	for i, text := range texts {
		if room -= len(text); room < 0 {
			return i
		}
	}
	return len(texts)
}

// unfit says how many texts there was no room for; "" if there was.
func unfit(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n%d more do not fit into a comment.\n", n)
}

// commands is the end of a report: the links, and what a person could type next.
func (r Report) commands() string {
	var b strings.Builder
	if links := r.links(func(url, what string) string { return "[" + what + "](" + url + ")" }); links != "" {
		b.WriteString("\n" + links + "\n")
	}
	if r.Next != "" {
		b.WriteString(fence(r.Next))
	}
	if r.Undo != "" {
		b.WriteString(fenced("To undo it", r.Undo))
	}
	return b.String()
}

// mostSeen is how many rows of a table that folds are shown at once.
const mostSeen = 10

// seen is how many of some rows are shown at once.
func (r Report) seen(rows int) int {
	if r.Folds {
		return min(rows, mostSeen)
	}
	return rows
}

// table renders rows for GitHub, as many as there is room for.
func (r Report) table(rows []string, room int) string {
	if len(rows) == 0 {
		return ""
	}
	head := "\n" + row(r.Head) + row(slices.Repeat([]string{"---"}, len(r.Head)))
	n := fit(rows, room)
	seen := r.seen(n)
	text := head + strings.Join(rows[:seen], "")
	if seen < n {
		text += fmt.Sprintf("\n<details><summary>%d more</summary>\n%s\n</details>\n", n-seen,
			head+strings.Join(rows[seen:n], ""))
	}
	return text + unfit(len(rows)-n)
}

// links shows the links of a report.
func (r Report) links(show func(url, what string) string) string {
	var all []string
	for _, l := range r.Links {
		if url := address(l.URL); url != "" {
			all = append(all, show(url, l.What))
		}
	}
	return strings.Join(all, " ")
}

func plainCells(cells []string) []string {
	all := make([]string, len(cells))
	for i, cell := range cells {
		all[i] = plain(promotion.Clip(cell, 300))
	}
	return all
}

// StagesHead is the head of a table of StageRows.
var StagesHead = []string{"Stage", "Hosts", "On its way", "Waits for"}

// StageRow describes a stage in one line: its freight, the freight on its way there, and the reason why that waits.
func StageRow(s promotion.Status) []string {
	var hosts, coming, waits []string
	frozen := false
	for _, h := range s.Hosts {
		hosts = append(hosts, h.Freight.Name+" ("+judged(h)+")")
	}
	for _, at := range s.Open {
		coming = append(coming, at.Name+" "+strings.ToLower(word(at)))
		if !at.Reason.IsZero() {
			waits = append(waits, Sentence(at.Reason)+after(", ", until(at.Until, s.At)))
		}
		frozen = frozen || at.Reason.Code == promotion.Frozen
	}
	if !s.Frozen.IsZero() && !frozen {
		waits = append(waits, Sentence(s.Frozen)+after(", ", until(s.Thaws, s.At)))
	}
	for _, h := range s.Holds {
		waits = append(waits, HoldSentence(h)+around(" (in ", span(h.Until, s.At), ")")+lifting(h))
	}
	for _, at := range s.Coming {
		waits = append(waits, at.Name+": "+Title(at)+after(", ", until(at.Until, s.At)))
	}
	waits = append(waits, Demands(s.Demands, promotion.Stops)...)
	return []string{
		string(s.Stage.Name), cmp.Or(strings.Join(hosts, ", "), "nothing"), strings.Join(coming, ", "),
		strings.Join(waits, "; "),
	}
}

// verdictWords says a verdict behind the name of freight.
var verdictWords = map[promotion.Verdict]string{
	promotion.Pending: "not verified yet", promotion.Passed: "verified", promotion.Bad: "failed",
	promotion.Undecided: "inconclusive",
}

// judged describes the verdict on freight, and of a rollout the states of its targets.
func judged(h promotion.Host) string {
	summary := String(h.Tally)
	but := after(", but the stage ", h.Withdrawn)
	if len(h.Unwritten) > 0 {
		but += fmt.Sprintf(
			", but incomplete: the pipeline file now also sets, or no longer sets, %s; /promote %s %s writes it",
			strings.Join(promotion.FirstOf(h.Unwritten), ", "), h.Deployment.Stage, h.Freight.Name)
	}
	if summary != "" && h.Deployment.Verdict == promotion.Passed {
		return summary + but
	}
	word := verdictWords[h.Deployment.Verdict]
	if h.Partly {
		word = "verified in part"
	}
	return word + after(": ", summary) + but
}

// until says the end of a wait, and how long it is until then; "" if it is over, or only an event ends it.
func until(end, now time.Time) string {
	left := span(end, now)
	if left == "" {
		return ""
	}
	return "until " + moment(end) + " (in " + left + ")"
}

// span says how long it is until a time, to the second; "" if that is over, or there is no such time.
func span(end, now time.Time) string {
	if end.IsZero() || !end.After(now) {
		return ""
	}
	left := end.Sub(now)
	if left > 48*time.Hour {
		return fmt.Sprintf("%d days", int(left.Hours()/24))
	}
	return promotion.Brief(max(left.Truncate(time.Second), time.Second))
}

// HoldSentence says whose hold it is, why, since when, and until when.
func HoldSentence(h promotion.Hold) string {
	by := cmp.Or(string(h.By.Login), "Waybill")
	text := "held" + after(" for target ", string(h.Target)) + after(" for freight of ", string(h.Warehouse)) +
		" by " + by + " since " + moment(h.At)
	switch {
	case h.By.Bot() && h.Reason.Code == promotion.Asked:
		text += fmt.Sprintf(", so that automation does not undo promotion %s, for which %s asked", h.Promotion,
			h.Reason.Arg(0))
	case h.By.Bot():
		text += after(", because ", Sentence(h.Reason))
	}
	text += after(": ", oneLine(h.Text))
	if !h.Until.IsZero() {
		text += " (until " + moment(h.Until) + ")"
	}
	return text
}

// lifting says which command lifts a hold of Waybill's own; "" of a person's, which ends with its reason.
func lifting(h promotion.Hold) string {
	if !h.By.Bot() {
		return ""
	}
	lifts := promotion.Command{Verb: promotion.CmdUnhold, Stage: h.Stage, Rest: string(h.Warehouse)}
	return "; " + command.Write(lifts) + " lifts that"
}

// heldPlace is what a hold is of, in a report about one stage.
func heldPlace(h promotion.Hold) string {
	if h.Stage == "" {
		return "Every stage"
	}
	return "The stage"
}

// WhyReport says where a freight stands in a stage, and how things are there.
func WhyReport(at promotion.FreightStatus, is promotion.Status) Report {
	r := Report{Title: fmt.Sprintf("%s in %s: %s", at.Name, is.Stage.Name, Title(at)), Next: Next(at)}
	if p := at.Promotion; p != nil {
		asked := after(", asked for by ", string(p.By.Login))
		r.note(fmt.Sprintf("Promotion %d, %s, queued %s%s", p.Number, p.Class, moment(p.Queued), asked))
		r.note(askerMust(p))
		r.note(address(at.Link.URL))
	}
	if d := details(at); d.URL != "" {
		r.Links = append(r.Links, d)
	}
	if !at.Lacks.IsZero() {
		r.note("It is not available: " + Sentence(at.Lacks))
	}
	if !at.Drift.IsZero() {
		r.note("Drifted: " + Sentence(at.Drift))
	}
	r.note(after("Taken back: ", takenBack(at, is.Stage.Name)))
	if rejected(at) != "" {
		r.note("Rejected: " + Sentence(at.Rejected))
	}
	if !at.Until.IsZero() {
		r.note(capital(clock(at)) + " " + moment(at.Until) + around(" (in ", span(at.Until, is.At), ")"))
	}
	if WaitsForSignOff(at) {
		r.note(signersOut(at, at.Notes, func(s string) string { return s }))
	}
	r.note(Patience(at.Rejection))
	if !is.Frozen.IsZero() && at.Reason.Code != promotion.Frozen && frozenOut(at, is) {
		r.note("It also waits for the end of a freeze: " + Sentence(is.Frozen) + after(", ", until(is.Thaws, is.At)))
	}
	for _, h := range is.Holds {
		r.note(heldPlace(h) + " is " + HoldSentence(h) + around(" (in ", span(h.Until, is.At), ")") + lifting(h))
	}
	if at.Promotion == nil || !at.Promotion.State.Ended() {
		r.Notes = append(r.Notes, Demands(is.Demands, promotion.Stops, promotion.AsksPeople)...)
	}
	return r
}

// frozenOut reports whether the freeze of a stage keeps freight from coming: by automation, or with its promotion.
func frozenOut(at promotion.FreightStatus, is promotion.Status) bool {
	switch at.Place {
	case promotion.PlaceAvailable, promotion.PlaceUnavailable:
		return true
	case promotion.PlaceOpen:
		f, _ := is.Stage.Frozen(at.Promotion.Class, is.At)
		return f != nil && (at.Promotion.State != promotion.Verifying || at.Promotion.Rolls())
	}
	return false
}

// InLine says which place a promotion has among those that are to be merged or committed into a branch.
func InLine(on promotion.Branch, ahead []promotion.Wait) string {
	last := ahead[len(ahead)-1]
	return fmt.Sprintf("Number %d in turn on %s, after promotion %d of %s", len(ahead)+1, on, last.Number, last.Stage)
}

// Delayed says what a promotion waits for besides its pipeline; "" if for nothing. A time that is over is not told.
func Delayed(d promotion.Delay, now time.Time) string {
	at := ""
	if d.Until.After(now) {
		at = moment(d.Until)
	}
	switch {
	case d.Shut:
		return "GitHub refuses what the App asks in this organisation, or does not answer. The App asks again" +
			after(" at ", at)
	case d.Content:
		return "It waits its turn: GitHub limits how many pull requests and comments an App may make" +
			after(". There is room again at ", at)
	}
	return ""
}

// note adds a sentence, if there is one.
func (r *Report) note(sentence string) {
	if sentence != "" {
		r.Notes = append(r.Notes, sentence)
	}
}

// HistoryReport lists promotions of a stage in the order in which they are given. The pipeline file may not have it any
// more.
func HistoryReport(name promotion.StageName, stage *promotion.Stage, all []promotion.Promotion) Report {
	r := Report{
		Title: fmt.Sprintf("The latest promotions of %s", name),
		Head:  []string{"Promotion", "Freight", "State", "When", "By", "Why"},
	}
	for i := range all {
		r.Rows = append(r.Rows, pastRow(stage, &all[i]))
	}
	if len(r.Rows) == 0 {
		r.note("There have been none.")
	}
	return r
}

// HistoryOfAll is HistoryReport of several stages, which a pattern or a group names.
func HistoryOfAll(named string, of *promotion.Pipeline, all []promotion.Promotion) Report {
	r := HistoryReport(promotion.StageName(named), nil, nil)
	if len(all) == 0 {
		return r
	}
	r.Head, r.Notes = slices.Insert(r.Head, 1, "Stage"), nil
	for i := range all {
		r.Rows = append(r.Rows, slices.Insert(pastRow(of.Stage(all[i].Stage), &all[i]), 1, string(all[i].Stage)))
	}
	return r
}

// pastRow is the row of a promotion in a history.
func pastRow(stage *promotion.Stage, p *promotion.Promotion) []string {
	when := p.Queued
	if p.State.Ended() {
		when = p.Ended
	}
	return []string{
		p.Number.String(), p.Freight.Name, stateWord(stage, p.State), moment(when),
		cmp.Or(string(p.By.Login), "automation"), Sentence(p.Reason),
	}
}

// PlanReport describes the promotion of a freight into a stage: plan has the contents that it would write, was the
// present values.
func PlanReport(at promotion.FreightStatus, is promotion.Status, was []promotion.Value, plan promotion.Plan) Report {
	r := Report{
		Title: fmt.Sprintf("What promoting %s to %s would do", at.Name, is.Stage.Name),
		Head:  []string{"File", "Value", "Now", "Then"},
	}
	old, changes := promotion.TextsOf(was), false
	for _, v := range plan.Values {
		text := old[v.Spot()]
		r.Rows = append(r.Rows, planned(v, text))
		changes = changes || text != v.Text
	}
	r.cargo(plan.Notes, at.Name)
	if len(is.Stage.Copies()) > 0 && len(plan.Paths) > 0 {
		r.note(fmt.Sprintf("Files that change, come or go: %d, which are %s", len(plan.Paths),
			strings.Join(plan.Paths, ", ")))
	}
	if !changes && plan.Problem.IsZero() {
		r.note("Nothing would change: the files have this version already.")
	}
	if !plan.Problem.IsZero() {
		r.note(problemWords(&plan) + Sentence(plan.Problem))
	}
	if !at.Lacks.IsZero() {
		r.note("It is not available: " + Sentence(at.Lacks))
	}
	if n := is.Stage.Policy.Approvals; n > 0 {
		r.note(fmt.Sprintf("Sign-offs (/approve) before it is merged: %d", n))
		r.note(signersOut(at, plan.Notes, func(s string) string { return s }))
	}
	if is.Stage.Merge.By == promotion.MergeManual {
		r.note("A person merges its pull request.")
	}
	if note := deliveryWords[is.Stage.Delivery].note; note != nil {
		r.note(note(is))
	}
	r.Notes = append(r.Notes, Demands(is.Demands, promotion.Stops, promotion.AsksPeople, promotion.Takes)...)
	r.batches(is.Stage, plan.Absent)
	r.unready(is.Unready)
	for _, h := range is.Holds {
		r.note(heldPlace(h) + " is " + HoldSentence(h) + lifting(h))
	}
	coming := false
	for _, other := range is.Open {
		before := "Before it"
		if other.Promotion.Freight.ID == at.Freight {
			before, coming = "It is on its way", true
		}
		state := strings.ToLower(word(other))
		r.note(fmt.Sprintf("%s: promotion %d of %s, %s", before, other.Promotion.Number, other.Name, state))
	}
	if changes && !coming && plan.Problem.IsZero() && at.Lacks.IsZero() {
		r.Next = fmt.Sprintf("/promote %s %s", is.Stage.Name, at.Name)
	}
	return r
}

// problemWords says what a problem of a plan means: what cannot be read now waits until it can be.
func problemWords(plan *promotion.Plan) string {
	if plan.Unreadable() {
		return "It would wait until a push mends the file: "
	}
	return "It cannot be promoted: "
}

// cargo adds to a plan from where to where the stage would go, and what that would bring.
func (r *Report) cargo(n *promotion.Notes, name string) {
	if n == nil {
		return
	}
	as := func(s string) string { return s }
	switch n.From.Name {
	case "":
	case name:
		r.note("The stage has " + name + " already")
	default:
		r.note("The stage would go from " + arrow(n, name, as))
	}
	if title := cargoTitle(n); title != "" {
		text := title + ": " + cargoWords(n.Cargo)
		if more := len(n.Cargo) + n.Left - someSaid; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		r.note(text)
	}
	if len(n.Beside) > 0 {
		text := "Of other warehouses: " + cargoWords(n.Beside)
		if n.More || len(n.Beside) > someSaid {
			text += "; and more"
		}
		r.note(text)
	}
	r.note(after("Changes in the application: ", Risks(n, as)))
	r.note(after("So far: ", Earnings(n, as)))
	if url := Compare(n); url != "" {
		r.Links = append(r.Links, promotion.Link{What: "compare", URL: url})
	}
}

// cargoWords names the first pieces of freight in a sentence, as plain text.
func cargoWords(all []promotion.Cargo) string {
	var words []string
	for _, c := range all[:min(len(all), someSaid)] {
		words = append(words, c.Name+after(" ", promotion.Clip(c.Title, 100))+after(", by ", string(c.Author))+
			after(", about ", strings.Join(c.Issues, ", ")))
	}
	return strings.Join(words, "; ")
}

// batches adds to a plan in which batches the stage's targets are updated, and which of them cannot take part yet.
func (r *Report) batches(s *promotion.Stage, absent []promotion.TargetName) {
	var all []promotion.Batch // of a stage that is one place there is nothing to say
	if s.Rolls() {
		all = s.Strategy.Batches
	}
	for i, b := range all {
		r.note(fmt.Sprintf("Batch %d, %s (%s)%s", i+1, b.Name, firstOf(b.Targets), paceAfter(&b)))
	}
	if len(absent) > 0 {
		r.note("Cannot take part yet, because a file of theirs is not there: " + firstOf(absent))
	}
}

// unready adds to a plan which targets are not ready, and why.
func (r *Report) unready(targets []promotion.UnreadyTarget) {
	var names []string
	for _, t := range targets {
		names = append(names, string(t.Name)+" ("+cmp.Or(strings.Join(t.Lacks.Args, ", "), Sentence(t.Lacks))+")")
	}
	if len(names) > 0 {
		r.note("Not ready, and left out until they are: " + strings.Join(promotion.FirstOf(names), ", "))
	}
}

// HelpReport lists all commands, or explains the one that is named.
func HelpReport(word string) Report {
	if u := command.Find(strings.TrimPrefix(word, "/")); u != nil {
		r := Report{Title: u.Line(), Notes: []string{u.Does, "For example: " + u.Example}}
		if u.Several {
			r.note(command.NamesSeveral)
		}
		if len(u.Aliases) > 0 {
			r.note("Also: /" + strings.Join(u.Aliases, ", /"))
		}
		return r
	}
	r := Report{Title: "Commands", Head: []string{"Command", "Does"}}
	for i := range command.Commands {
		r.Rows = append(r.Rows, []string{command.Commands[i].Line(), command.Commands[i].Does})
	}
	r.note(command.NamesSeveral)
	r.note("FREIGHT is a name such as api#142, a pull request's number, or the first letters of a commit. " +
		"A command stands at the beginning of a line; a comment may have five.")
	return r
}
