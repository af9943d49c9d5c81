package command

import (
	"fmt"

	"waybill/promotion"
)

// maxCommands bounds how many commands are taken from one comment.
const maxCommands = 5

// Together returns the commands to carry out of those that were given at one time. They are one request: if one of them
// cannot be understood, or there are too many, none of them is begun, and one answer says so. A command that stops
// something is always carried out.
func Together(all []promotion.Command) []promotion.Command {
	wrong := -1
	for i := range all {
		if all[i].Trouble != "" {
			wrong = i
			break
		}
	}
	switch {
	case wrong < 0 && len(all) <= maxCommands:
		return all
	case wrong < 0:
		wrong = maxCommands
		all[wrong] = promotion.Command{Verb: all[wrong].Verb,
			Trouble: fmt.Sprintf("it is command %d of %d; a comment may have %d", wrong+1, len(all), maxCommands)}
	}
	var done []promotion.Command
	for i := range all {
		if OnlyStops(all[i].Verb) && all[i].Trouble == "" && len(done) < maxCommands {
			done = append(done, all[i])
		}
	}
	if len(all) > 1 {
		all[wrong].Trouble += "; nothing else that was asked for with it has been begun"
	}
	return append(done, all[wrong])
}
