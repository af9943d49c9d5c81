// Package shown reads back what Waybill shows, as a person would, so that tests can compare it with what is so.
package shown

import (
	"html"
	"regexp"
	"strings"
)

// Claim is what a view says of freight in a stage. What it does not say is the zero value.
type Claim struct {
	Good, Bad bool
	Partly    bool // good in some targets only
	Undone    bool // its promotion could not be carried out; of a label: that, or Bad
	Gone      bool // it was there and has left
	Drifted   bool
	Taken     bool // the stage has taken it back
	Lessened  bool // of a picture: Drifted or Taken
	Held      bool
}

// OfTitle reads the title of a check run, without the name of the freight: other views begin with the same words.
func OfTitle(title string) (c Claim) {
	head, _, _ := strings.Cut(title, " (") // how targets stand
	word, _, _ := strings.Cut(head, ": ")
	word, _, ended := strings.Cut(word, "; promotion ")
	c.Drifted = strings.Contains(head, ", drifted")
	c.Taken = strings.Contains(head, ", taken back")
	c.Gone = strings.HasPrefix(word, "Was in ") || strings.Contains(head, ", was in ")
	switch {
	case strings.HasPrefix(word, "Verified in part"):
		c.Partly = true
	case strings.HasPrefix(word, "Verified"), strings.HasPrefix(word, "Was in "):
		c.Good = true
	case strings.HasPrefix(word, "Verification failed"), strings.HasPrefix(word, "Failed after it had been verified"):
		c.Bad = true
	case strings.HasPrefix(word, "Failed") && !ended:
		c.Undone = true
	}
	return c
}

// OfCheck reads a check run.
func OfCheck(conclusion, title string) (c Claim) {
	c = OfTitle(title)
	switch conclusion {
	case "success":
		c.Good = true
	case "failure":
		c.Bad = c.Bad || !c.Undone
	}
	return c
}

// OfConclusion reads the conclusion of a check run by itself: it is red if the freight is bad, or could not come.
func OfConclusion(conclusion string) Claim {
	return Claim{Good: conclusion == "success", Undone: conclusion == "failure"}
}

// OfLabel reads the word of a label on freight; "": it has none.
func OfLabel(word string) Claim {
	switch word {
	case "ok":
		return Claim{Good: true}
	case "was":
		return Claim{Gone: true}
	case "failed":
		return Claim{Undone: true}
	}
	return Claim{}
}

// pictures are the signs of the comment on a pull request.
var pictures = map[string]Claim{
	"✅": {Good: true}, "❌": {Undone: true}, "⚠️": {Lessened: true}, "↩️": {Gone: true}, "🔒": {Held: true},
}

// tableRow is a row of a Markdown table whose first cell names a stage.
var tableRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (\\S+) (.*?) \\| (.*?) \\|")

// Line is what a comment says of a stage, in words and in a picture.
type Line struct {
	Word, Picture Claim
	Why           string
}

// OfComment reads the comment on a pull request, by stage.
func OfComment(markdown string) map[string]Line {
	all := map[string]Line{}
	for _, found := range tableRow.FindAllStringSubmatch(markdown, -1) {
		all[found[1]] = Line{OfTitle(typed(found[3])), pictures[found[2]], typed(found[4])}
	}
	return all
}

// OfMessage reads the text of a message in a chat, "api#1 to dev: Verified".
func OfMessage(text string) Claim {
	_, title, _ := strings.Cut(typed(text), ": ")
	return OfTitle(title)
}

// typed undoes what makes text harmless in Markdown.
func typed(s string) string { return strings.ReplaceAll(html.UnescapeString(s), "\u200b", "") }

// hosted is freight in the answer to a question about a stage.
var hosted = regexp.MustCompile(`(?:^|, )([^\s,()]+) \(` +
	`(not verified yet|verified in part|\d+/\d+ verified|verified|failed|inconclusive)`)

// OfHosts reads which freight a stage hosts by the answer to a question: "api#1 (verified), web#2 (failed)".
func OfHosts(cell string) map[string]Claim {
	all := map[string]Claim{}
	for _, found := range hosted.FindAllStringSubmatch(cell, -1) {
		c := Claim{Partly: found[2] == "verified in part", Bad: found[2] == "failed"}
		c.Good = !c.Partly && strings.HasSuffix(found[2], "verified")
		all[found[1]] = c
	}
	return all
}

// Is says how freight stands in a stage: what views must not contradict.
type Is struct {
	Here, Ended, Good, Bad, Partly, Undone, Drifted, Taken, Held bool
}

// Contradiction says what a view claims and is not so; "" if nothing is.
func (c Claim) Contradiction(is Is) string {
	for _, one := range []struct {
		claimed, so bool
		words       string
	}{
		{c.Good, is.Good, "good"}, {c.Bad, is.Bad, "bad"}, {c.Partly, is.Partly, "good in part"},
		{c.Undone, is.Undone && !is.Good || is.Bad, "failed"}, {c.Gone, !is.Here, "gone"},
		{c.Drifted, is.Drifted, "drifted"}, {c.Taken, is.Taken, "taken back"},
		{c.Lessened, is.Drifted || is.Taken, "less than it was"}, {c.Held, is.Held, "held"},
	} {
		if one.claimed && !one.so {
			return "it is not " + one.words
		}
	}
	return ""
}

// Silence says what is so and a view that says how freight stands does not tell; "" if it tells all.
func (c Claim) Silence(is Is) string {
	switch {
	case !is.Here || !is.Ended:
		return ""
	case is.Bad && !c.Bad && !c.Undone:
		return "it is bad"
	case is.Good && !is.Drifted && !is.Taken && !c.Good:
		return "it is good"
	}
	return ""
}
