package learn

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	told = store.Candidate{Candidate: promotion.Candidate{
		Ref: "#7", Into: promotion.Branch{Repo: "acme/deploy", Name: "main"}, Pull: 7, Head: "h1"}, Seen: noon}
	same = gh.Standing{Open: true, Head: "h1", Base: "main", Updated: noon}
)

func TestAListOfFilesCountsIfThePullRequestIsAsItWasTold(t *testing.T) {
	older, closed, pushed, turned := same, same, same, same
	older.Updated = noon.Add(-time.Second)
	closed.Open, pushed.Head, turned.Base = false, "h2", "next"
	for _, row := range []struct {
		name  string
		now   gh.Standing
		heads []promotion.SHA
		want  standing
	}{
		{"as it was told", same, []promotion.SHA{"h1"}, asTold},
		{"the list does not tell its head", same, nil, asTold},
		{"the list is of another head", same, []promotion.SHA{"h2"}, unsure},
		{"a page of the list is of another head", same, []promotion.SHA{"h1", "h2"}, unsure},
		{"it is shown as it was before", older, []promotion.SHA{"h1"}, unsure},
		{"it was closed", closed, []promotion.SHA{"h1"}, gone},
		{"it was pushed to", pushed, []promotion.SHA{"h1"}, gone},
		{"it was turned", turned, []promotion.SHA{"h1"}, gone},
	} {
		require.Equal(t, row.want, standsTo(told, row.now, row.heads), row.name)
	}
}

// TestWhatIsShownAsItWasBeforeIsAskedForAgain within the second of the change: GitHub's times do not tell more.
func TestWhatIsShownAsItWasBeforeIsAskedForAgain(t *testing.T) {
	pushed := &handlers.CandidatePull{Updated: noon, Change: handlers.PullPushed, Before: "h0"}
	turned := &handlers.CandidatePull{Updated: noon, Change: handlers.PullTurned, Was: "next"}
	reopened := &handlers.CandidatePull{Updated: noon, Change: handlers.PullReopened}
	before, further, there, closed, later := same, same, same, same, same
	before.Head, further.Head, there.Base, closed.Open = "h0", "h2", "next", false
	later.Head, later.Updated = "h0", noon.Add(time.Second)
	for _, row := range []struct {
		name string
		told *handlers.CandidatePull
		now  gh.Standing
		want bool
	}{
		{"pushed to, with the head before", pushed, before, true},
		{"pushed to, with another head", pushed, further, false},
		{"pushed back later", pushed, later, false},
		{"turned, with the base before", turned, there, true},
		{"turned, with another head", turned, before, false},
		{"reopened, and closed", reopened, closed, true},
		{"labelled", &handlers.CandidatePull{Updated: noon}, before, false},
		{"listed", nil, before, false},
	} {
		require.Equal(t, row.want, isFormer(row.now, row.told), row.name)
	}
}
