package say

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"waybill/promotion"
)

// Proposal is a change of the pipeline files that a pull request proposes. It is for people to look at: nothing of it
// is in force before it is merged (T23).
type Proposal struct {
	Before, After *promotion.Pipeline
	Prospects     []promotion.Prospect  // of every stage of either
	Large         bool                  // too much to work the prospects out
	Unclaimed     []string              // the channels of Slack that nobody has claimed for it
	Demands       []StageDemand         // of the rules of the stages' branches
	Missing       []promotion.Ungranted // that the App lacks
}

// Words says in a line how much would change, and lists the changes in Markdown. It takes as long as the pipelines are
// large, which compiling them has bounded.
func (p Proposal) Words() (title, summary string) {
	stages, changed := p.stages()
	var b strings.Builder
	b.WriteString("Nothing of this is in force before it is merged into " + code(p.Before.Branch) +
		". As things are now, it would mean:\n\n")
	if p.Large { // first, because a long list is cut at its end
		b.WriteString("What becomes of promotions is **not worked out**: there are too many stages, targets, files or " +
			"freight. Freight moves by the new files as soon as they are merged.\n\n")
	}
	low := p.lowered()
	if len(low) > 0 {
		changed += fmt.Sprintf("; lower than before: %d", len(low))
	}
	lines := slices.Concat(low, stages, p.aroundStages())
	for _, one := range p.Prospects {
		lines = append(lines, prospectLines(one)...)
	}
	for _, channel := range p.Unclaimed {
		lines = append(lines, fmt.Sprintf("nothing is told in Slack in %s before somebody types `/waybill claim %s` there",
			code(channel), p.Before.Home))
	}
	lines = append(lines, demandLines(p.Demands)...)
	for _, m := range p.Missing {
		lines = append(lines, "⚠️ "+plain(Ungranted(m)))
	}
	if len(lines) == 0 {
		lines = []string{"nothing"}
	}
	for _, line := range lines {
		b.WriteString("- " + line + "\n")
	}
	b.WriteString(drawing(p.After, p.Before))
	return changed, b.String()
}

// stages tells which stages come, go and change, each in a line, and in one line how many do.
func (p Proposal) stages() (lines []string, title string) {
	added, removed, changed := 0, 0, 0
	for _, s := range p.After.Stages {
		was := p.Before.Stage(s.Name)
		if was == nil {
			added++
			line := fmt.Sprintf("%s is **new**: takes %s; changes %s; verified by %s", code(string(s.Name)), gates(s),
				filesOf(s), awaited(s))
			if s.Files != (promotion.Branch{}) {
				line += "; its files are on " + lives(s)
			}
			if s.Rolls() {
				line += "; rolled out to " + batched(s)
			}
			lines = append(lines, line)
			continue
		}
		found := contrasts(was, s)
		if len(found) > 0 {
			changed++
		}
		for _, d := range found {
			lines = append(lines, d.line(s.Name))
		}
	}
	for _, s := range p.Before.Stages {
		if p.After.Stage(s.Name) == nil {
			removed++
			lines = append(lines, code(string(s.Name))+" is **removed**")
		}
	}
	if added+removed+changed == 0 {
		return lines, "Good; no stage would change"
	}
	return lines, fmt.Sprintf("Good; of the stages, %d would be new, %d changed, %d removed", added, changed, removed)
}

func (d contrast) line(stage promotion.StageName) string {
	if d.Before == d.After {
		return fmt.Sprintf("%s: %s change", code(string(stage)), d.What)
	}
	return fmt.Sprintf("%s: %s: %s → **%s**", code(string(stage)), d.What, d.Before, d.After)
}

// aroundStages describes the changes around the stages.
func (p Proposal) aroundStages() []string {
	var lines []string
	for _, w := range p.After.Warehouses {
		was := p.Before.Warehouse(w.Name)
		switch {
		case was == nil && w.Repo != p.After.Home:
			lines = append(lines,
				fmt.Sprintf("warehouse %s is **new**; whether %s allows it is asked once this is merged",
					code(string(w.Name)), code(string(w.Repo))))
		case was == nil:
			lines = append(lines, fmt.Sprintf("warehouse %s is **new**", code(string(w.Name))))
		case was.Versions.ByDate != w.Versions.ByDate:
			lines = append(lines,
				fmt.Sprintf("warehouse %s puts its freight **into another order**: by %s", code(string(w.Name)), orderOf(w)))
		case !reflect.DeepEqual(was, w):
			lines = append(lines, fmt.Sprintf("warehouse %s takes other freight than before", code(string(w.Name))))
		}
	}
	for _, w := range p.Before.Warehouses {
		if p.After.Warehouse(w.Name) == nil {
			lines = append(lines, fmt.Sprintf("warehouse %s is **removed**", code(string(w.Name))))
		}
	}
	if !reflect.DeepEqual(p.Before.Policy, p.After.Policy) {
		lines = append(lines, "the policy changes **who may do what**: `waybill policy explain` shows it")
	}
	return lines
}

// orderOf names the order of releases or tags.
func orderOf(w *promotion.Warehouse) string {
	if w.Versions.ByDate {
		return "date"
	}
	return "version"
}

// prospectLines describes the immediate effects on a stage.
func prospectLines(p promotion.Prospect) []string {
	stage := code(string(p.Stage))
	var lines []string
	if len(p.Available) > 0 {
		lines = append(lines, fmt.Sprintf("freight would become available to %s: %s", stage, newest(p.Available)))
	}
	if len(p.Promoted) > 0 {
		lines = append(lines, fmt.Sprintf("freight would be promoted into %s at once: %s", stage, newest(p.Promoted)))
	}
	for _, one := range p.Partial {
		lines = append(lines, fmt.Sprintf("%s would host %s **incompletely**: the file changes what is written at %s; "+
			"%s brings it in line", stage, code(one.Freight), cells(promotion.FirstOf(one.Places)),
			code("/promote "+string(p.Stage)+" "+one.Freight)))
	}
	for _, words := range p.Starving {
		lines = append(lines, fmt.Sprintf("⚠️ nothing would come to %s by itself: %s", stage, plain(words)))
	}
	for _, one := range p.Cancelled {
		lines = append(lines,
			fmt.Sprintf("%s: promotion %s of %s would be **cancelled**", stage, one.Number, code(one.Freight.Name)))
	}
	return lines
}

// StageDemand is a demand of a rule on the promotions of a stage.
type StageDemand struct {
	Stage promotion.StageName
	promotion.Demand
}

// demandLines says in Markdown what is in the way of promotions, once for all stages of which it is so.
func demandLines(all []StageDemand) (lines []string) {
	stages, texts := map[string][]string{}, []string(nil)
	for _, d := range all {
		if d.Weight == promotion.Takes {
			continue
		}
		text := plain(Demand(d.Demand))
		if stages[text] == nil {
			texts = append(texts, text)
		}
		stages[text] = append(stages[text], string(d.Stage))
	}
	for _, text := range texts {
		lines = append(lines, "⚠️ "+newest(stages[text])+": "+text)
	}
	return lines
}

// newest names the last few of some freight.
func newest(names []string) string {
	const few = 5
	left := max(0, len(names)-few)
	text := cells(names[left:])
	if left > 0 {
		text += fmt.Sprintf(" and %d older", left)
	}
	return text
}

// drawing draws the stages of a pipeline as a flow chart of Mermaid, and which of them are new.
func drawing(p *promotion.Pipeline, before *promotion.Pipeline) string {
	if len(p.Stages) == 0 || len(p.Stages) > maxDrawn {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n```mermaid\nflowchart LR\n")
	for _, s := range p.Stages {
		label := drawn(string(s.Name))
		if before.Stage(s.Name) == nil {
			label += ", new"
		}
		fmt.Fprintf(&b, "  s%d[\"%s\"]\n", s.Index, label)
	}
	for _, s := range p.Stages {
		for _, up := range behind(s) {
			fmt.Fprintf(&b, "  s%d --> s%d\n", up.Index, s.Index)
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// behind returns the stages that a gate of the stage names, each once.
func behind(s *promotion.Stage) []*promotion.Stage {
	var all []*promotion.Stage
	for _, from := range s.From {
		if from.After == nil {
			continue
		}
		for _, up := range from.After.Of {
			if !slices.Contains(all, up) {
				all = append(all, up)
			}
		}
	}
	return all
}

// UnaskedTitle and Unasked say that pipeline files of somebody without write access are only checked by themselves, and
// UnaskedLong that they are too long for that. UnaskedUnread says that they were not read.
const (
	UnaskedTitle = "Not looked at yet: a person with write access must ask"
	Unasked      = "The pipeline files are valid by themselves. Waybill has not worked out what they would do, because " +
		"they come from a fork of somebody without write access.\n\nA person with write access asks for it " +
		"with *Re-run* on this check."
	UnaskedLong = "The pipeline files were not checked: they come from a fork, from somebody without write access, and " +
		"have more than 64 KiB together.\n\nA person with write access has them checked with *Re-run* on this check."
	UnaskedUnread = "Whether this changes pipeline files is not known: it comes from a fork, and Waybill reads only so " +
		"much within an hour for people without write access.\n\nA person with write access has it read with *Re-run* on " +
		"this check."
)

// ProposesNothing is said of a pull request that was read late, and changes no pipeline file.
const ProposesNothing = "Changes no pipeline file"

// BadProposal lists in Markdown the mistakes in the pipeline files of a pull request.
func BadProposal(problems string) string {
	return "Waybill would refuse these files if they were merged, and keep those that are in force.\n\n" +
		listing(problems)
}
