package story_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/spent"
	"waybill/internal/story"
)

const stories = "../../promotion/testdata/stories"

// everyForm has each happening and each outcome of the notation at least once.
const everyForm = `Everything that can be said.
-- .github/waybill.yml --
version: 1
-- story --
Prose stays.
> merge #1 by ann
  dev: p1 api#1 automatic: queued, running, open dev.yaml 'with space.yaml', waiting-for-merge, merge, verifying m1
  dev: p1 verification-failed because failed 'e2e / a'
  #1: tell verification-failed p1

> merge acme/api#2 by ann
  dev/eu-1: p2 api@v1.4.2 rollback: queued, verifying m1/eu-1
  acme/api#2: reply refused because held bot
> merge p1 by bob
  (nothing)
> close p1 by bob
  (nothing)
> reopen p1 by bob
  (nothing)
> check 'e2e / a' in_progress on dev/eu-1 in ci from github-actions
  dev: held
> check it''s failure at c1
  dev: released
> check x success at m2/eu-1 from bot
  dev: drifted
> status argocd/dev error at m1
  prod: api#1 unavailable because unverified a b
> deployment dev inactive on dev
  prod: api#1 available
> press 'Hold' dev by ann
  slack: reply done
> review p1 approve by bob
  prod: api#1 skipped because newer api#2
> comment #1 by ann: /promote prod, please: now
  prod: api#1 revoked
> slack by ann: promote prod
  api: p3 manual
> label #1 promote/prod by ann
  prod: p3 waits because behind p2
> unlabel #1 'a label' by ann
  prod: p3 waits 20m because soaking a
> push dev.yaml 'a b.yaml' by ann
  dev: p1 close
> config v2.yml by ann
  dev: p1 close
> grant bob none
  (nothing)
> image api:1
  (nothing)
> release v1
  (nothing)
> report ci digest sha256:1 and more
  (nothing)
> target prod/eu-1 appears
  (nothing)
> wait 61m
  +0s dev: p1 observe
  +1h30m dev: p1 verification-failed because timed-out smoke
> resync
  (nothing)
> why dev
  (nothing)
> why dev api#1
  (nothing)
> lose webhooks
  (nothing)
> deliver webhooks
  (nothing)
> redeliver
  (nothing)
> redeliver 3
  (nothing)
> restart
  (nothing)
> crash before open
  (nothing)
> crash after merge
  (nothing)
> github fails merge 502
  (nothing)
> github fails merge 405 3 times
  (nothing)
The end.
-- other.yml --
version: 1
`

func TestWhatParsesIsPrintedUnchanged(t *testing.T) {
	s, err := story.Parse("every.txtar", []byte(everyForm))
	require.NoError(t, err)
	require.Equal(t, everyForm, string(s.Format()))
}

func TestHappeningsArePrintedAsTheyParse(t *testing.T) {
	s, err := story.Parse("every.txtar", []byte(everyForm))
	require.NoError(t, err)
	for i := range s.Steps {
		s.Steps[i].Source = "" // so that Format prints Happening
	}
	again, err := story.Parse("again.txtar", s.Format())
	require.NoError(t, err)
	for i, step := range s.Steps {
		require.Equal(t, step.Happening, again.Steps[i].Happening)
		require.Equal(t, step.Outcomes, again.Steps[i].Outcomes)
	}
}

func TestEveryStoryFileIsPrintedUnchanged(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(stories, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := story.Parse(file, data)
		require.NoError(t, err)
		require.Equal(t, string(data), string(s.Format()), file)
	}
}

func TestMistakesCarryTheirPlace(t *testing.T) {
	const head = "About.\n-- .github/waybill.yml --\nversion: 1\n-- story --\n"
	for _, c := range []struct{ script, want string }{
		{"> merge #1\n", `x:5:11: want "by" here`},
		{"> mrege #1 by ann\n", `x:5:3: unknown happening "mrege": want one of merge, `},
		{"> merge 1 by ann\n", `x:5:9: "1" is no pull request`},
		{"> close #1 by ann\n", `x:5:9: "#1" is no promotion`},
		{"> merge #01 by ann\n", `x:5:9: "#01" is no pull request`},
		{"> check a good on dev\n", `x:5:11: unknown result of a check "good"`},
		{"> check a success dev\n", `x:5:19: unknown place "dev": want one of on, at`},
		{"> check a success at dev\n", `x:5:22: "dev" is no commit`},
		{"> check 'a success on dev\n", `x:5:9: the quote is not closed`},
		{"> check a success on ''\n", `names no place`},
		{"> comment #1 by ann /promote\n", `want ":" and a text here`},
		{"> wait -1h\n", `x:5:8: "-1h" is no time to wait`},
		{"> wait soon\n", `x:5:8: "soon" is no time to wait`},
		{"> github fails merge 200\n", `"200" is no failure`},
		{"> github fails merge 502 3\n", `want "times" here`},
		{"> redeliver 0\n", `"0" is no number from 1`},
		{"> resync now\n", `x:5:10: the line should end before "now"`},
		{"> why dev api\n", `x:5:11: "api" is no freight`},
		{"> target prod appears\n", `"prod" is no target`},
		{"  dev: held\n", `x:5:1: this outcome does not follow a happening`},
		{"> resync\n  (nothing)\n  dev: held\n", `x:7:3: (nothing) stands alone`},
		{"> resync\n  dev held\n", `want ":" after where it happens`},
		{"> resync\n  dev: p1 flying\n", `x:6:11: unknown act "flying"`},
		{"> resync\n  dev: p1 api#1 quick: queued\n", `unknown class "quick"`},
		{"> resync\n  dev: p1 api#1 manual queued\n", `want ":" after the class`},
		{"> resync\n  dev: exploded\n", `unknown event "exploded"`},
		{"> resync\n  dev: api#1 held\n", `unknown event "held": want one of available`},
		{"> resync\n  dev: p1 failed because reasons\n", `x:6:26: unknown reason "reasons"`},
		{"> resync\n  dev: p1 queued,\n", `act is missing here`},
		{"> resync\n  +1h dev: p1 queued\n", `x:6:3: the outcomes of a wait, and only they, begin with +TIME`},
		{"> wait 1h\n  dev: p1 queued\n", `x:6:3: the outcomes of a wait, and only they, begin with +TIME`},
		{"> wait 1h\n  +soon dev: p1 queued\n", `"+soon" is no time`},
	} {
		_, err := story.Parse("x", []byte(head+c.script))
		require.ErrorContains(t, err, c.want, c.script)
	}
}

func TestAllMistakesAreReportedAtOnce(t *testing.T) {
	_, err := story.Parse("x", []byte("-- story --\n> mrege #1 by ann\n> resync\n  dev: exploded\n"))
	require.ErrorContains(t, err, "x:2:3: unknown happening")
	require.ErrorContains(t, err, "x:4:8: unknown event")
}

func TestAnArchiveHoldsOneStory(t *testing.T) {
	_, err := story.Parse("x", []byte("-- a --\n"))
	require.EqualError(t, err, "x:1:1: there is no file named story in this archive")
	_, err = story.Parse("x", []byte("-- story --\n-- a --\nb\n-- story --\n"))
	require.EqualError(t, err, "x:4:1: there are two files named story")
}

func TestAStepWithoutOutcomesCanBeFilledIn(t *testing.T) {
	s, err := story.Parse("x", []byte("-- story --\r\n> resync\r\n"))
	require.NoError(t, err)
	require.Equal(t, "-- story --\n> resync\n  (nothing)\n", string(s.Format()))
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everyForm))
	f.Add([]byte("-- story --\n> check '' success at m1/'' in ''\n  '': p1 'a b'#1 manual: open because, waits\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s story.Story
		var err error
		spent.Bound{Base: 256 << 10, PerByte: 4 << 10}.Check(t, len(data), func() { s, err = story.Parse("fuzz", data) })
		if err != nil {
			return
		}
		printed := s.Format()
		again, err := story.Parse("printed", printed)
		require.NoError(t, err, string(printed))
		require.Equal(t, string(printed), string(again.Format()))
		for i, step := range s.Steps {
			require.Equal(t, step.Happening, again.Steps[i].Happening)
		}
	})
}
