package inslack

import (
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"waybill/app/env"
	"waybill/app/surface"
	"waybill/promotion"
)

// How many answers somebody gets in Slack within an hour (T12). Further commands are carried out all the same.
const (
	answersToLinked   = 60 // to somebody whose account on GitHub is known
	answersToUnlinked = 20 // to anybody else of the workspace
	answersToStranger = 1  // to somebody from elsewhere

	budgetSpan = time.Hour
	// budgetsKept is how many people are remembered.
	budgetsKept = 10_000
)

// budget counts the answers that people get in Slack. It is forgotten at the end of the process.
type budget struct {
	mu    sync.Mutex
	spent *lru.Cache[string, spending]
}

// spending is the answers that somebody got since a time.
type spending struct {
	since   time.Time
	answers int
}

func newBudget() *budget {
	spent, err := lru.New[string, spending](budgetsKept)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &budget{spent: spent}
}

// take counts an answer to somebody, unless they have had the most that there are in an hour.
func (b *budget) take(who string, most int, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	it, known := b.spent.Get(who)
	if !known || now.Sub(it.since) >= budgetSpan {
		it = spending{since: now}
	}
	if it.answers >= most {
		return false
	}
	it.answers++
	b.spent.Add(who, it)
	return true
}

// mayTell reports whether a person in Slack gets one more answer.
func (in *Surface) mayTell(user string, most int) bool {
	if in.budget.take("user "+user, most, in.Clock()) {
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
	if a.Attempts > 1 || in.budget.take(who, most, in.Clock()) {
		return true
	}
	in.Withheld(env.WithheldSlack, r)
	return false
}
