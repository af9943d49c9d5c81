package say

import (
	"fmt"
	"strings"

	"waybill/promotion"
)

// demandWords begins a sentence about a demand by its weight.
var demandWords = map[promotion.Weight]string{
	promotion.Stops: "No promotion gets into %s", promotion.AsksPeople: "A person must act before each merge into %s",
	promotion.Takes: "Into %s",
}

// Demand says what a rule of a branch means for promotions, and what to do about it.
func Demand(d promotion.Demand) string {
	text := fmt.Sprintf(demandWords[d.Weight], d.On) + ": " + d.Says
	if d.From != "" {
		text += " (" + d.From + ")"
	}
	if d.Do != "" {
		text += ". To do: " + d.Do
	}
	return text
}

// Demands says each of some demands that are heavy enough.
func Demands(all []promotion.Demand, weights ...promotion.Weight) (sentences []string) {
	for _, d := range all {
		for _, w := range weights {
			if d.Weight == w {
				sentences = append(sentences, Demand(d))
			}
		}
	}
	return sentences
}

// RefusedBy adds to GitHub's words, when it does not let a pull request be merged, what to do about the first rule that
// stops all of them. It is short: there is little room where it is shown.
func RefusedBy(words string, all []promotion.Demand) string {
	for _, d := range all {
		if d.Weight == promotion.Stops && d.Do != "" {
			return strings.TrimRight(words, ". ") + ". To do: " + d.Do
		}
	}
	return words
}
