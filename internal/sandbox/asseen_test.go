package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// evil is what becomes of the stage's file after people have looked at the plan.
var evil = map[string]*string{"dev.yaml": githubsim.Text("tag: none\nimage: evil\n")}

// v3 asks GitHub's API in the name of a person about the home repository.
func (s *site) v3(login, method, path, body string) (answer map[string]any) {
	s.t.Helper()
	address := s.github.V3URL() + "/repos/" + home + path
	request, err := http.NewRequestWithContext(s.ctx, method, address, strings.NewReader(body))
	require.NoError(s.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "token "+s.github.UserToken(login))
	response, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, response.Body.Close()) }()
	require.NoError(s.t, json.NewDecoder(response.Body).Decode(&answer))
	require.Less(s.t, response.StatusCode, 300, "%v", answer)
	return answer
}

// awaitingSignOff returns a site with a promotion that has been open for a minute and waits to be signed off, by bob.
// eve may push.
func awaitingSignOff(t *testing.T) *site {
	t.Helper()
	s := newSite(t, signedByOne)
	require.NoError(t, s.meet("bob"))
	require.NoError(t, s.meet("eve"))
	s.do("merge #1 by ann", "wait 1m")
	return s
}

// rebuilt has the program make the commit of promotion 1 anew on a base that eve has changed.
func (s *site) rebuilt() {
	s.t.Helper()
	before := s.pull(1).HeadSHA
	_, err := s.github.PushFiles(home, "main", "eve", "Sneak", evil)
	require.NoError(s.t, err)
	s.do("wait 1m", "resync", "wait 1m")
	require.NotEqual(s.t, before, s.pull(1).HeadSHA)
}

// TestALateCommentSignsOffWhatWasShownWhenItWasWrittenT1 has the comment of a sign-off delivered after the commit has
// been made anew.
func TestALateCommentSignsOffWhatWasShownWhenItWasWrittenT1(t *testing.T) {
	t.Parallel()
	s := awaitingSignOff(t)
	seen := s.pull(1)
	s.github.HoldWebhooks()
	_, err := s.github.Comment(home, seen.Number, "bob", "/approve dev")
	require.NoError(t, err)
	s.rebuilt()
	s.github.ReleaseReversed()
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	shown := s.pull(1).HeadSHA[:7]
	require.Contains(t, s.said(seen.Number), "Refused: the plan is another one now")
	require.Contains(t, s.said(seen.Number), "shows commit "+shown+"; look at it, and say /approve dev "+shown)

	for _, other := range []string{seen.HeadSHA[:7], seen.HeadSHA, "0123456"} {
		s.do("comment #1 by bob: /approve dev " + other)
		require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"), other)
	}
	s.do("comment #1 by bob: /approve dev " + shown[:6])
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"), "too few digits")
	s.do("comment #1 by bob: /approve dev " + strings.ToUpper(shown))
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestACommentThatNamesThePlanCountsHoweverLateItComesT1 has the comment of a sign-off delivered late, and nothing has
// changed.
func TestACommentThatNamesThePlanCountsHoweverLateItComesT1(t *testing.T) {
	t.Parallel()
	for _, late := range []string{"/approve dev", "/approve dev SHA"} {
		s := newSite(t, signedByOne)
		require.NoError(t, s.meet("bob"))
		s.do("merge #1 by ann", "wait 1m")
		s.github.HoldWebhooks()
		_, err := s.github.Comment(home, 1, "bob", strings.Replace(late, "SHA", s.pull(1).HeadSHA[:7], 1))
		require.NoError(t, err)
		s.do("wait 1h")
		s.github.ReleaseWebhooks()
		s.quiet()
		require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"), late)
	}
}

// TestAReviewSignsOffTheReviewedCommitOnlyT1 has a review delivered after the commit has been made anew, and one whose
// sign-off is decided after that.
func TestAReviewSignsOffTheReviewedCommitOnlyT1(t *testing.T) {
	t.Parallel()
	s := awaitingSignOff(t)
	s.github.HoldWebhooks()
	require.NoError(t, s.github.Review(home, s.pull(1).Number, "bob", "APPROVE", ""))
	s.rebuilt()
	s.github.ReleaseReversed()
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
}

// TestAButtonOfAnOldPageSignsOffNothingNewT1T18 presses the button of a check run after the commit has been made anew:
// on the run of the old commit, which nobody updates any more, and on a page of the freight's run that shows it.
func TestAButtonOfAnOldPageSignsOffNothingNewT1T18(t *testing.T) {
	t.Parallel()
	s := awaitingSignOff(t)
	old := s.pull(1)
	onHead := s.github.LatestCheckRuns(home, old.HeadSHA)
	require.Len(t, onHead, 1)
	s.rebuilt()
	s.press(onHead[0].ID, "bob", "approve "+old.HeadSHA[:12])
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	require.Error(t, s.github.PressButton(home, s.run(1, "dev").ID, "bob", "approve "+old.HeadSHA[:12]))
	s.press(s.run(1, "dev").ID, "bob", "approve "+s.pull(1).HeadSHA[:12])
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestASignOffFromBeforeAForcePushBackDoesNotCountLateT1T2 moves the branch of the promotion away and back while a
// sign-off is on its way: what was written before the commit was shown again is about something else.
func TestASignOffFromBeforeAForcePushBackDoesNotCountLateT1T2(t *testing.T) {
	t.Parallel()
	s := awaitingSignOff(t)
	ours := s.pull(1)
	_, err := s.github.PushFiles(home, ours.HeadBranch, "eve", "Sneak", evil)
	require.NoError(t, err)
	s.do("wait 1m")
	s.github.HoldWebhooks()
	_, err = s.github.Comment(home, ours.Number, "bob", "/approve dev")
	require.NoError(t, err)
	s.clock.set(s.clock.Now().Add(time.Minute))
	s.v3("eve", http.MethodPatch, "/git/refs/heads/"+ours.HeadBranch, `{"force":true,"sha":"`+ours.HeadSHA+`"}`)
	s.github.ReleaseReversed()
	s.quiet()
	require.Equal(t, ours.HeadSHA, s.pull(1).HeadSHA)
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	s.do("wait 1m", "comment #1 by bob: /approve dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestWhatIsGivenInSlackIsOfWhatWasShownThereT1T28 presses a button of a message from before the commit was made anew,
// and types sign-offs in the seconds after that.
func TestWhatIsGivenInSlackIsOfWhatWasShownThereT1T28(t *testing.T) {
	t.Parallel()
	o, _, _ := unsigned(t, nothing)
	old := o.direct(o.ann)[0]
	button := old.Buttons()[0]
	require.Equal(t, "approve", button.ActionID)
	require.NoError(t, o.meet("eve"))
	before := o.pull(1).HeadSHA
	_, err := o.github.PushFiles(home, "main", "cleo", "Sneak",
		map[string]*string{"deploy/dev.yaml": githubsim.Text("tag: none\nimage: evil\n")})
	require.NoError(t, err)
	o.quiet()
	require.NotEqual(t, before, o.pull(1).HeadSHA)
	require.True(t, o.slack.Press(o.ctx, o.ann, o.ann, old.TS, button).OK())
	o.quiet()
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, o.states("dev"))
	require.Contains(t, text(o.says(o.ann, "approve dev")), "the plan is another one now")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, o.states("dev"), "it may have been on its way")
	o.do("wait 11s")
	o.says(o.ann, "approve dev")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, o.states("dev"))
}
