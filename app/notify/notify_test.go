package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/app/env"
	"waybill/promotion"
	"waybill/store"
)

// sender is a Notifier with pipelines 1 and 2, whose posts are noted and answered by the test.
type sender struct {
	*Notifier
	now    time.Time
	posts  []string // each event that was tried: the pipeline and the number of its line
	answer func(tried string) error
}

func newSender(t *testing.T) *sender {
	s := &sender{now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), answer: func(string) error { return nil }}
	clock := func() time.Time { return s.now }
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s.Notifier = New(&env.Env{Store: db, Clock: clock}, Receiver{URL: "http://127.0.0.1:1"}, nil)
	s.post = func(_ context.Context, _ Receiver, m message) error {
		tried := m.ID[:3]
		s.posts = append(s.posts, tried)
		return s.answer(tried)
	}
	for id := range int64(2) {
		row := store.PipelineRow{ID: id + 1, Repo: promotion.Repo(fmt.Sprint("acme/p", id+1)), Branch: "main"}
		p := &promotion.Pipeline{Home: row.Repo, Branch: "main", Stages: []*promotion.Stage{{Name: "dev"}}}
		require.NoError(t, db.Update(t.Context(), func(tx *store.Tx) error { return tx.Pipelines.Save(row, p) }))
	}
	require.NoError(t, s.Prepare(t.Context()))
	return s
}

// logs appends lines to the trail of a pipeline.
func (s *sender) logs(t *testing.T, pipeline int64, lines int) {
	t.Helper()
	for range lines {
		require.NoError(t, s.Store.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Audit.Log(store.Event{Pipeline: pipeline, Stage: "dev", Kind: store.EventState, Word: "queued"})
		}))
	}
}

// sends has a run, and returns what was tried in it.
func (s *sender) sends(ctx context.Context) ([]string, error) {
	s.posts = nil
	err := s.sendAll(ctx)
	return s.posts, err
}

func TestWhatIsRefusedForThreeDaysIsLeftOut(t *testing.T) {
	s := newSender(t)
	s.logs(t, 1, 2)
	s.now = s.now.Add(73 * time.Hour)
	s.logs(t, 1, 1)
	s.answer = func(string) error { return refusal{503} }
	var logged bytes.Buffer
	tried, err := s.sends(zerolog.New(&logged).WithContext(t.Context()))
	require.EqualError(t, err, "send events of acme/p1: the receiver answers 503")
	require.Equal(t, []string{"1-1"}, tried)
	require.Contains(t, logged.String(), `"events":2,"repo":"acme/p1"`)
	s.answer = func(string) error { return nil }
	tried, err = s.sends(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"1-3"}, tried, "what is younger has stayed")
}

func TestWhatIsOldIsSentToAReceiverThatTakesIt(t *testing.T) {
	s := newSender(t)
	s.logs(t, 1, 2)
	s.now = s.now.Add(73 * time.Hour)
	tried, err := s.sends(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"1-1", "1-2"}, tried)
}

func TestARunThatIsEndedLeavesNothingOut(t *testing.T) {
	s := newSender(t)
	s.logs(t, 1, 1)
	s.now = s.now.Add(73 * time.Hour)
	ctx, end := context.WithCancel(t.Context())
	s.answer = func(string) error { end(); return context.Canceled }
	_, err := s.sends(ctx)
	require.ErrorIs(t, err, context.Canceled)
	s.answer = func(string) error { return nil }
	tried, err := s.sends(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"1-1"}, tried)
}

func TestARefusedEventKeepsNoOtherPipelineWaiting(t *testing.T) {
	s := newSender(t)
	s.logs(t, 1, 2)
	s.logs(t, 2, 1)
	s.answer = func(tried string) error {
		if tried == "1-1" {
			return refusal{400}
		}
		return nil
	}
	tried, err := s.sends(t.Context())
	require.EqualError(t, err, "send events of acme/p1: the receiver answers 400")
	require.Equal(t, []string{"1-1", "2-1"}, tried)
	tried, err = s.sends(t.Context())
	require.Error(t, err)
	require.Equal(t, []string{"1-1"}, tried)
}

func TestARunBeginsBehindThePipelineWhereTheLastStopped(t *testing.T) {
	s := newSender(t)
	s.logs(t, 1, 1)
	s.logs(t, 2, 1)
	s.answer = func(string) error { return errors.New("nobody answers") }
	for _, want := range []string{"1-1", "2-1", "1-1"} {
		tried, err := s.sends(t.Context())
		require.ErrorContains(t, err, "nobody answers")
		require.Equal(t, []string{want}, tried)
	}
	s.answer = func(string) error { return nil }
	tried, err := s.sends(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"2-1", "1-1"}, tried)
}
