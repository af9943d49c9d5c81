package api

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/say"
)

// Why says why something is as it is.
type Why struct {
	Sentence string     `json:"sentence" doc:"for people; never empty"`
	Code     string     `json:"code,omitempty" doc:"the same for programs: one word, as stories spell it"`
	Args     []string   `json:"args,omitempty" doc:"the arguments of the code: stages, matchers, numbers of promotions"`
	URL      string     `json:"url,omitempty" doc:"an address with the details"`
	NextLook *time.Time `json:"nextLook,omitempty" doc:"when Waybill looks again; absent: only an event changes it"`
	GivenUp  *time.Time `json:"givenUp,omitempty" doc:"when what GitHub refuses at the moment is given up"`
	Next     string     `json:"next,omitempty" doc:"the command that a person could type next"`
}

// whyOf is where a freight stands in a stage, as an answer.
func whyOf(at promotion.FreightStatus, stage promotion.StageName) Why {
	w := because(at.Why())
	w.Sentence, w.NextLook, w.Next = say.Title(at), when(at.Until), say.Next(at)
	if at.Rejection != nil {
		w.GivenUp = when(at.Rejection.Until)
	}
	return w
}

// Ends reports whether the wait ends at the next look, as that of a soak, a freeze or a hold does; at any other Waybill
// only looks whether it has ended.
func (w Why) Ends() bool { return promotion.Code(w.Code).Lasts() }

// because is a reason as an answer.
func because(r promotion.Reason) Why {
	return Why{Sentence: say.Sentence(r), Code: string(r.Code), Args: r.Args, URL: r.URL}
}

// when is a time as an answer: left out if there is none.
func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// list makes an answer of each item; never null.
func list[T, A any](items []T, answer func(T) A) []A {
	all := make([]A, 0, len(items))
	for _, item := range items {
		all = append(all, answer(item))
	}
	return all
}

// person is a person's login; Waybill itself has none.
func person(a promotion.Actor) string { return string(a.Login) }

// verdict is the verdict of the signals, in a word.
func verdict(v promotion.Verdict) string {
	if v == promotion.Pending {
		return "pending"
	}
	return string(v)
}
