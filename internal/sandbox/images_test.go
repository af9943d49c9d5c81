package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
)

const imaged = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}, image: ghcr.io/acme/team/api}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.tag}", digest: "${api.digest}"}}, verify: [smoke]}
`

// versions is the request that lists the versions of an image.
var versions = githubsim.Route{Method: "GET", Path: "/orgs/{org}/packages/{package_type}/{package_name}/versions"}

// digestOf returns a digest that repeats one digit.
func digestOf(digit string) string { return "sha256:" + strings.Repeat(digit, 64) }

// pushImage pushes a version of the image team/api.
func (s *site) pushImage(spec githubsim.ImageSpec) {
	s.t.Helper()
	spec.Name = "team/api"
	require.NoError(s.t, s.github.PushImage(home, "ann", spec))
	s.quiet()
}

// merged returns the merge commit of a source pull request.
func (s *site) merged(n int) string {
	p, _ := s.github.Pull(home, n)
	return p.MergeSHA
}

// TestFreightWaitsForItsImageAndSaysSoWhereverPeopleLook follows freight from its merge until it has succeeded.
func TestFreightWaitsForItsImageAndSaysSoWhereverPeopleLook(t *testing.T) {
	t.Parallel()
	s := newSite(t, imaged)
	token := s.withTokens(api.Token{Name: "ci"})[0]
	s.do("merge #1 by ann", "comment #1 by ann: /where api#1", "comment #1 by ann: /why dev api#1", "wait 1m")
	const waits = "waiting for CI to push ghcr.io/acme/team/api"
	run := s.run(1, "dev")
	require.Equal(t, []string{"neutral", "Not available yet: " + waits}, []string{run.Conclusion, run.Title})
	require.Contains(t, s.sticky(1).Body, "waiting for CI to push ghcr.io/acme/team/api")
	for _, answer := range s.told(1) {
		if answer.Author == "waybill[bot]" {
			require.Contains(t, answer.Body, waits)
		}
	}
	s.do("wait 1h")
	const late = "there is none after more than an hour"
	require.Contains(t, s.run(1, "dev").Summary, late)
	require.Contains(t, s.sticky(1).Body, late)
	require.Empty(t, s.states("dev"))

	tag := "sha-" + s.source(1)
	s.pushImage(githubsim.ImageSpec{Tags: []string{"main", tag}, Digest: digestOf("a")})
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	text, _ := s.github.File(home, "main", "dev.yaml")
	require.Equal(t, fmt.Sprintf("tag: %s\ndigest: %s\n", tag, digestOf("a")), text)
	var page api.FreightPage
	s.get(token, pipelinePath+"/freight", &page)
	require.Equal(t, []api.Image{{Image: "ghcr.io/acme/team/api", Tag: tag, Digest: digestOf("a")}},
		page.Freight[0].Images)

	s.pushImage(githubsim.ImageSpec{Tags: []string{"main", tag}, Digest: digestOf("b")})
	s.do("check smoke success on dev", "resync", "wait 1m")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	s.get(token, pipelinePath+"/freight", &page)
	require.Equal(t, digestOf("a"), page.Freight[0].Images[0].Digest,
		"the first image of a commit is that of its freight for ever")
}

// TestAnImageOfAnotherPackageCompletesNoFreight pushes images of the freight's commit to packages of almost the same
// name: of the same owner, and of another one who has the App, too.
func TestAnImageOfAnotherPackageCompletesNoFreight(t *testing.T) {
	t.Parallel()
	s := newSite(t, imaged)
	s.homeOf("mallory/team")
	s.do("merge #1 by ann")
	spec := githubsim.ImageSpec{Tags: []string{"sha-" + s.source(1)}, Digest: digestOf("e"),
		Labels: map[string]string{"org.opencontainers.image.revision": s.merged(1)}}
	for _, to := range [][2]string{{home, "api"}, {home, "team/api/debug"}, {"mallory/team", "team/api"}} {
		spec.Name = to[1]
		require.NoError(t, s.github.PushImage(to[0], "ann", spec))
		s.quiet()
	}
	s.do("resync", "wait 1m")
	require.Empty(t, s.states("dev"))
	spec.Digest = digestOf("a")
	s.pushImage(spec)
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	text, _ := s.github.File(home, "main", "dev.yaml")
	require.Contains(t, text, digestOf("a"))
}

// TestAnImageCompletesItsFreightInWhateverOrderBothAreHeardOfF4 delivers the webhooks of the merge, of the image, of
// both or of neither, and leaves the rest to a resync.
func TestAnImageCompletesItsFreightInWhateverOrderBothAreHeardOfF4(t *testing.T) {
	for _, mergeTold := range []bool{true, false} {
		for _, imageTold := range []bool{true, false} {
			t.Run(fmt.Sprintf("merge told %t, image told %t", mergeTold, imageTold), func(t *testing.T) {
				t.Parallel()
				s := newSite(t, imaged)
				hear := func(told bool, act func() error) {
					if told {
						require.NoError(t, act())
						s.quiet()
					} else {
						s.deaf(act)
					}
				}
				_, err := s.github.OpenPull(home, githubsim.PullSpec{
					Number: 1, Title: "Change", Head: "x", Author: "ann", Files: map[string]*string{"src/a": githubsim.Text("a\n")},
				})
				require.NoError(t, err)
				hear(mergeTold, func() error { _, err := s.github.MergePull(home, 1, "ann", "squash"); return err })
				hear(imageTold, func() error {
					return s.github.PushImage(home, "ann",
						githubsim.ImageSpec{Name: "team/api", Tags: []string{s.merged(1)}, Digest: digestOf("a")})
				})
				s.do("resync", "resync")
				require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
			})
		}
	}
}

// TestAnImageOfSeveralPlatformsIsKnownByItsLabelAndNotByItsParts gives each part the label, and only the whole a tag.
func TestAnImageOfSeveralPlatformsIsKnownByItsLabelAndNotByItsParts(t *testing.T) {
	t.Parallel()
	s := newSite(t, imaged)
	s.do("merge #1 by ann")
	s.pushImage(githubsim.ImageSpec{
		Tags: []string{"main"}, Digest: digestOf("a"), Parts: []string{digestOf("c"), digestOf("d")},
		Labels: map[string]string{"org.opencontainers.image.revision": s.merged(1)},
	})
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	text, _ := s.github.File(home, "main", "dev.yaml")
	require.Contains(t, text, digestOf("a"))
	s.do("merge #2 by ann")
	s.pushImage(githubsim.ImageSpec{Tags: []string{"pr-7", "0123456"}, Digest: digestOf("e")})
	s.do("resync", "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"), "that one is of another commit")
}

// TestAPackageThatGitHubShowsToNoAppStopsNoResync has an image that only a webhook reports.
func TestAPackageThatGitHubShowsToNoAppStopsNoResync(t *testing.T) {
	t.Parallel()
	s := newSite(t, imaged)
	s.do("merge #1 by ann")
	image := githubsim.ImageSpec{Name: "team/api", Tags: []string{s.source(1)}, Digest: digestOf("a"), Private: true}
	s.deaf(func() error { return s.github.PushImage(home, "ann", image) })
	s.do("resync")
	require.Zero(t, s.pipelineRow().ResyncFailures)
	require.Empty(t, s.states("dev"))
	s.pushImage(image)
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

// TestAnImageThatNobodyToldOfIsLookedForBeforeItsFreightIsCalledLate also checks that Waybill looks for it only once.
func TestAnImageThatNobodyToldOfIsLookedForBeforeItsFreightIsCalledLate(t *testing.T) {
	t.Parallel()
	s := newSite(t, imaged)
	s.do("merge #1 by ann", "wait 30m", "merge #2 by ann")
	s.deaf(func() error {
		return s.github.PushImage(home, "ann",
			githubsim.ImageSpec{Name: "team/api", Tags: []string{s.source(2)}, Digest: digestOf("a")})
	})
	s.do("wait 20m")
	require.Zero(t, s.github.CountRequests(versions))
	s.do("wait 15m")
	require.Equal(t, 1, s.github.CountRequests(versions), "the first one is late")
	require.Equal(t, []string{"p1 api#2 dev verifying"}, s.states("dev"))
	s.do("check smoke success on dev", "merge #3 by ann", "wait 30m", "wait 25m")
	require.Equal(t, 1, s.github.CountRequests(versions))
}

// TestOnlyWhatWaitsIsAskedFor counts the requests of resyncs.
func TestOnlyWhatWaitsIsAskedFor(t *testing.T) {
	t.Parallel()
	s := newSite(t, imaged)
	s.do("resync")
	require.Zero(t, s.github.CountRequests(versions))
	s.do("merge #1 by ann", "resync")
	require.Equal(t, 1, s.github.CountRequests(versions))
	s.pushImage(githubsim.ImageSpec{Tags: []string{s.source(1)}, Digest: digestOf("a")})
	s.do("resync")
	require.Equal(t, 1, s.github.CountRequests(versions))
}

// TestWhatWasWishedByLabelIsAskedForOnceTheFreightIsComplete adds a label before the merge, and one before the image.
func TestWhatWasWishedByLabelIsAskedForOnceTheFreightIsComplete(t *testing.T) {
	t.Parallel()
	s := newSite(t, imaged+"  qa: {from: api, set: {qa.yaml: {tag: \"${api.tag}\"}}, merge: manual}\n")
	_, err := s.github.PushFiles(home, "main", "admin", "by hand",
		map[string]*string{".github/waybill.policy.yml": githubsim.Text("version: 1\n")})
	require.NoError(t, err)
	s.do("comment #1 by ann: soon", "label #1 promote/dev by ann", "merge #1 by ann", "label #1 promote/qa by ann")
	require.Empty(t, s.states("dev", "qa"))
	require.Len(t, s.told(1), 1, "nothing is refused")
	s.pushImage(githubsim.ImageSpec{Tags: []string{s.source(1)}, Digest: digestOf("a")})
	require.Equal(t, []string{"p1 api#1 dev verifying", "p2 api#1 qa waiting-for-merge"}, s.states("dev", "qa"))
}

// TestFreightThatWasThereBeforeItsWarehouseAwaitedImagesIsWhereItIs makes the warehouse await images later.
func TestFreightThatWasThereBeforeItsWarehouseAwaitedImagesIsWhereItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev", "merge #2 by ann")
	require.NoError(t, s.github.PushImage(home, "ann",
		githubsim.ImageSpec{Name: "team/api", Tags: []string{s.source(2)}, Digest: digestOf("a")}))
	_, err := s.github.PushFiles(home, "main", "ann", "await images", map[string]*string{
		".github/waybill.yml": githubsim.Text(imaged), "dev.yaml": githubsim.Text("tag: none\ndigest: none\n"),
	})
	require.NoError(t, err)
	s.quiet()
	s.do("check smoke success on dev", "resync")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev succeeded"}, s.states("dev"))
	s.do("comment #2 by ann: /promote dev api#2")
	require.Equal(t, "p3 api#2 dev verifying", s.states("dev")[2], "a resync has found its image")
}
