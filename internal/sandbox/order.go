package sandbox

import (
	"cmp"
	"slices"

	"waybill/internal/story"
	"waybill/promotion"
)

// shows is the effect that brings a promotion into a state.
var shows = map[string]string{
	string(promotion.WaitingForMerge): string(promotion.Open),
	string(promotion.Verifying):       string(promotion.Merge),
}

// inOrder tells an effect before the state that it brings about: the webhook may be faster than the answer. Each state
// has an effect of its own, because a rollout comes to the same states again and again.
func inOrder(lines []story.Line) []story.Line {
	ahead := map[string]int{} // effects that have been told, and not yet the states that they brought about
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
				i++ // the state that it is told before
				break
			}
		}
	}
	return lines
}

// tellsInOrder orders what pull requests are told by the numbers of the promotions. Stages are decided independently
// of each other, so that of two that end at the same time either may be told first.
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
