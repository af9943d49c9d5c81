package sandbox

import (
	"cmp"
	"slices"

	"waybill/internal/story"
	"waybill/promotion"
)

// shows maps a state to the effect that brings a promotion into it.
var shows = map[string]string{
	string(promotion.WaitingForMerge): string(promotion.Open),
	string(promotion.Verifying):       string(promotion.Merge),
}

// inOrder moves an effect before the state that it brings about: the webhook may arrive before the answer. Effects and
// states are paired one to one, because a rollout enters the same states many times.
func inOrder(lines []story.Line) []story.Line {
	ahead := map[string]int{} // effects in the lines so far, minus those whose state has followed
	effect := func(line story.Line) string { return line.Act.Word + line.Promotion.String() }
	for i := 0; i < len(lines); i++ {
		ahead[effect(lines[i])]++
		wants := shows[lines[i].Act.Word]
		if wants == "" || lines[i].Reason.Code == promotion.NoChange {
			continue
		}
		brought := wants + lines[i].Promotion.String()
		if ahead[brought]--; ahead[brought] >= 0 {
			continue
		}
		ahead[brought]++
		for j := i + 1; j < len(lines); j++ {
			if effect(lines[j]) == brought {
				late := lines[j]
				copy(lines[i+1:j+1], lines[i:j])
				lines[i] = late
				i++ // the state, which now follows the effect
				break
			}
		}
	}
	return lines
}

// tellsInOrder orders the messages to pull requests by the numbers of the promotions. Stages are decided independently
// of each other: if two promotions end at the same time, either message may come first.
func tellsInOrder(lines []story.Line) []story.Line {
	var at []int
	var tells []story.Line
	for i, line := range lines {
		if line.Act.Word == string(promotion.Tell) {
			at, tells = append(at, i), append(tells, line)
		}
	}
	slices.SortStableFunc(tells, func(a, b story.Line) int { return cmp.Compare(a.Promotion, b.Promotion) })
	for i, line := range tells {
		lines[at[i]] = line
	}
	return lines
}
