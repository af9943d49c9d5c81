package config

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// didYouMean returns the end of a message about an unknown word: the known word that it resembles, or else all of them.
func (r *reader) didYouMean(word string, known []string) string {
	if r.report.full() {
		return ""
	}
	if best := Nearest(word, known); best != "" {
		return "; did you mean " + quote(best) + "?"
	}
	const most = 40
	switch {
	case len(known) == 0:
		return ""
	case len(known) > most:
		return "; known are " + strings.Join(known[:most], ", ") + " and more"
	}
	return "; known are " + strings.Join(known, ", ")
}

// Nearest returns the known word that can be made from word with the fewest changes of letters, if these are few enough
// to be a slip: one for each three letters, and two in any case unless they replace the whole word.
func Nearest(word string, known []string) string {
	const longest = 64
	if word == "" || len(word) > longest {
		return ""
	}
	best, fewest := "", max(len(word)/3, min(2, len(word)-1))+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(k)); d < fewest {
			best, fewest = k, d
		}
	}
	return best
}
