package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/internal/story"
)

func TestAnOperatorSeesWhatIsDoneAndWhatWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "check smoke success on dev", "merge #2 by ann", "check smoke failure on dev",
		"comment #1 by ann: /hold prod", "wait 1m")
	for metric, want := range map[string]string{
		`waybill_promotions_total{class="automatic",outcome="succeeded",repo="acme/deploy",stage="dev"}`:           "1",
		`waybill_promotions_total{class="automatic",outcome="verification-failed",repo="acme/deploy",stage="dev"}`: "1",
		`waybill_effects_total{outcome="done",verb="reply"}`:                                                       "1",
		`waybill_queue_due{queue="deliveries"}`:                                                                    "0",
		`waybill_queue_oldest_seconds{queue="effects"}`:                                                            "0",
		`waybill_undecided_stages{state="postponed"}`:                                                              "0",
		`waybill_holds{by="person"}`:                                                                               "1",
		`waybill_database_readable`:                                                                                "1",
	} {
		require.Equal(t, want, s.metric(metric), metric)
	}
	for _, metric := range []string{
		`waybill_github_requests_total{route="graphql",status="200"}`, `waybill_database_bytes`,
		`waybill_github_request_duration_seconds_count{route="graphql"}`, `waybill_decisions_total{outcome="changed"}`,
		`waybill_views_total{kind="check",outcome="done"}`,
	} {
		require.NotContains(t, []string{"", "0"}, s.metric(metric), metric)
	}
}

// logged is the text of a log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// TestEachLineOfTheLogAboutARepositoryNamesIt: two pipelines may both have a stage dev.
func TestEachLineOfTheLogAboutARepositoryNamesIt(t *testing.T) {
	t.Parallel()
	parsed, err := story.Parse(t.Name(), []byte("-- .github/waybill.yml --\n"+oneStage+"-- story --\n"))
	require.NoError(t, err)
	log := new(logged)
	ctx := zerolog.New(log).WithContext(t.Context())
	w, err := NewWorld(context.WithoutCancel(ctx), parsed, t.TempDir(), func(violation error) { t.Error(violation) })
	require.NoError(t, err)
	s := &site{World: w, t: t, ctx: ctx}
	s.do("github fails open 422", "merge #1 by ann", "wait 1m", "merge #2 by ann", "check smoke failure on dev", "resync")
	require.NoError(t, w.Close())
	about := map[string]int{}
	for line := range strings.Lines(log.text.String()) {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &fields), line)
		require.NotEqual(t, "Received webhook event", fields["message"])
		for _, key := range []string{"stage", "effect", "view", "event"} {
			if text, _ := fields[key].(string); text != "" && !strings.HasPrefix(text, "installation") {
				about[key]++
				require.Contains(t, []any{"acme/deploy", "acme/api"}, fields["repo"], line)
			}
		}
	}
	require.Positive(t, about["stage"], "decided")
	require.Positive(t, about["event"], "handled")
}
