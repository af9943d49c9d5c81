package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/internal/slacksim"
)

// sharedOffice returns an office whose server works for everybody, with a second owner whose pipeline wishes for the
// channel of acme, by its name and by its id. ann's accounts are linked.
func sharedOffice(t *testing.T) *office {
	o := newOffice(t, told)
	o.owners = nil
	require.NoError(t, o.restart(o.ctx))
	o.slack.SetRequestURL(o.program.url)
	o.quiet()
	o.do("grant ann write")
	status, said := o.links("ann", o.says(o.ann, "link"))
	require.Equal(t, http.StatusOK, status, said)
	channel := o.slack.Messages("deploys")[0].Channel
	require.NoError(t, o.github.CreateOrg("mallory"))
	require.NoError(t, o.github.CreateRepo(secondHome, map[string]string{
		"deploy/dev.yaml": "tag: none\n", "deploy/mine.yaml": "tag: none\n",
		".github/waybill.policy.yml": "version: 1\nautomatic: [\"*\"]\n",
		".github/waybill.yml": told + fmt.Sprintf(`  mine:
    from: api
    set: {deploy/mine.yaml: {tag: "${api.commit}"}}
    slack: %s
`, channel),
	}))
	_, err := o.github.InstallApp("mallory", secondHome)
	require.NoError(t, err)
	o.quiet()
	return o
}

// secondHome is the home of the second owner.
const secondHome = "mallory/x"

// heard returns what everybody sees in the channel.
func (o *office) heard() (all []string) {
	for _, m := range o.slack.Messages("deploys") {
		if m.EphemeralTo == "" {
			all = append(all, strings.ReplaceAll(m.Text, "\u200b", ""))
		}
	}
	return all
}

// otherMerges merges a pull request of the second owner.
func (o *office) otherMerges(title string) {
	o.t.Helper()
	n, err := o.github.OpenPull(secondHome, githubsim.PullSpec{Title: title, Author: "admin", Head: title,
		Files: map[string]*string{title: githubsim.Text("b")}})
	require.NoError(o.t, err)
	_, err = o.github.MergePull(secondHome, n, "admin", "")
	require.NoError(o.t, err)
	o.quiet()
	o.do("wait 1m")
}

// TestAChannelBelongsToWhoHasClaimedItThereT22: a pipeline file alone writes into no channel, and changes the meaning
// of no command in Slack.
func TestAChannelBelongsToWhoHasClaimedItThereT22(t *testing.T) {
	t.Parallel()
	o := sharedOffice(t)
	o.do("merge #1 by ann")
	o.otherMerges("first")
	require.Empty(t, o.heard(), "nobody has claimed it")
	require.Contains(t, o.says(o.ann, "why dev").Text, "No pipeline that reports to Slack has that stage")
	require.Contains(t, o.says(o.ann, "why dev").Text, "/waybill claim OWNER/REPO")
	require.Contains(t, o.says(o.ann, "help").Text, "Which pipeline? Name a stage.")
	require.Equal(t, "There is no command \"&lt;dance&gt;\". `/waybill help` lists all.",
		o.says(o.ann, "<dance> with me").Text)

	require.True(t, o.slack.Slash(o.ctx, o.ann, "deploys", "claim acme/deploy").OK())
	o.do("wait 1m") // one message a second
	require.Contains(t, strings.Join(o.heard(), "\n"), "has claimed this channel for acme")
	require.Contains(t, strings.Join(o.heard(), "\n"), "api#1 to dev", "what is under way shows")
	before := len(o.heard())
	o.otherMerges("second")
	require.Len(t, o.heard(), before)
	require.Contains(t, o.says(o.ann, "why dev").Blocks[0].Text.Text, "1 in dev", "no second pipeline has it")
	require.Equal(t, "dev is held until somebody lifts the hold.", o.says(o.ann, "hold dev").Text)
	require.Equal(t, "The hold of dev is lifted.", o.says(o.ann, "unhold dev").Text)

	o.do("check smoke success at m1")
	require.Contains(t, strings.Join(o.heard(), "\n"), "Verified")
	require.True(t, o.slack.Slash(o.ctx, o.ann, "deploys", "unclaim acme/deploy").OK())
	o.do("wait 1m", "merge #2 by ann", "wait 1m")
	require.Contains(t, strings.Join(o.heard(), "\n"), "has taken back what acme claimed")
	require.NotContains(t, strings.Join(o.heard(), "\n"), "api#2")
}

// TestWhoMayClaimAChannelT22: it takes write access, and the answer is the same whether a repository exists.
func TestWhoMayClaimAChannelT22(t *testing.T) {
	t.Parallel()
	o := sharedOffice(t)
	without := func(repo string) string {
		return strings.ReplaceAll(o.says(o.ann, "claim "+repo).Text, repo, "REPO")
	}
	require.Contains(t, without(secondHome), "Refused: you need write access to `REPO`")
	require.Equal(t, without(secondHome), without("mallory/none"))
	require.Equal(t, without(secondHome), without("acme/none"))
	require.Contains(t, o.says(o.ann, "claim").Text, "OWNER/REPO` in a channel")
	bob := o.slack.AddUser(slacksim.User{Name: "bob"})
	require.Contains(t, o.says(bob, "claim acme/deploy").Text, "say who you are on GitHub")
	o.do("grant ann read")
	require.Contains(t, without("acme/deploy"), "Refused: you need write access to `REPO`")
	o.do("grant ann write", "merge #1 by ann")
	require.Empty(t, o.heard())
}

// TestAClaimEndsWithTheInstallationT22: who removes the App gives the channel up.
func TestAClaimEndsWithTheInstallationT22(t *testing.T) {
	t.Parallel()
	o := sharedOffice(t)
	require.True(t, o.slack.Slash(o.ctx, o.ann, "deploys", "claim acme/deploy").OK())
	o.quiet()
	require.Len(t, o.heard(), 1)
	require.NoError(t, o.github.UninstallApp("acme"))
	o.quiet()
	_, err := o.github.InstallApp("acme", home)
	require.NoError(t, err)
	o.quiet()
	o.do("wait 11h", "merge #1 by ann")
	require.Len(t, o.heard(), 1)
	require.True(t, o.slack.Slash(o.ctx, o.ann, "deploys", "claim acme/deploy").OK())
	o.do("wait 1m")
	require.Greater(t, len(o.heard()), 2)
}

// TestAProposalSaysWhichChannelsNobodyHasClaimed has a pull request propose a pipeline file before the channel of its
// stage is claimed, and after.
func TestAProposalSaysWhichChannelsNobodyHasClaimed(t *testing.T) {
	t.Parallel()
	o := sharedOffice(t)
	says := func(head string) string {
		_, sha := o.propose(strings.Replace(told, "[smoke]", "[smoke, "+head+"]", 1), githubsim.PullSpec{Head: head})
		return o.configCheck(sha).Summary
	}
	require.Contains(t, says("before"),
		"nothing is told in Slack in `#deploys` before somebody types `/waybill claim acme/deploy` there")
	require.True(t, o.slack.Slash(o.ctx, o.ann, "deploys", "claim acme/deploy").OK())
	o.quiet()
	require.Contains(t, says("after"), "verified by")
	require.NotContains(t, says("later"), "claim")
}
