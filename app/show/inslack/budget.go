package inslack

import (
	"fmt"

	"waybill/app/env"
	"waybill/app/quota"
	"waybill/app/surface"
	"waybill/promotion"
)

// How many answers somebody gets in Slack within an hour (T12). Further commands are carried out all the same.
const (
	answersToLinked   = 60 // to somebody whose account on GitHub is known
	answersToUnlinked = 20 // to anybody else of the workspace
	answersToStranger = 1  // to somebody from elsewhere
)

// mayTell reports whether a person in Slack gets one more answer.
func (in *Surface) mayTell(user string, most int) bool {
	if in.budget.Take(in.Clock(), quota.Share{Of: "user " + user, Most: most}) == 0 {
		return true
	}
	in.Withheld(env.WithheldSlack, promotion.Request{})
	return false
}

// mayAnswer reports whether a command gets its answer. What is said to everybody in a thread counts for who asked, or,
// where that is not known, for the channel. An answer that is tried again was counted at its first try.
func (in *Surface) mayAnswer(a *surface.Answer, r promotion.Request, to place) bool {
	who, most := "user "+to.User, answersToUnlinked
	switch {
	case !r.By.Bot():
		who, most = fmt.Sprintf("account %d", r.By.ID), answersToLinked
	case to.User == "":
		who = "channel " + to.Channel
	}
	if a.Attempts > 1 || in.budget.Take(in.Clock(), quota.Share{Of: who, Most: most}) == 0 {
		return true
	}
	in.Withheld(env.WithheldSlack, r)
	return false
}
