package app

import (
	"fmt"
	"testing"
	"time"

	"waybill/app/learn"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// guardedHome stores a pipeline whose stage dev guards dev.yaml.
func guardedHome(t *testing.T) (*elderly, *promotion.Pipeline) {
	e := newElderly(t, "")
	row := store.PipelineRow{ID: 1, Repo: "acme/deploy", Branch: "main", Config: []byte(`version: 1
warehouses: {api: {pull-requests: {branch: main, paths: [src/**]}}}
stages: {dev: {from: api, guard: true, set: {dev.yaml: {tag: "${api.short}"}}}}
`)}
	p, err := e.app.Pipelines.Compiled(row)
	require.NoError(t, err)
	e.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row, p) })
	return e, p
}

// waiting stores a candidate whose check run is in progress.
func (e *elderly) waiting(p *promotion.Pipeline, c promotion.Candidate) {
	e.t.Helper()
	c.Into = p.At()
	e.update(func(tx *store.Tx) error {
		if err := e.app.learn.Candidates.Record(tx, 1, p, store.Candidate{Candidate: c, Seen: e.now}); err != nil {
			return err
		}
		return views.WantGuardCheck(tx, 1, "dev", c, say.GuardCheck{Waits: true, Title: "Not now"})
	})
}

// status returns the wanted status of the check run of dev on a commit.
func (e *elderly) status(head promotion.SHA) string {
	e.t.Helper()
	var run views.CheckView
	e.update(func(tx *store.Tx) error {
		_, err := surface.Wanted(tx, views.HeadAddress(1, "dev", head), &run)
		return err
	})
	return run.Status + " " + run.Conclusion
}

// refs returns the refs of the candidates, the most recently seen first.
func (e *elderly) refs() (refs []string) {
	e.t.Helper()
	e.update(func(tx *store.Tx) error {
		all, err := tx.Candidates.Of(1)
		for _, c := range all {
			refs = append(refs, c.Ref)
		}
		return err
	})
	return refs
}

// TestWhatIsTooMuchToBeFollowedStaysPending checks that only the hundred candidates with the latest events are guarded,
// and that the check of another one does not pass for that.
func TestWhatIsTooMuchToBeFollowedStaysPending(t *testing.T) {
	e, p := guardedHome(t)
	for n := range learn.MostCandidates + 1 {
		e.now = e.now.Add(time.Minute)
		e.waiting(p, promotion.Candidate{
			Ref: promotion.PullRef(n), Pull: n, Head: promotion.SHA(fmt.Sprintf("h%d", n)), Files: []string{"dev.yaml"},
		})
	}
	require.Len(t, e.refs(), learn.MostCandidates)
	require.NotContains(t, e.refs(), "#0")
	require.Equal(t, "in_progress ", e.status("h0"))
	for n := range learn.MostCandidates + 1 {
		e.now = e.now.Add(time.Minute)
		e.waiting(p, promotion.Candidate{Ref: promotion.PullRef(1000 + n), Head: promotion.SHA(fmt.Sprintf("x%d", n))})
	}
	require.Contains(t, e.refs(), "#1", "those that leave the files alone take no place of the others")
	require.NotContains(t, e.refs(), "#1000")
	require.Len(t, e.refs(), 2*learn.MostCandidates)
	require.Equal(t, "in_progress ", e.status("h1"))
}

// TestAGroupThatIsGoneDoesNotTakeTheNextOneWithItT21 delivers the end of a merge group after the next group of the same
// name was created.
func TestAGroupThatIsGoneDoesNotTakeTheNextOneWithItT21(t *testing.T) {
	e, p := guardedHome(t)
	old, next := promotion.Candidate{Ref: "queue/1", Head: "g1"}, promotion.Candidate{Ref: "queue/1", Head: "g2"}
	e.waiting(p, old)
	e.now = e.now.Add(time.Minute)
	e.waiting(p, next)
	require.Equal(t, "completed cancelled", e.status("g1"))
	gone := func(c promotion.Candidate) {
		e.update(func(tx *store.Tx) error {
			return learn.DismissGroup(tx, 1, p, store.Candidate{Candidate: c, Seen: e.now.Add(time.Minute)})
		})
	}
	gone(old)
	require.Equal(t, "in_progress ", e.status("g2"))
	gone(next)
	require.Equal(t, "completed cancelled", e.status("g2"))
	require.Empty(t, e.refs())
}

// TestWhatWasAskedUnderOtherGuardsIsDoubted has a candidate whose files were read under an older pipeline.
func TestWhatWasAskedUnderOtherGuardsIsDoubted(t *testing.T) {
	e, p := guardedHome(t)
	other := *p
	other.Stages = nil
	e.waiting(&other, promotion.Candidate{Ref: "#1", Pull: 1, Head: "h1"})
	e.update(func(tx *store.Tx) error {
		all, err := tx.Candidates.Of(1)
		require.True(t, all[0].Doubted)
		return err
	})
}

// TestWhatIsNotFollowedSaysSoFromTheBeginning has a resync find a pull request that a hundred others have come after.
// It has its check all the same: that of a pull request which changes no guarded file passes, if that is known.
func TestWhatIsNotFollowedSaysSoFromTheBeginning(t *testing.T) {
	for name, c := range map[string]struct {
		files  []string
		unread bool
		status string
	}{
		"it changes a guarded file":          {files: []string{"dev.yaml"}, status: "in_progress "},
		"it changes none":                    {status: "completed success"},
		"nobody knows what it changes":       {unread: true, status: "in_progress "},
		"it changes a file of another stage": {files: []string{"prod.yaml"}, status: "completed success"},
	} {
		t.Run(name, func(t *testing.T) {
			e, p := guardedHome(t)
			oldest := e.now
			record := func(n int, seen time.Time, head promotion.SHA) {
				e.update(func(tx *store.Tx) error {
					return e.app.learn.Candidates.Record(tx, 1, p, store.Candidate{Seen: seen, Unread: c.unread,
						Candidate: promotion.Candidate{Ref: promotion.PullRef(n), Into: p.At(), Pull: n, Head: head, Files: c.files}})
				})
			}
			for n := range learn.MostCandidates {
				e.now = e.now.Add(time.Minute)
				record(n, e.now, promotion.SHA(fmt.Sprintf("h%d", n)))
			}
			record(1000, oldest, "late")
			require.NotContains(t, e.refs(), "#1000")
			require.Equal(t, c.status, e.status("late"))
		})
	}
}
