package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/store"
)

// publicSite is a site whose home repository everybody may read, as mallory does.
func publicSite(t *testing.T) *site {
	s := newSite(t, oneStage)
	require.NoError(t, s.github.CreateUser("mallory"))
	require.NoError(t, s.github.SetPublic(home, true))
	s.do("merge #1 by ann", "check smoke success on dev")
	return s
}

// forks opens pull requests of mallory's.
func (s *site) forks(n int) (pulls []int) {
	for i := range n {
		pull, err := s.github.OpenPull(home, githubsim.PullSpec{
			Title: "x", Author: "mallory", Fork: true, Head: fmt.Sprintf("x%d", i),
			Files: map[string]*string{"docs/x.md": githubsim.Text(fmt.Sprint(i))},
		})
		require.NoError(s.t, err)
		pulls = append(pulls, pull)
	}
	s.quiet()
	return pulls
}

// types has somebody comment on a pull request of the home repository.
func (s *site) types(pull int, by, text string) {
	_, err := s.github.Comment(home, pull, by, text)
	require.NoError(s.t, err)
}

// wordsOn counts the comments of Waybill on pull requests of the home repository.
func (s *site) wordsOn(pulls ...int) (n int) {
	for _, pull := range pulls {
		for _, c := range s.told(pull) {
			if c.Author == "waybill[bot]" {
				n++
			}
		}
	}
	return n
}

// reacted counts the requests for reactions.
func (s *site) reacted() (n int) {
	for _, r := range s.github.Requests() {
		if r.Method == "POST" && strings.HasSuffix(r.Route, "/reactions") {
			n++
		}
	}
	return n
}

// TestAStrangerOnAPublicRepositoryDelaysNoPromotionT12 has somebody without any grant open as many pull requests as
// they like, and ask more on them than there is content in an hour. GitHub says of everybody that they may read there.
func TestAStrangerOnAPublicRepositoryDelaysNoPromotionT12(t *testing.T) {
	t.Parallel()
	s := publicSite(t)
	pulls := s.forks(30)
	s.github.ForgetRequests()
	for range 5 {
		for _, pull := range pulls {
			s.types(pull, "mallory", "/help")
		}
	}
	s.quiet()
	require.Zero(t, s.wordsOn(pulls...), "a reaction at most")
	require.Equal(t, 10, s.reacted())
	require.Equal(t, "150", s.metric(`waybill_answers_withheld_total{kind="words",who="other"}`))
	require.Equal(t, "140", s.metric(`waybill_answers_withheld_total{kind="reaction",who="other"}`))
	s.do("merge #2 by ann")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev verifying"}, s.states("dev"))
}

// TestAStrangerGetsNoWordsHoweverTheyAskT12 tries each place where a stranger may write on a public repository.
func TestAStrangerGetsNoWordsHoweverTheyAskT12(t *testing.T) {
	t.Parallel()
	s := publicSite(t)
	pull := s.forks(1)[0]
	for _, text := range []string{
		"/promote dev", "/hold dev", "/status\n/plan dev\n/history dev\n/help\n/why dev", "/rollback dev", "/nonsense dev",
		"/hold everything", "/promot dev",
	} {
		s.types(pull, "mallory", text)
		s.types(1, "mallory", text)
		require.NoError(t, s.github.Review(home, 1, "mallory", "COMMENTED", text))
	}
	before := s.wordsOn(1)
	s.quiet()
	require.Zero(t, s.wordsOn(pull))
	require.Equal(t, before, s.wordsOn(1))
	require.NoError(t, s.github.SetPermission(home, "mallory", "triage"))
	s.do("wait 10m") // GitHub is asked again who may what
	s.types(pull, "mallory", "/status")
	s.quiet()
	require.Equal(t, 1, s.wordsOn(pull), "who was granted something is no stranger")
}

// TestAStrangerGetsNoWordsWhileGitHubCannotSayWhoTheyAreT12 has GitHub fail to say what their rights are.
func TestAStrangerGetsNoWordsWhileGitHubCannotSayWhoTheyAreT12(t *testing.T) {
	t.Parallel()
	s := publicSite(t)
	pull := s.forks(1)[0]
	s.do("wait 10m") // what is known of everybody's rights is forgotten
	permission := githubsim.Route{Path: "/repos/{owner}/{repo}/collaborators/{username}/permission"}
	s.github.Faults().FailNext(permission, githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	s.types(pull, "mallory", "/promote dev")
	s.types(pull, "mallory", "/status")
	s.do("wait 1m")
	s.github.Faults().Clear()
	s.do("wait 4h")
	require.Zero(t, s.wordsOn(pull))
	require.NotZero(t, s.reacted(), "it was read")
}

// TestACommentThatIsEditedAsksNothingAgainT12 edits it many times.
func TestACommentThatIsEditedAsksNothingAgainT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	comment, err := s.github.Comment(home, 1, "ann", "/status")
	require.NoError(t, err)
	s.quiet()
	before := s.wordsOn(1)
	s.github.ForgetRequests()
	for i := range 20 {
		require.NoError(t, s.github.EditComment(home, comment, "ann", fmt.Sprint("/status\n", i)))
	}
	s.quiet()
	require.Equal(t, before, s.wordsOn(1))
	require.Zero(t, s.reacted())
}

// TestWhoMayNotWriteGetsOneAnswerAnHourInARepositoryT12 has a reader ask on several pull requests, again and again.
func TestWhoMayNotWriteGetsOneAnswerAnHourInARepositoryT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev", "merge #2 by ann", "check smoke success on dev")
	require.NoError(t, s.github.CreateUser("rea", "acme"))
	require.NoError(t, s.github.SetPermission(home, "rea", "read"))
	before := s.wordsOn(1, 2)
	answers := func() int {
		for _, text := range []string{"/status", "/promote dev", "/help", "/status"} {
			s.types(1, "rea", text)
			s.types(2, "rea", text)
		}
		s.quiet()
		return s.wordsOn(1, 2) - before
	}
	require.Equal(t, 1, answers())
	s.do("wait 30m")
	require.Equal(t, 1, answers())
	s.do("wait 31m")
	require.Equal(t, 2, answers(), "who asks all the time gets one an hour")
}

// TestLabelsOfWhoMayNotWriteAreAnsweredOnceAnHourT12 has somebody who may triage ask by labels.
func TestLabelsOfWhoMayNotWriteAreAnsweredOnceAnHourT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev", "merge #2 by ann", "check smoke success on dev")
	s.do("comment #1 by tri: hello")
	require.NoError(t, s.github.SetPermission(home, "tri", "triage"))
	before := s.wordsOn(1, 2)
	for range 3 {
		s.do("label #1 promote/dev by tri", "label #2 promote/dev by tri")
	}
	require.Equal(t, 1, s.wordsOn(1, 2)-before)
}

// TestReadersTogetherGetTenAnswersAnHourT12 has as many of them as there are members of an organisation.
func TestReadersTogetherGetTenAnswersAnHourT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	before := s.wordsOn(1)
	for i := range 13 {
		name := fmt.Sprintf("rea-%d", i)
		require.NoError(t, s.github.CreateUser(name, "acme"))
		require.NoError(t, s.github.SetPermission(home, name, "read"))
		s.types(1, name, "/status")
	}
	s.quiet()
	require.Equal(t, 10, s.wordsOn(1)-before)
	s.types(1, "ann", "/status")
	s.quiet()
	require.Equal(t, 11, s.wordsOn(1)-before, "they take nothing from who may write")
}

// TestWhoMayWriteGetsSixtyAnswersAnHourInARepositoryT12 has one of them ask on one pull request after the other.
func TestWhoMayWriteGetsSixtyAnswersAnHourInARepositoryT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.hearsOnce()
	s.do("merge #1 by ann")
	pulls := s.forks(8)
	s.github.ForgetRequests()
	for range 10 {
		for _, pull := range pulls {
			s.types(pull, "ann", "/status")
		}
	}
	s.quiet()
	s.do("wait 10m") // the answers come as the content of a minute allows
	require.Equal(t, 60, s.wordsOn(pulls...))
	require.Equal(t, 2*60, s.reacted(), "eyes, and a rocket")
	s.do("comment #1 by ann: /hold dev")
	s.view(func(tx *store.Tx, pipeline int64) error {
		all, err := tx.Ledger.Holds(pipeline)
		require.Len(t, all, 1, "what is asked for is done all the same")
		return err
	})
}

// TestACommentOfManyCommandsGetsAReactionForEachOutcomeT12 has five questions in one.
func TestACommentOfManyCommandsGetsAReactionForEachOutcomeT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.hearsOnce()
	s.do("merge #1 by ann")
	s.github.ForgetRequests()
	s.types(1, "ann", "/status\n/plan dev\n/history dev\n/help\n/rollback dev")
	s.quiet()
	require.LessOrEqual(t, s.reacted(), 3)
	reactions, _ := s.answered(1)
	require.Equal(t, map[string]int{"eyes": 1, "rocket": 1, "-1": 1}, reactions)
}

// TestAStrangerWhoSignsInGivesFewCommandsT12: whoever has an account on GitHub may read a public repository, and so
// give commands on the pages and over the API, which cost requests and room. Others go on giving theirs.
func TestAStrangerWhoSignsInGivesFewCommandsT12(t *testing.T) {
	t.Parallel()
	s := publicSite(t)
	s.github.SignInAs("mallory")
	mallory := s.browser()
	require.Equal(t, http.StatusOK, s.visit(mallory, "GET", s.program.url+api.SignInPath+"?back=/api/v1/me").status)
	gives := func(command, key string) answer {
		request, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.program.url+pipelinePath+"/commands",
			strings.NewReader(`{"command": "`+command+`"}`))
		require.NoError(t, err)
		request.Header.Set(api.IdempotencyKey, key)
		return s.ask(mallory, request)
	}
	answered := 0
	for i := range 30 {
		switch a := gives("plan dev", fmt.Sprint(i)); a.status {
		case http.StatusOK:
			answered++
		default:
			require.Equal(t, http.StatusTooManyRequests, a.status, a.body)
			require.Equal(t, "3601", a.header.Get("Retry-After"))
		}
	}
	require.Equal(t, 20, answered)
	require.Equal(t, http.StatusOK, gives("plan dev", "7").status, "who sends a command again asks for its answer")
	ann := s.withTokens(s.acting("ann"))[0]
	for range 30 {
		require.Equal(t, "done", s.gives(ann, "", "status").Outcome)
	}
	s.do("wait 1h")
	require.Equal(t, http.StatusOK, gives("plan dev", "new").status)
}

// TestWhileGitHubDoesNotSayWhoMayWriteCommandsAreCountedT12: whoever may write goes on once GitHub says so again.
func TestWhileGitHubDoesNotSayWhoMayWriteCommandsAreCountedT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	s.quiet()
	ann := s.withTokens(s.acting("ann"))[0]
	s.github.Faults().FailNext(githubsim.Route{Path: "/repos/{owner}/{repo}/collaborators/{username}/permission"},
		githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	for i := range 20 {
		require.Equal(t, http.StatusOK, s.command(ann, fmt.Sprint(i), "status").status)
	}
	refused := s.command(ann, "one too many", "status")
	require.Equal(t, http.StatusServiceUnavailable, refused.status)
	require.Contains(t, refused.body, "GitHub is asked who may write to acme/deploy, and it does not answer now")
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	s.github.Faults().Clear()
	require.Equal(t, http.StatusOK, s.command(ann, "one too many", "status").status)
}
