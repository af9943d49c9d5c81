package say

import (
	"cmp"
	"fmt"
	"strings"

	"waybill/promotion"
)

// GuardCheck is the check run of a guarded stage on a candidate (semantics 4.8).
type GuardCheck struct {
	Waits   bool             // it had better not be merged now
	Reason  promotion.Reason // why it waits
	Moot    bool             // its stage no longer guards it
	Left    bool             // it is no candidate any more
	Title   string
	Summary string // Markdown
}

// Guard returns the check of a stage of a pipeline on a candidate, of which all are the obstacles there. A candidate
// that changes no file of the stage passes at once, so that the check can be a required one of the branch.
func Guard(
	pipeline *promotion.Pipeline, s *promotion.Stage, c promotion.Candidate, all []promotion.Obstacle,
) GuardCheck {
	stage, there := string(s.Name), pipeline.On(s, c.Into)
	touched := there.ChangedBy(c)
	if len(touched) == 0 {
		return GuardCheck{Title: "Changes no file of " + stage,
			Summary: "Promotions to " + code(stage) + " write " + filesOf(there) + ", which this leaves alone.\n"}
	}
	changes := "This changes " + cells(touched) + ", which promotions to " + code(stage) + " write.\n\n"
	if len(all) == 0 {
		return GuardCheck{Title: "Nothing is under way in " + stage,
			Summary: changes + "Nothing is under way there: nothing is being verified, held or frozen.\n"}
	}
	return GuardCheck{Waits: true, Reason: all[0].Because(),
		Title:   promotion.Clip("Not now: "+obstacleTitle(s, all[0]), 200),
		Summary: changes + notNow(s, all)}
}

// obstacleTitle describes an obstacle in a stage, in plain text, with the reasons as people typed them.
func obstacleTitle(s *promotion.Stage, o promotion.Obstacle) string {
	switch {
	case o.Hold != nil:
		return cmp.Or(string(o.Hold.Stage), "every stage") + " is " + HoldSentence(*o.Hold)
	case o.Freeze != nil:
		return fmt.Sprintf("%s is frozen until %s", s.Name, moment(o.Until)) + after(": ", oneLine(o.Freeze.Reason))
	}
	p := o.Promotion
	return fmt.Sprintf("promotion %s of %s is being verified in %s", p.Number, p.Freight.Name, s.Name)
}

// obstacleText says it in Markdown, and not how far a verification has come: the check run of the freight does.
func obstacleText(s *promotion.Stage, o promotion.Obstacle) string {
	switch {
	case o.Hold != nil:
		return heldPlace(*o.Hold) + " is " + plain(promotion.Clip(HoldSentence(*o.Hold), 1000))
	case o.Freeze != nil:
		return "The stage is frozen until " + moment(o.Until) + after(": ", plain(promotion.Clip(o.Freeze.Reason, 300)))
	}
	p := o.Promotion
	number := p.Number.String()
	if url := address(o.Link.URL); url != "" {
		number = "[" + number + "](" + url + ")"
	}
	return fmt.Sprintf("Promotion %s of %s was merged at %s and waits for %s", number, code(p.Freight.Name),
		moment(p.Merged), cmp.Or(verifiers(s, p), "nothing"))
}

// notNow describes the obstacles, and how to learn more.
func notNow(s *promotion.Stage, all []promotion.Obstacle) string {
	var b strings.Builder
	b.WriteString("Do not merge this now:\n\n")
	for _, o := range all {
		b.WriteString("- " + obstacleText(s, o) + "\n")
	}
	b.WriteString("\nThis check passes when all of that is over.\n")
	return b.String() + fence("/why "+string(s.Name))
}

// PassOwn is the ruling on a promotion of Waybill's own: it is made when the time has come for it, and verified once it
// is merged.
func PassOwn(s *promotion.Stage) GuardCheck {
	return GuardCheck{
		Title: "A promotion of Waybill's own",
		Summary: code(string(s.Name)) +
			" guards its files against people's changes. Promotions wait for holds, freezes and verifications by themselves.\n",
	}
}

// NoGuard is said of a candidate that waited for a stage which guards nothing any more.
func NoGuard() GuardCheck {
	return GuardCheck{Moot: true, Title: "Not guarded any more", Summary: "The stage does not guard its files any more.\n"}
}

// NoCandidate is said on a commit that was the head of a candidate. It does not pass: the commit may become the head of
// one again.
func NoCandidate(why string) GuardCheck {
	return GuardCheck{Left: true, Title: "Not looked at any more", Summary: plain(why) + "\n\n" +
		"The check is decided anew when an open pull request into the branch has this commit as its head.\n"}
}

// NotFollowed is said of a candidate beyond the limit of those that are followed.
func NotFollowed() GuardCheck {
	return GuardCheck{Waits: true, Title: "Not followed: too many pull requests change guarded files",
		Summary: "Waybill follows 100 pull requests that change guarded files, and 100 others have changed since. Push to " +
			"this one; or close others, and the next resync looks at it again.\n"}
}

// FilesUnread is said of a candidate of a fork whose files were not read for somebody without write access.
func FilesUnread(s *promotion.Stage) GuardCheck {
	return GuardCheck{Waits: true, Title: "Not read yet: a person with write access must ask",
		Summary: "Whether this changes files that " + code(string(s.Name)) + " guards is not known. It comes from a fork, " +
			"and Waybill reads only so much within an hour for people without write access.\n\nA person with write access has " +
			"it read with *Re-run* on this check. So does the next push or resync, once an hour has passed.\n"}
}

// FilesUnknown is said of a candidate while it is not known which of the stage's files it changes.
func FilesUnknown(s *promotion.Stage) GuardCheck {
	return GuardCheck{Waits: true, Title: "Not known yet: other files are guarded now",
		Summary: "The files that " + code(string(s.Name)) + " guards have changed, and what this changes is read again.\n"}
}
