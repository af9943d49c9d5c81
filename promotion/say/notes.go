package say

import (
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
)

// The most of each kind that is said at once. The rest stands below, folded.
const (
	fewEdits = 3
	fewCargo = 3
	someSaid = 5 // in a check run, in a message
)

// arrow says from where to where a stage goes, by the names of freight; name alone if it is not known from where.
// show is how a name is shown.
func arrow(n *promotion.Notes, name string, show func(string) string) string {
	if n == nil || n.From.Name == "" || n.From.Name == name {
		return show(name)
	}
	return show(n.From.Name) + " → " + show(name)
}

// Compare returns the address of the page on which GitHub shows the commits between both ends: those that come, or of a
// step back those that go. It is empty if there are none.
func Compare(n *promotion.Notes) string {
	if n == nil || n.From.Repo != n.To.Repo || n.From.SHA == n.To.SHA || n.From.SHA == "" || n.To.SHA == "" {
		return ""
	}
	older, newer := n.From.SHA, n.To.SHA
	if n.Back {
		older, newer = newer, older
	}
	return address(fmt.Sprintf("%s/%s/compare/%s...%s", n.Web, n.To.Repo, older, newer))
}

// compareLink is the link to that page in Markdown; "" if there is none.
func compareLink(n *promotion.Notes) string {
	switch url := Compare(n); {
	case url == "":
		return ""
	case n.Back:
		return "[what is taken away](" + url + ")"
	default:
		return "[compare](" + url + ")"
	}
}

// movement says in a sentence in Markdown where the stage goes.
func movement(p *promotion.Promotion, n *promotion.Notes) string {
	stage, to := "**"+code(p.Where())+"**", "**"+code(p.Freight.Name)+"**"
	link := around(" (", compareLink(n), ")")
	switch {
	case n == nil || n.From.Name == "":
		return stage + " gets " + to + link + "."
	case n.From.Name == p.Freight.Name:
		return stage + " gets " + to + " again."
	case n.Back:
		return stage + " goes back from " + code(n.From.Name) + " to " + to + link + "."
	}
	return stage + " goes from " + code(n.From.Name) + " to " + to + link + "."
}

// cargoTitle counts the freight between both ends, as the people who made it know it; "" if there is none.
func cargoTitle(n *promotion.Notes) string {
	if n == nil || len(n.Cargo) == 0 {
		return ""
	}
	count, one, many := len(n.Cargo)+n.Left, "pull request", "pull requests"
	if slices.ContainsFunc(n.Cargo, func(c promotion.Cargo) bool { return c.Pull == 0 }) {
		one, many = "piece of freight", "pieces of freight"
	}
	what := many
	if count == 1 {
		what = one
	}
	if n.Back {
		return fmt.Sprintf("Takes %d %s away", count, what) + besideTitle(n)
	}
	return fmt.Sprintf("Brings %d %s", count, what) + besideTitle(n)
}

// besideTitle counts what other warehouses have taken from the same commits, as the end of a sentence; "" if nothing.
func besideTitle(n *promotion.Notes) string {
	switch {
	case len(n.Beside) == 0:
		return ""
	case n.More:
		return fmt.Sprintf(", and more than %d of other warehouses in the same commits", len(n.Beside))
	}
	return fmt.Sprintf(", and %d of other warehouses in the same commits", len(n.Beside))
}

// besideList lists the first of these in Markdown; "" if there are none.
func besideList(n *promotion.Notes, most int) string {
	if len(n.Beside) == 0 {
		return ""
	}
	text := "\nOf other warehouses, in the same commits:\n\n"
	some := n.Beside[:min(len(n.Beside), most)]
	for _, c := range some {
		text += "- " + cargoLine(n, c) + "\n"
	}
	if n.More || len(some) < len(n.Beside) {
		text += "- and more" + after(": ", compareLink(n)) + "\n"
	}
	return text
}

// cargoBrief says in Markdown what a promotion brings, if that is little; "" if it is nothing, or much.
func cargoBrief(n *promotion.Notes) string {
	switch {
	case n == nil || len(n.Cargo) == 0 || len(n.Cargo)+n.Left > fewCargo || len(n.Beside) > 0:
		return ""
	case len(n.Cargo) == 1 && n.Back:
		return "\nTakes away " + cargoLine(n, n.Cargo[0]) + ".\n"
	case len(n.Cargo) == 1:
		return "\nBrings " + cargoLine(n, n.Cargo[0]) + ".\n"
	}
	return "\n" + cargoTitle(n) + ":\n\n" + cargoList(n, fewCargo)
}

// signersOut says who may not sign off what a promotion brings; "" if it brings one piece of freight at most, of which
// everybody knows, or if whoever has made it may.
func signersOut(at promotion.FreightStatus, n *promotion.Notes, as func(string) string) string {
	if !at.MakersOut || n == nil || n.Back || len(n.Cargo)+n.Left < 2 {
		return ""
	}
	if n.From.Name != "" && len(n.Cargo)+n.Left > promotion.MostAlong+1 {
		return fmt.Sprintf("More than %d pieces of freight come along, so that nobody may sign it off: promote older "+
			"freight before", promotion.MostAlong)
	}
	var names []string
	for _, c := range n.Cargo[:min(len(n.Cargo), someSaid)] {
		names = append(names, as(c.Name))
	}
	if more := len(n.Cargo) + n.Left - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	last := len(names) - 1
	return "Whoever had a hand in " + strings.Join(names[:last], ", ") + " or " + names[last] + " may not sign it off"
}

// cargoLine says in Markdown what one piece of freight is. No word in it closes an issue, or pings its author.
func cargoLine(n *promotion.Notes, c promotion.Cargo) string {
	name := code(c.Name)
	if url := address(fmt.Sprintf("%s/%s/pull/%d", n.Web, c.Repo, c.Pull)); url != "" && c.Pull != 0 {
		name = "[" + name + "](" + url + ")"
	}
	line := name + after(" ", plain(promotion.Clip(c.Title, 200))) + after(", by ", code(string(c.Author)))
	var issues []string
	for _, issue := range c.Issues {
		repo, number, _ := strings.Cut(issue, "#")
		if url := address(n.Web + "/" + repo + "/issues/" + number); url != "" {
			issues = append(issues, "["+code(issue)+"]("+url+")")
		}
	}
	return line + after(", about ", strings.Join(issues, ", "))
}

// cargoList lists the first pieces of freight in Markdown, and says how many more there are.
func cargoList(n *promotion.Notes, most int) string {
	var b strings.Builder
	some := n.Cargo[:min(len(n.Cargo), most)]
	for _, c := range some {
		b.WriteString("- " + cargoLine(n, c) + "\n")
	}
	if more := len(n.Cargo) + n.Left - len(some); more > 0 {
		fmt.Fprintf(&b, "- and %d more%s\n", more, after(": ", compareLink(n)))
	}
	return b.String()
}

// editTable lists the first values that change in Markdown, and says how many more there are.
func editTable(n *promotion.Notes, most int) string {
	if len(n.Edits) == 0 {
		return ""
	}
	some := n.Edits[:min(len(n.Edits), most)]
	var b strings.Builder
	b.WriteString("\n| Value | Now | Then |\n|---|---|---|\n")
	for _, e := range some {
		b.WriteString(row([]string{cells([]string{e.Place}), cells([]string{e.Was}), cells([]string{e.Is})}))
	}
	if more := len(n.Edits) + n.Hidden - len(some); more > 0 {
		b.WriteString(row([]string{fmt.Sprintf("and %d more", more), "", ""}))
	}
	return b.String()
}

// noted says in Markdown, for a check run, what a promotion brings.
func noted(p *promotion.Promotion, n *promotion.Notes) string {
	if n == nil {
		return ""
	}
	text := "\n" + movement(p, n) + "\n" + around("\nChanges in the application: ", Risks(n, code), ".\n") +
		editTable(n, someSaid) +
		around("\nWhen this was planned: ", Earnings(n, code), ".\n")
	if few := cargoBrief(n); few != "" || len(n.Cargo) == 0 {
		return text + few
	}
	return text + "\n" + cargoTitle(n) + ":\n\n" + cargoList(n, someSaid) + besideList(n, someSaid)
}

// Earnings says how the freight has fared in the stages before, with show for each name; "" if there are none.
func Earnings(n *promotion.Notes, show func(string) string) string {
	if n == nil {
		return ""
	}
	var all []string
	for _, e := range n.Earned {
		stage := show(string(e.Stage))
		text := ""
		switch {
		case e.Verdict == promotion.Bad:
			text = "failed in " + stage
		case e.Withdrawn:
			text = "taken back in " + stage
		case e.Verdict != promotion.Passed:
			text = "not verified in " + stage
		case !e.Since.IsZero():
			text = "verified in " + stage + " since " + moment(e.Since)
		default:
			text = "was verified in " + stage + ", and has left"
		}
		if e.Soak > 0 && e.Verdict == promotion.Passed {
			text += " (must soak there for " + promotion.Brief(e.Soak) + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// Origin says who has asked for a promotion, and why, with name for logins and show for texts of people.
func Origin(p *promotion.Promotion, n *promotion.Notes, name, show func(string) string) string {
	var text string
	switch {
	case !p.By.Bot():
		text = "Asked for by " + name(string(p.By.Login))
	case p.Class == promotion.Rollback:
		text = "Rolled back automatically"
	case p.Repairs:
		text = "Repaired automatically"
	default:
		text = "Promoted automatically"
	}
	text += after(": ", show(p.Words))
	if n == nil || n.Answers == 0 || p.Repairs {
		return text
	}
	if p.By.Bot() && p.Class == promotion.Rollback {
		text += fmt.Sprintf(": promotion %d failed", n.Answers)
	} else {
		text += fmt.Sprintf("; it follows promotion %d", n.Answers)
	}
	if n.Cause != nil {
		text += around(" (", show(Sentence(*n.Cause)), ")")
	}
	return text
}
