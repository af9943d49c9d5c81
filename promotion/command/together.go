package command

import (
	"fmt"
	"waybill/promotion"
)

// maxCommands bounds how many commands are taken from one comment.
const maxCommands = 5

// Together returns what is done of the commands that were given at one time. They are one wish: if one of them cannot
// be understood, or there are too many, nothing of it is begun, and one answer says so. What stops something is always
// done.
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
