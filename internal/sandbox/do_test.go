package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/promotion"
)

// acting returns a token that acts for a person.
func (s *site) acting(login string) api.Token {
	return api.Token{Name: login, As: promotion.Actor{ID: s.github.AccountID(login), Login: promotion.Login(login)}}
}

// command gives a command over the API, with an idempotency key unless that is empty.
func (s *site) command(token, key, command string) answer {
	s.t.Helper()
	body, err := json.Marshal(api.Command{Command: command})
	require.NoError(s.t, err)
	request, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.program.url+pipelinePath+"/commands",
		strings.NewReader(string(body)))
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set(api.IdempotencyKey, key)
	return s.ask(http.DefaultClient, request)
}

// gives gives a command over the API and returns the answer.
func (s *site) gives(token, key, command string) (a api.Answer) {
	s.t.Helper()
	got := s.command(token, key, command)
	require.Equal(s.t, http.StatusOK, got.status, got.body)
	require.NoError(s.t, json.Unmarshal([]byte(got.body), &a))
	s.quiet()
	return a
}

// TestACommandOverTheAPIIsThatOfThePersonWhoseTokenItIs gives each kind of command with and without the right to it.
func TestACommandOverTheAPIIsThatOfThePersonWhoseTokenItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	require.NoError(t, s.meet("bob"))
	require.NoError(t, s.github.SetPermission(home, "bob", "read"))
	s.quiet()
	tokens := s.withTokens(s.acting("ann"), s.acting("bob"))
	ann, bob := tokens[0], tokens[1]

	held := s.gives(ann, "", "hold dev until the demo is over")
	require.Equal(t, "done", held.Outcome)
	require.Equal(t, "dev is held until somebody lifts the hold.", held.Text)
	require.Equal(t, []string{"The reason: until the demo is over"}, held.Notes)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev queued"}, s.states("dev"))
	refused := s.gives(bob, "", "/unhold dev")
	require.Equal(t, "refused", refused.Outcome)
	require.Contains(t, refused.Text, "Refused: ")
	require.Equal(t, []string{"p1 api#1 dev queued"}, s.states("dev"))
	status := s.gives(bob, "", "status")
	require.Equal(t, "done", status.Outcome)
	require.Equal(t, "dev", status.Rows[0][0])
	require.Equal(t, "done", s.gives(ann, "", "unhold dev").Outcome)
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Equal(t, "refused", s.gives(ann, "", "promote nowhere").Outcome)
}

// TestACommandThatIsSentAgainHappensOnce sends a command again under the same key.
func TestACommandThatIsSentAgainHappensOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke failure on dev")
	token := s.withTokens(s.acting("ann"))[0]
	require.Equal(t, "done", s.gives(token, "once", "retry dev").Outcome)
	require.Equal(t, "done", s.gives(token, "once", "retry dev").Outcome, "the answer of the first time")
	require.Equal(t, []string{"p1 api#1 dev verification-failed", "p2 api#1 dev verification-failed"}, s.states("dev"))
	require.NoError(t, s.restart(s.ctx))
	require.Equal(t, "done", s.gives(token, "once", "retry dev").Outcome)
	require.Len(t, s.states("dev"), 2)
	require.Equal(t, http.StatusConflict, s.command(token, "once", "cancel dev").status)
}

// TestWhatWasDoneOverTheAPIIsToldOnThePullRequest checks that a comment names the API and the person.
func TestWhatWasDoneOverTheAPIIsToldOnThePullRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke failure on dev")
	token := s.withTokens(s.acting("ann"))[0]
	s.gives(token, "", "retry dev")
	var said []string
	for _, c := range s.github.Comments(home, 1) {
		said = append(said, c.Body)
	}
	require.Contains(t, asSeen(strings.Join(said, "\n")),
		"`/retry dev` via the API by @ann: api#1 goes to dev once more, by promotion 2.")
}

// TestACommandIsAnsweredThoughItCannotBeToldOnThePullRequest has GitHub refuse the comment.
func TestACommandIsAnsweredThoughItCannotBeToldOnThePullRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke failure on dev")
	token := s.withTokens(s.acting("ann"))[0]
	s.github.Faults().FailNext(
		githubsim.Route{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"},
		githubsim.Fault{Status: http.StatusUnprocessableEntity},
	)
	require.Equal(t, "done", s.gives(token, "", "retry dev").Outcome)
}

// TestWhoHasNoNameGivesNoCommand checks that a token without a person cannot give commands.
func TestWhoHasNoNameGivesNoCommand(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	s.quiet()
	tokens := s.withTokens(api.Token{Name: "ci", Scope: api.Operate}, s.acting("ann"))
	nobody, ann := tokens[0], tokens[1]
	got := s.command(nobody, "", "hold dev")
	require.Equal(t, http.StatusForbidden, got.status)
	require.Contains(t, got.body, "--as")
	for command, says := range map[string]string{
		"":                "is no command",
		"please":          "is no command",
		"promote dev\nx":  "a single line",
		"promote dev \"a": "quotation mark",
	} {
		got := s.command(ann, "", command)
		require.Equal(t, http.StatusBadRequest, got.status, "%q: %s", command, got.body)
		require.Contains(t, got.body, says, command)
	}
	require.Equal(t, http.StatusBadRequest, s.api(ann, http.MethodPost, pipelinePath+"/commands", "{").status)
	require.Equal(t, http.StatusBadRequest,
		s.api(ann, http.MethodPost, pipelinePath+"/commands", `{"do": "hold dev"}`).status)
	require.Equal(t, http.StatusUnauthorized,
		s.api("", http.MethodPost, pipelinePath+"/commands", `{"command": "hold dev"}`).status)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"), "nothing holds it")
}

// TestACommandThatCannotBeAnsweredYetIsRecorded has GitHub fail to say what a plan needs.
func TestACommandThatCannotBeAnsweredYetIsRecorded(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke failure on dev")
	token := s.withTokens(s.acting("ann"))[0]
	s.github.Faults().FailNext(githubsim.Route{Path: "/graphql"}, githubsim.Fault{Status: http.StatusBadGateway, Times: 8})
	var a api.Answer
	got := s.command(token, "later", "plan dev api#1")
	require.NoError(t, json.Unmarshal([]byte(got.body), &a))
	require.Equal(t, api.Unanswered, a)
	s.do("wait 30m")
	require.Equal(t, "done", s.gives(token, "later", "plan dev api#1").Outcome)
}

// TestWhoAsksOverTheAPIDoesNotWaitForTheCommentOnThePullRequest has GitHub fail three times on that comment.
func TestWhoAsksOverTheAPIDoesNotWaitForTheCommentOnThePullRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke failure on dev")
	token := s.withTokens(s.acting("ann"))[0]
	s.github.Faults().FailNext(
		githubsim.Route{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"},
		githubsim.Fault{Status: http.StatusBadGateway, Times: 3},
	)
	require.Equal(t, "done", s.gives(token, "now", "retry dev").Outcome)
	s.do("wait 10m")
	require.Equal(t, "done", s.gives(token, "now", "retry dev").Outcome)
	said := 0
	for _, c := range s.told(1) {
		if strings.Contains(c.Body, "via the API") {
			said++
		}
	}
	require.Equal(t, 1, said)
	require.Len(t, s.states("dev"), 2)
}
