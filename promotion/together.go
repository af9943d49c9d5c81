package promotion

import "slices"

// ReplyTogether returns the reply to a command that was given to several stages, of which all have answered, to one of
// them with these outcomes. It is refused if one stage has refused it, so that nobody takes a part for the whole.
func ReplyTogether(r Request, outcomes []Code) Effect {
	outcome := Already
	for _, worse := range []Code{Done, Refused} {
		if slices.Contains(outcomes, worse) {
			outcome = worse
		}
	}
	return Effect{
		Verb: Reply, Stage: r.Command.Stage, Request: r.Together, Surface: r.Surface, Outcome: string(outcome),
	}
}
