package decide

import (
	"testing"
	"time"
	"waybill/promotion"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

// until is a window that is open until a time, or opens at another.
type until struct{ end, next time.Time }

func (u until) Until(time.Time) time.Time { return u.end }
func (u until) Next(time.Time) time.Time  { return u.next }

// guarded is a snapshot of dev, which guards its files, with promotion 1 in a state.
func guarded(state promotion.State) *promotion.Snapshot {
	s := inState(state)
	s.Stage.Guard = true
	return s
}

var (
	touching = promotion.Candidate{Ref: "#9", Pull: 9, Head: "h9", Files: []string{"dev.yaml", "prod.yaml"}}
	byAnn    = promotion.Actor{ID: 5, Login: "ann"}
)

func TestPeoplesChangesWaitForWhatIsUnderWay(t *testing.T) {
	later := noon.Add(time.Hour)
	for _, c := range []struct {
		name  string
		state promotion.State
		with  func(s *promotion.Snapshot)
		title string // "": it passes
	}{
		{"nothing", promotion.Succeeded, nil, ""},
		{"a promotion that waits is not merged yet", promotion.WaitingForMerge, nil, ""},
		{"a verification", promotion.Verifying, nil, "Not now: promotion 1 of api#1 is being verified in dev"},
		{"a hold, with who, why and until when", promotion.Succeeded, func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{Stage: "dev", By: byAnn, At: noon, Until: later, Text: "migration"}}
		}, "Not now: dev is held by ann since 2026-01-01 12:00 UTC: migration (until 2026-01-01 13:00 UTC)"},
		{"a hold of the whole pipeline goes before a verification", promotion.Verifying, func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{By: byAnn, At: noon}}
		}, "Not now: dev is held by ann since 2026-01-01 12:00 UTC"},
		{"a hold of Waybill's own", promotion.VerificationFailed, func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{Stage: "dev", At: noon, Reason: promotion.Because(promotion.Inconclusive, "smoke")}}
		}, "Not now: dev is held by Waybill since 2026-01-01 12:00 UTC, because the signals are neither good nor bad: smoke"},
		{"a hold that is over", promotion.Succeeded, func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{Stage: "dev", By: byAnn, At: noon, Until: noon}}
		}, ""},
		{"a hold of another stage", promotion.Succeeded, func(s *promotion.Snapshot) { s.Holds = []promotion.Hold{{Stage: "prod", By: byAnn, At: noon}} }, ""},
		{"a freeze", promotion.Succeeded, func(s *promotion.Snapshot) {
			s.Stage.Freezes = []promotion.Freeze{{Reason: "weekend", Rollbacks: true, Window: until{end: later}}}
		}, "Not now: dev is frozen until 2026-01-01 13:00 UTC: weekend"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := guarded(c.state)
			if c.with != nil {
				c.with(s)
			}
			got := say.Guard(s, touching, noon)
			require.Equal(t, c.title != "", got.Waits)
			if c.title == "" {
				c.title = "Nothing is under way in dev"
			}
			require.Equal(t, c.title, got.Title)
			require.Contains(t, got.Summary, "This changes `dev.yaml`, which promotions to `dev` write.")

			other := say.Guard(s, promotion.Candidate{Files: []string{"prod.yaml"}}, noon)
			require.False(t, other.Waits, "it leaves the files alone")
			require.Equal(t, "Changes no file of dev", other.Title)
		})
	}
}

func TestARulingTellsWhereToLook(t *testing.T) {
	s := guarded(promotion.Verifying)
	s.Attempts[0].URL = "https://github.test/acme/deploy/pull/7"
	s.Holds = []promotion.Hold{{Stage: "dev", By: byAnn, At: noon, Text: "@everybody <b>"}}
	require.Equal(t, "This changes `dev.yaml`, which promotions to `dev` write.\n\nIt had better not be merged now:\n\n"+
		"- The stage is "+say.Plain("held by ann since 2026-01-01 12:00 UTC: @everybody <b>")+"\n"+
		"- Promotion [1](https://github.test/acme/deploy/pull/7) of `api#1` is being verified since 2026-01-01 11:50 UTC, by check `smoke`\n"+
		"\nThis check passes by itself as soon as none of that is so any more.\n\nNext:\n```\n/why dev\n```\n",
		say.Guard(s, touching, noon).Summary)
}

func TestAGuardedStageIsLookedAtAgainWhenAFreezeBeginsAndEnds(t *testing.T) {
	next, end := noon.Add(3*time.Hour), noon.Add(time.Hour)
	s := guarded(promotion.Succeeded)
	s.Stage.Freezes = []promotion.Freeze{{Window: until{next: next}}}
	require.Equal(t, next, Decide(s, noon).Wake)
	s.Stage.Freezes = append(s.Stage.Freezes, promotion.Freeze{Window: until{end: end, next: next}})
	require.Equal(t, end, Decide(s, noon).Wake)
	s.Stage.Guard = false
	require.Zero(t, Decide(s, noon).Wake, "nobody waits for that")
}

func TestTheBranchOfAGroupTellsWhoseItIs(t *testing.T) {
	const sha = "0123456789012345678901234567890123456789"
	for branch, want := range map[string]promotion.Group{
		"gh-readonly-queue/main/pr-12-" + sha:                   {Branch: "main", Pull: 12, Base: sha},
		"gh-readonly-queue/release/pr-1-x/pr-12-" + sha:         {Branch: "release/pr-1-x", Pull: 12, Base: sha},
		"gh-readonly-queue/main/pr-12-abc":                      {},
		"gh-readonly-queue/main/12-" + sha:                      {},
		"mine/gh-readonly-queue/main/pr-12-" + sha:              {},
		"gh-readonly-queue/main/pr-99999999999999999999-" + sha: {},
	} {
		got, is := promotion.ParseGroup(branch)
		require.Equal(t, want != promotion.Group{}, is, branch)
		if is {
			require.Equal(t, want, got, branch)
		}
	}
}

func TestWhichFilesAreGuarded(t *testing.T) {
	p := devPipeline()
	require.False(t, p.Guards())
	require.Empty(t, p.GuardedFiles(p.At(), promotion.Touched{Paths: []string{"dev.yaml"}}))
	p.Stages[0].Guard = true
	require.True(t, p.Guards())
	require.Equal(t, []string{"dev.yaml"}, p.GuardedFiles(p.At(), promotion.Touched{Paths: []string{"prod.yaml", "dev.yaml"}}))
	require.Equal(t, []string{"dev.yaml"}, p.GuardedFiles(p.At(), promotion.Touched{More: true}), "what GitHub does not list may be any file")
	other := devPipeline()
	require.False(t, p.SameGuards(other))
	other.Stages[0].Guard, other.Stages[0].Approvals = true, 2
	require.True(t, p.SameGuards(other))
	other.Branch = "trunk"
	require.False(t, p.SameGuards(other))
}
