package sandbox

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/store"
)

// TestWebhooksTwiceReversedLateAndAgainMakeOnePromotionF3T21 plays the same happenings while webhooks arrive twice, in
// reverse order, late, or again later.
func TestWebhooksTwiceReversedLateAndAgainMakeOnePromotionF3T21(t *testing.T) {
	t.Parallel()
	for name, network := range map[string]func(s *site, happening string){
		"twice": func(s *site, happening string) {
			s.github.DoubleWebhooks(true)
			s.do(happening)
		},
		"reversed": func(s *site, happening string) {
			s.github.HoldWebhooks()
			s.do(happening)
			s.github.ReleaseReversed()
			s.quiet()
		},
		"late": func(s *site, happening string) {
			s.github.HoldWebhooks()
			s.do(happening, retry)
			s.github.ReleaseWebhooks()
			s.quiet()
		},
		"again": func(s *site, happening string) {
			s.do(happening)
			s.github.Redeliver(1000)
			s.quiet()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, oneStage)
			for _, happening := range []string{
				"merge #1 by ann", "check smoke success on dev", "merge #2 by ann", "check smoke failure on dev",
			} {
				network(s, happening)
			}
			s.complete()
		})
	}
}

// TestASignalThatIsFasterThanTheMergeCountsF5 has CI report on the merge commit while GitHub's answer to the merge is
// on its way, so that Waybill does not know of the merge yet.
func TestASignalThatIsFasterThanTheMergeCountsF5(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(asked["merge"], githubsim.Fault{
		After: func() {
			s.github.LoseWebhooks(false)
			s.github.ForgetLost()
			_, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{
				Name: "smoke", SHA: s.github.Head(home, "main"), Suite: "ci", Branch: "main", Conclusion: "success",
			})
			require.NoError(t, err)
			require.NoError(t, s.github.Settle(s.ctx))
		},
	})
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestASignalIsFoundThatCameWhileNobodyListenedF2F4 kills the program at the moment of the merge and has CI report
// before the restart. A sweep has GitHub redeliver the webhooks about both.
func TestASignalIsFoundThatCameWhileNobodyListenedF2F4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(asked["merge"], githubsim.Fault{
		After: func() {
			s.program.cancel()
			_, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{
				Name: "smoke", SHA: s.github.Head(home, "main"), Suite: "ci", Branch: "main", Conclusion: "success",
			})
			require.NoError(t, err)
			s.crashed.Store(true)
		},
		LoseReply: true,
	})
	s.do("merge #1 by ann", "wait 10m")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// hookOf returns the delivery about the merge of a source pull request.
func (s *site) hookOf(number int) githubsim.Delivery {
	s.t.Helper()
	for _, d := range s.github.Deliveries() {
		if d.Event == "pull_request" && d.Action == "closed" &&
			bytes.Contains(d.Payload, fmt.Appendf(nil, `"number":%d,`, number)) {
			return d
		}
	}
	require.FailNow(s.t, "no such delivery")
	return githubsim.Delivery{}
}

// post sends a webhook about a pull request as GitHub does, with any signature, and returns the status of the answer.
func (s *site) post(guid string, body []byte, header, signature string) int {
	s.t.Helper()
	return s.postEvent("pull_request", guid, body, header, signature)
}

func (s *site) postEvent(event, guid string, body []byte, header, signature string) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.program.url+"/api/github/hook",
		bytes.NewReader(body))
	require.NoError(s.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-GitHub-Event", event)
	request.Header.Set("X-GitHub-Delivery", guid)
	if header != "" {
		request.Header.Set(header, signature)
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	require.NoError(s.t, answer.Body.Close())
	_, err = s.program.rest(s.ctx)
	require.NoError(s.t, err)
	return answer.StatusCode
}

const signature256 = "X-Hub-Signature-256"

// signed returns the signature of a body under a secret.
func signed(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func TestOnlyWhatGitHubHasSignedIsTakenF6T19(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.FailWebhooks(100, http.StatusBadGateway) // the network drops every genuine webhook
	_, err := s.Do(s.ctx, story.Happening{Kind: story.Merge, Pull: story.Pull{Number: 1}, By: "ann"})
	require.ErrorContains(t, err, "502")
	body, secret := s.hookOf(1).Payload, s.github.WebhookSecret()
	altered := bytes.Replace(body, []byte(`"number":1,`), []byte(`"number":9,`), 1)
	require.NotEqual(t, body, altered)
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write(body)
	for name, status := range map[string]int{
		"unsigned": s.post("a", body, "", ""),
		"empty":    s.post("b", body, signature256, ""),
		"SHA-1":    s.post("c", body, "X-Hub-Signature", "sha1="+hex.EncodeToString(mac.Sum(nil))),
		"secret":   s.post("d", body, signature256, signed("guessed", body)),
		"no key":   s.post("e", body, signature256, signed("", body)),
		"altered":  s.post("f", altered, signature256, signed(secret, body)),
	} {
		require.Equal(t, http.StatusUnauthorized, status, name)
	}
	require.Empty(t, s.states("dev"))
	require.Equal(t, http.StatusAccepted, s.post("g", body, signature256, signed(secret, body)))
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"), "signed, it is taken")
}

func TestTheSameDeliveryThriceMakesOnePromotionAndAnAlteredOneIsRefusedT20(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	d, secret := s.hookOf(1), s.github.WebhookSecret()
	for range 3 {
		require.Equal(t, http.StatusAccepted, s.post(d.GUID, d.Payload, signature256, signed(secret, d.Payload)))
	}
	altered := bytes.Replace(d.Payload, []byte(`"number":1,`), []byte(`"number":9,`), 1)
	require.GreaterOrEqual(t, s.post(d.GUID, altered, signature256, signed(secret, altered)), 400)
	s.do("check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
}

// TestADeliveryOfAnotherInstallationIsNotServedT22 sends a validly signed delivery that names another installation than
// that of its repository. Waybill never uses a token of one owner for another.
func TestADeliveryOfAnotherInstallationIsNotServedT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.addOther()
	foreign := s.github.Deliveries()[len(s.github.Deliveries())-1].InstallationID
	s.mergeToldBy(foreign, "merge #1 by ann")
	require.Empty(t, s.states("dev"))
	require.Empty(t, s.ours())
}

// TestAMergeOfWhichItIsNotSaidAsWhatIsReadByAResync posts the delivery about a merge without its commit, which GitHub
// sometimes does not know yet.
func TestAMergeOfWhichItIsNotSaidAsWhatIsReadByAResync(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("lose webhooks", "merge #1 by ann")
	s.github.LoseWebhooks(false)
	s.github.DeliverLost()
	s.github.FailWebhooks(100, http.StatusBadGateway)
	require.Error(t, s.github.Settle(s.ctx))
	d := s.hookOf(1)
	unsaid := bytes.ReplaceAll(d.Payload, fmt.Appendf(nil, `"merge_commit_sha":%q`, s.github.Pulls(home)[0].MergeSHA),
		[]byte(`"merge_commit_sha":null`))
	require.NotEqual(t, d.Payload, unsaid)
	require.Equal(t, http.StatusAccepted, s.post("unsaid", unsaid, signature256, signed(s.github.WebhookSecret(), unsaid)))
	s.until("it is freight", func() bool { return slices.Contains(s.states("dev"), "p1 api#1 dev verifying") })
}

// mergeToldBy merges a source pull request and posts only one delivery about it, which is validly signed but names
// another installation.
func (s *site) mergeToldBy(installation int64, merge string) {
	s.t.Helper()
	s.do("lose webhooks", merge)
	s.github.LoseWebhooks(false)
	s.github.DeliverLost()
	s.github.FailWebhooks(100, http.StatusBadGateway)
	require.Error(s.t, s.github.Settle(s.ctx))
	d := s.hookOf(1)
	mixed := bytes.ReplaceAll(d.Payload, fmt.Appendf(nil, `"installation":{"id":%d`, d.InstallationID),
		fmt.Appendf(nil, `"installation":{"id":%d`, installation))
	require.NotEqual(s.t, d.Payload, mixed)
	require.Equal(s.t, http.StatusAccepted, s.post("mixed", mixed, signature256, signed(s.github.WebhookSecret(), mixed)))
}

// pushed returns the body of a delivery about a push to the pipeline's branch.
func (s *site) pushed() []byte {
	s.t.Helper()
	for _, d := range s.github.Deliveries() {
		if d.Event == "push" && bytes.Contains(d.Payload, []byte(`"ref":"refs/heads/main"`)) {
			return d.Payload
		}
	}
	require.FailNow(s.t, "no such delivery")
	return nil
}

// TestABranchThatBeginsAnewIsReadByAResync posts a push that creates the pipeline's branch, as a rename there and back
// does. Such a push does not say which files it changes.
func TestABranchThatBeginsAnewIsReadByAResync(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev", "wait 1h")
	before := s.resyncDue()
	body := regexp.MustCompile(`"before":"[0-9a-f]+"`).ReplaceAll(s.pushed(),
		[]byte(`"before":"`+strings.Repeat("0", 40)+`"`))
	body = bytes.Replace(body, []byte(`"created":false`), []byte(`"created":true`), 1)
	require.Equal(t, http.StatusAccepted,
		s.postEvent("push", "anew", body, signature256, signed(s.github.WebhookSecret(), body)))
	s.quiet()
	s.do("wait 1h")
	require.Empty(t, s.deliveries(store.DeliveryWaiting))
	require.Empty(t, s.deliveries(store.DeliveryParked))
	require.NotEqual(t, before, s.resyncDue())
}
