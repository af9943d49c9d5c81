package say

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// Way is the progress of a freight through the stages that take it: the contents of the one comment on its pull
// request. It is plain text in its parts, kept until it is shown, and text of people stands in it as they typed it.
type Way struct {
	Name  string // of the freight
	Title string
	Steps []StageLine // in the order of the pipeline file
}

// StageLine says where the freight stands in one stage.
type StageLine struct {
	Stage promotion.StageName
	After []promotion.StageName `json:",omitempty"` // the stages it comes from
	Mark  string                // a picture; Word says the same to those who do not see it
	Word  string
	Why   string    `json:",omitempty"`
	By    string    `json:",omitempty"` // who asked for it
	At    time.Time `json:",omitzero"`
	Pull  string    `json:",omitempty"` // the address of its pull request, or
	SHA   string    `json:",omitempty"` // of its commit, or
	Run   string    `json:",omitempty"` // of the run of its workflow
	See   string    `json:",omitempty"` // the address of the reason why it waits
	Next  string    `json:",omitempty"` // the command that a person could type
	Acts  bool      `json:",omitempty"` // nothing goes on before a person does something
}

// LineOf says where a freight stands in a stage.
func LineOf(f promotion.Freight, at promotion.FreightStatus) StageLine {
	step := StageLine{
		Stage: at.Stage.Name, Mark: mark(at), Word: word(at), Why: reasonUntil(at),
		See: address(at.Why().URL), Acts: needsPerson(at),
	}
	if source, _ := at.Stage.Source(f.Warehouse); source.After != nil {
		for _, from := range source.After.Of {
			step.After = append(step.After, from.Name)
		}
	}
	step.Next = Next(at)
	if !at.Drift.IsZero() {
		step.Why = promotion.Clip(Sentence(at.Drift), 500)
	} else if at.Withdrawn != "" {
		step.Why = promotion.Clip(takenBack(at, at.Stage.Name), 500)
	}
	if p := at.Promotion; p != nil {
		step.By, step.At = cmp.Or(string(p.By.Login), "automation"), since(p)
		step.show(at.Link)
	}
	return step
}

// reasonUntil says why freight stands where it does, and until when if a clock ends that: the end is not cut off in a
// cell.
func reasonUntil(at promotion.FreightStatus) string {
	why, ends := Sentence(at.Why()), moment(at.Until)
	if why == "" || ends == "" || at.Rejection != nil {
		return promotion.Clip(why, 500)
	}
	return promotion.Clip(why, 260) + ", until " + ends
}

// show says where a promotion can be seen.
func (s *StageLine) show(link promotion.Link) {
	switch url := address(link.URL); link.What {
	case promotion.OnPull:
		s.Pull = url
	case promotion.OnCommit:
		s.SHA = url
	case promotion.OnRun:
		s.Run = url
	}
}

// since is when a promotion came into its state, as far as that is kept.
func since(p *promotion.Promotion) time.Time {
	for _, t := range []time.Time{p.Ended, p.Merged, p.Started} {
		if !t.IsZero() {
			return t
		}
	}
	return p.Queued
}

// needsPerson reports whether nothing goes on before a person does something.
func needsPerson(s promotion.FreightStatus) bool {
	switch s.Reason.Code {
	case promotion.Unapproved, promotion.ToBeMerged, promotion.PlanChanged, promotion.Inconclusive, promotion.Missing:
		return s.Place == promotion.PlaceOpen
	}
	return false
}

// Stuck reports whether an open promotion waits for a person, or for the end of a hold.
func Stuck(s promotion.FreightStatus) bool {
	return needsPerson(s) || s.Place == promotion.PlaceOpen && s.Reason.Code == promotion.Held
}

// mark is a picture of where the freight stands.
func mark(s promotion.FreightStatus) string {
	switch {
	case s.Promotion == nil:
		return placeMarks[s.Place]
	case s.Bad():
		return endMarks[promotion.VerificationFailed]
	case !s.Drift.IsZero(), s.Withdrawn != "":
		return "⚠️"
	case s.Reason.Code == promotion.Held:
		return "🔒"
	case needsPerson(s):
		return "✋"
	case !s.Promotion.State.Ended():
		return "⏳"
	case s.Good() && s.Was.In != "":
		return "↩️"
	case s.Good():
		return endMarks[promotion.Succeeded]
	case s.Promotion.State == promotion.Succeeded, s.Partly:
		return partMark
	}
	return endMarks[s.Promotion.State]
}

var placeMarks = map[promotion.Place]string{promotion.PlaceAvailable: "🟢", promotion.PlaceUnavailable: "💤",
	promotion.PlaceSkipped: "⏭️"}

// partMark is the picture of freight that is good in some targets, and has not come to others.
const partMark = "◐"

var endMarks = map[promotion.State]string{
	promotion.Succeeded: "✅", promotion.Failed: "❌", promotion.VerificationFailed: "❌", promotion.Declined: "🚫",
	promotion.Cancelled: "🚫", promotion.Superseded: "⏭️",
}

// Put writes down a step. The steps are kept in the order of the pipeline, and those of stages that are gone, or no
// longer take the freight, are left out.
func (w *Way) Put(p *promotion.Pipeline, from promotion.WarehouseName, step StageLine) {
	old := append(w.Steps, step)
	w.Steps = nil
	for _, stage := range p.Stages {
		if _, takes := stage.Source(from); !takes {
			continue
		}
		for i := range slices.Backward(old) { // the newest
			if old[i].Stage == stage.Name {
				w.Steps = append(w.Steps, old[i])
				break
			}
		}
	}
}

// next returns the command that takes the freight further: first where a person has to act, then where something went
// wrong, then where it is free to go. To stop a promotion that runs well is not the next step.
func (w *Way) next() string {
	for _, wanted := range []func(*StageLine) bool{
		func(s *StageLine) bool { return s.Acts },
		func(s *StageLine) bool { return s.Mark == "❌" || s.Mark == "⚠️" },
		func(s *StageLine) bool { return s.Mark == placeMarks[promotion.PlaceAvailable] },
	} {
		for i := range w.Steps {
			if s := &w.Steps[i]; s.Next != "" && wanted(s) && !strings.HasPrefix(s.Next, "/cancel") {
				return s.Next
			}
		}
	}
	return ""
}

// maxSticky bounds the text of a comment, with room for one more row: GitHub takes 65,536 characters.
const maxSticky = 50_000

// Sticky is the comment that shows how far the freight of a pull request has come, without its marker.
func Sticky(ways []Way) string {
	var b strings.Builder
	for i := range ways {
		if b.Len() > maxSticky {
			fmt.Fprintf(&b, "\n`/where %s` lists the rest.\n", strings.Trim(code(ways[i].Name), "`"))
			break
		}
		ways[i].write(&b)
	}
	b.WriteString("\n`/help` lists what can be asked for here.\n")
	return b.String()
}

// StickyOnPromotion is the comment on a promotion's own pull request: who asked for it and when, why it waits, and how
// to stop it. It has no marker yet.
func StickyOnPromotion(f promotion.Freight, step StageLine) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s to %s\n\n", code(f.Name), code(string(step.Stage)))
	b.WriteString(row([]string{"Stage", "Now", "Why", "Who and when", "Links"}) +
		row(slices.Repeat([]string{"---"}, 5)) + row(step.cells()))
	if step.Next != "" && !strings.HasPrefix(step.Next, "/cancel") {
		b.WriteString(fence(step.Next))
	}
	if step.Acts || step.Mark == "🔒" {
		fmt.Fprintf(&b, "\nTo stop it, close this pull request, or comment %s.\n", code("/cancel "+string(step.Stage)))
	}
	return b.String()
}

func (w *Way) write(b *strings.Builder) {
	fmt.Fprintf(b, "### %s%s\n\n", code(w.Name), after(": ", plain(promotion.Clip(w.Title, 200))))
	b.WriteString(row([]string{"Stage", "Now", "Why", "Who and when", "Links"}) +
		row(slices.Repeat([]string{"---"}, 5)))
	for i := range w.Steps {
		if b.Len() > maxSticky {
			fmt.Fprintf(b, "\nand %d more stages: `/where` lists them.\n", len(w.Steps)-i)
			break
		}
		b.WriteString(row(w.Steps[i].cells()))
	}
	b.WriteString(w.picture())
	if next := w.next(); next != "" {
		b.WriteString(fence(next))
	}
}

func (s *StageLine) cells() []string {
	return []string{
		strings.ReplaceAll(code(string(s.Stage)), "|", `\|`), s.Mark + " " + plain(s.Word),
		plain(promotion.Clip(s.Why, 300)),
		plain(s.By) + after(", ", moment(s.At)), s.links(),
	}
}

func (s *StageLine) links() string {
	var all []string
	for _, link := range []promotion.Link{
		{What: promotion.OnPull, URL: s.Pull}, {What: promotion.OnCommit, URL: s.SHA},
		{What: promotion.OnRun, URL: s.Run}, {What: "see", URL: s.See},
	} {
		if link.URL != "" {
			all = append(all, "["+link.What+"]("+link.URL+")")
		}
	}
	return strings.Join(all, " ")
}

// maxDrawn is how many stages a picture shows; more are easier to read as a table.
const maxDrawn = 12

// picture draws the way as a flow chart of Mermaid, for which nodes get names of our own.
func (w *Way) picture() string {
	if len(w.Steps) < 2 || len(w.Steps) > maxDrawn {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n```mermaid\nflowchart LR\n")
	names := map[promotion.StageName]string{}
	for i, s := range w.Steps {
		names[s.Stage] = fmt.Sprintf("s%d", i)
		word, _, _ := strings.Cut(s.Word, " (") // how targets stand is too long for a picture
		fmt.Fprintf(&b, "  s%d[\"%s: %s\"]\n", i, drawn(string(s.Stage)), drawn(word))
	}
	for i, s := range w.Steps {
		for _, from := range s.After {
			if name := names[from]; name != "" {
				fmt.Fprintf(&b, "  %s --> s%d\n", name, i)
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// drawn makes text harmless in a label of Mermaid: everything but letters, digits and a few signs is written as a
// number, so that nothing ends the label, the fence or the line, and nothing is a directive, a link or markup.
func drawn(s string) string {
	var b strings.Builder
	for _, r := range promotion.Clip(oneLine(s), 100) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" -_.,", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
