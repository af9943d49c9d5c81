package sandbox

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/store"
)

// dispatch sends a report from a repository and waits for its consequences.
func (s *site) dispatch(repo string, payload map[string]any) {
	s.t.Helper()
	require.NoError(s.t, s.github.Dispatch(repo, "ann", handlers.ReportDispatch, payload))
	s.quiet()
}

// reports lists the lines of the audit trail about reports.
func (s *site) reports() (all []store.Event) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) error {
		events, err := tx.Audit.Events(pipeline, 0, 1000)
		for _, e := range events {
			if e.Kind == store.EventCommand && e.Word == "report" {
				all = append(all, e)
			}
		}
		return err
	})
	return all
}

// build returns the payload that the tests dispatch.
func (s *site) build() map[string]any {
	return map[string]any{
		"warehouse": "api", "version": "1.4.2", "commit": s.github.Head(apiRepo, "main"), "image": "ghcr.io/acme/api",
		"digest": digestOf("a"),
	}
}

// with returns a copy of a payload with one value changed.
func with(payload map[string]any, key string, value any) map[string]any {
	changed := maps.Clone(payload)
	changed[key] = value
	return changed
}

// TestADispatchedReportIsFreightOnceHoweverOftenItComesF3 redelivers a report and dispatches it once more.
func TestADispatchedReportIsFreightOnceHoweverOftenItComesF3(t *testing.T) {
	t.Parallel()
	s := newSite(t, reported)
	build := s.build()
	s.dispatch(apiRepo, build)
	require.Equal(t, []string{"p1 api@1.4.2 dev verifying"}, s.states("dev"))
	text, _ := s.github.File(home, "main", "dev.yaml")
	require.Contains(t, text, "ghcr.io/acme/api@"+digestOf("a"))
	s.do("redeliver 10", "restart")
	s.dispatch(apiRepo, with(build, "pipeline", home))
	s.do("check smoke success on dev", "resync")
	require.Equal(t, []string{"p1 api@1.4.2 dev succeeded"}, s.states("dev"))
	lines := s.reports()
	require.Len(t, lines, 1)
	require.Equal(t, []string{"done", "ann", "dispatch:acme/api", "api@1.4.2 by repository_dispatch of acme/api"},
		[]string{lines[0].Outcome, string(lines[0].By.Login), lines[0].Source, lines[0].Text})

	s.dispatch(apiRepo, with(build, "digest", digestOf("b")))
	require.Equal(t, "api@1.4.2 is freight already, with another commit, image or digest: report a new version",
		s.reports()[1].Reason.Detail)
	require.Equal(t, []string{"p1 api@1.4.2 dev succeeded"}, s.states("dev"))
}

// TestDispatchedReportsThatAreNoGoodAreRefusedInTheAuditTrail checks each refusal: a dispatch gets no other answer.
func TestDispatchedReportsThatAreNoGoodAreRefusedInTheAuditTrail(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(reported, "  web:", "  own: {reports: {}}\n  web:", 1))
	s.hearsOnce()
	build := s.build()
	for _, row := range []struct {
		name    string
		payload map[string]any
		detail  string
	}{
		{"nothing", nil, "version must be letters, digits"},
		{"an unknown field", with(build, "tag", "x"), `unknown field "tag"`},
		{"a version that says more", with(build, "version", "1 -->"), "version must be letters, digits"},
		{"a number", with(build, "version", 1), "the body must be a report"},
		{"a tag in the image", with(build, "image", "ghcr.io/acme/api:latest"), "image must be"},
		{"a commit that is not there", with(build, "commit", strings.Repeat("ab", 20)), "acme/api has no commit"},
		{"no such warehouse", with(build, "warehouse", "web"), "those that do are api, own"},
		{"a warehouse of another repository", with(build, "warehouse", "own"),
			"takes reports of acme/deploy, and this one comes from acme/api"},
		{"another pipeline", with(build, "pipeline", "acme/elsewhere"), "those that do are acme/deploy"},
		{"what a stage writes is missing", with(build, "digest", ""), "stages write digest of freight of api"},
	} {
		before := len(s.reports())
		s.dispatch(apiRepo, row.payload)
		s.do("wait 2m") // the commit of a report may be shown late
		lines := s.reports()
		require.Len(t, lines, before+1, row.name)
		last := lines[before]
		require.Equal(t, []string{"refused", "ann"}, []string{last.Outcome, string(last.By.Login)}, row.name)
		require.Contains(t, last.Reason.Detail, row.detail, row.name)
	}
	require.Empty(t, s.states("dev"))
}

// TestWhatIsDispatchedToOthersIsNoReport sends another event, and an event from a repository that no warehouse names.
func TestWhatIsDispatchedToOthersIsNoReport(t *testing.T) {
	t.Parallel()
	s := newSite(t, reported)
	require.NoError(t, s.github.Dispatch(apiRepo, "ann", "deploy", s.build()))
	require.NoError(t, s.github.CreateRepo("acme/other", nil))
	s.dispatch("acme/other", s.build())
	require.Empty(t, s.reports())
	require.Empty(t, s.states("dev"))
}
