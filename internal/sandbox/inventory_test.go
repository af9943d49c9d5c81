package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/store"
)

// inRings is a pipeline whose targets, and whose services, stand in files of their own.
const inRings = `version: 1
for-each: {service: {from: inventory/services.json}}
warehouses:
  "${service}": {pull-requests: {branch: main, paths: ["${service}/**"]}}
stages:
  "${service}-prod":
    from: "${service}"
    targets: {from: inventory/clusters.yaml}
    set: {"${target.path}/${service}.yaml": {tag: "${${service}.short}"}}
    rollout:
      - {name: canary, targets: {ring: canary}, at-once: 100%}
      - {name: rest, at-once: 50%}
    verify: ["${service} on ${target.name}"]
`

// clustersIn is an inventory of so many clusters, of which the first are canaries.
func clustersIn(n, canaries int) string {
	var b strings.Builder
	for i := range n {
		ring := "rest"
		if i < canaries {
			ring = "canary"
		}
		fmt.Fprintf(&b, "- {name: c%03d, path: clusters/c%03[1]d, ring: %s}\n", i, ring)
	}
	return b.String()
}

// listing is a site with such an inventory of clusters, and their files.
func listing(t *testing.T, n, canaries int) *site {
	var b strings.Builder
	fmt.Fprintf(&b, "%s-- inventory/services.json --\n[\"cart\"]\n-- inventory/clusters.yaml --\n%s", inRings,
		clustersIn(n, canaries))
	for i := range n + 1 {
		fmt.Fprintf(&b, "-- clusters/c%03d/cart.yaml --\ntag: none\n", i)
	}
	return newSite(t, b.String())
}

// TestThreeHundredClustersFromAnInventoryAreUpdatedInRings has a change go through all of them in three steps.
func TestThreeHundredClustersFromAnInventoryAreUpdatedInRings(t *testing.T) {
	t.Parallel()
	s := listing(t, 300, 4)
	s.change("cart/a")
	updated := 0
	for _, step := range []int{4, 148, 148} {
		require.Equal(t, []string{"p1 cart#100001 cart-prod verifying"}, s.states("cart-prod"))
		for range step {
			s.do(fmt.Sprintf("check 'cart on c%03d' success on cart-prod", updated))
			updated++
		}
	}
	require.Equal(t, []string{"p1 cart#100001 cart-prod succeeded"}, s.states("cart-prod"))
	require.NotEqual(t, "none", s.hosts("clusters/c299/cart.yaml"))
}

// TestAChangeOfAnInventoryIsReadLikeOneOfThePipelineFile pushes one, proposes one, and pushes one with a mistake.
func TestAChangeOfAnInventoryIsReadLikeOneOfThePipelineFile(t *testing.T) {
	t.Parallel()
	s := listing(t, 2, 1)
	s.change("cart/a")
	s.do("check 'cart on c000' success on cart-prod", "check 'cart on c001' success on cart-prod")
	require.Equal(t, []string{"p1 cart#100001 cart-prod succeeded"}, s.states("cart-prod"))

	number, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "More", Head: "more", Author: "ann",
		Files: map[string]*string{"inventory/clusters.yaml": githubsim.Text(clustersIn(3, 1))}})
	require.NoError(t, err)
	s.quiet()
	proposed, _ := s.github.Pull(home, number)
	check := s.configCheck(proposed.HeadSHA)
	require.Equal(t, "Good; of the stages, 0 would be new, 1 changed, 0 removed", check.Title, check.Summary)
	require.Contains(t, check.Summary, "c002")

	_, err = s.github.MergePull(home, number, "ann", "squash")
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, "p2 cart#100001 cart-prod verifying", s.states("cart-prod")[1], "the new cluster catches up")

	bad := clustersIn(3, 1) + "- {path: clusters/c003}\n"
	number, err = s.github.OpenPull(home, githubsim.PullSpec{Title: "Bad", Head: "bad", Author: "ann",
		Files: map[string]*string{"inventory/clusters.yaml": githubsim.Text(bad)}})
	require.NoError(t, err)
	s.quiet()
	proposed, _ = s.github.Pull(home, number)
	check = s.configCheck(proposed.HeadSHA)
	require.Equal(t, "failure", check.Conclusion)
	require.Contains(t, check.Summary, "`name` is missing")
	require.Contains(t, check.Summary, "from inventory/clusters.yaml, named at 8:14")
	require.Equal(t, "inventory/clusters.yaml", check.Annotations[0].Path)
	require.Equal(t, 4, check.Annotations[0].Start)

	trouble := func() (why string) {
		s.view(func(tx *store.Tx, pipeline int64) error {
			row, err := tx.Pipelines.ByID(pipeline)
			why = row.ConfigError
			return err
		})
		return why
	}
	s.push(map[string]*string{"inventory/clusters.yaml": nil})
	s.quiet()
	require.Contains(t, trouble(), `there is no file "inventory/clusters.yaml" in the repository`)
	require.NotEmpty(t, s.states("cart-prod"), "the last good one stays in force")
	s.push(map[string]*string{"inventory/clusters.yaml": githubsim.Text("- {")})
	s.quiet()
	require.Contains(t, trouble(), "inventory/clusters.yaml:1:4: not YAML")
	s.push(map[string]*string{"inventory/services.json": githubsim.Text(`["cart", "search"]`),
		"inventory/clusters.yaml": githubsim.Text(clustersIn(3, 1))})
	s.quiet()
	require.Empty(t, trouble())
	s.view(func(tx *store.Tx, pipeline int64) error {
		stages, err := tx.Stages.Of(pipeline)
		require.Len(t, stages, 2)
		return err
	})
}

// TestAnInventoryOfAStrangerIsAFileOfThePipelineT23: it is only checked until a person with write access asks, and not
// even that if it is long. What it lists counts once it is merged.
func TestAnInventoryOfAStrangerIsAFileOfThePipelineT23(t *testing.T) {
	t.Parallel()
	s := listing(t, 2, 1)
	s.do("grant eve read", "grant ann write")
	propose := func(name, clusters string) (int, githubsim.CheckRun) {
		n, head := s.propose("", githubsim.PullSpec{Head: name, Author: "eve", Fork: true,
			Files: map[string]*string{"inventory/clusters.yaml": githubsim.Text(clusters)}})
		return n, s.configCheck(head)
	}
	_, check := propose("long", clustersIn(2, 1)+"# "+strings.Repeat("long", config.ProposedBytes/4)+"\n")
	require.Equal(t, "neutral", check.Conclusion)
	require.Contains(t, check.Summary, "have more than 64 KiB together")
	_, check = propose("bad", "- {}\n")
	require.Equal(t, "failure", check.Conclusion)
	require.Equal(t, "inventory/clusters.yaml", check.Annotations[0].Path)
	_, check = propose("binary", "\x00")
	require.Equal(t, "failure", check.Conclusion)
	require.Contains(t, check.Summary, "the list in inventory/clusters.yaml cannot be read")
	number, check := propose("more", clustersIn(3, 3))
	require.Equal(t, "neutral", check.Conclusion)
	require.Contains(t, check.Summary, "A person with write access asks for it with *Re-run*")
	s.again("ann", func(login string) error { return s.github.Rerequest(home, check.ID, login) })
	pull, _ := s.github.Pull(home, number)
	require.Contains(t, s.configCheck(pull.HeadSHA).Summary, "c002")
	s.change("cart/a")
	require.Equal(t, "none", s.hosts("clusters/c001/cart.yaml"), "it is no canary on the default branch")
}

// TestFoundTargetsAreUpdatedInTheRingsOfAnInventory has the glob say which targets there are. A cluster gets to another
// ring when the inventory changes, and one of which that says nothing is in the last batch.
func TestFoundTargetsAreUpdatedInTheRingsOfAnInventory(t *testing.T) {
	t.Parallel()
	clusters := func(canary string) string {
		return fmt.Sprintf("- {name: %s, ring: canary}\n- {name: nowhere, ring: canary}\n", canary)
	}
	s := newSite(t, inClusters(strings.NewReplacer("targets: clusters/prod-*/values.yaml",
		"targets: {find: clusters/prod-*/values.yaml, labels: {from: clusters.yaml}}", "targets: [eu-1]",
		"targets: {ring: canary}").Replace(discovering)+"-- clusters.yaml --\n"+clusters("us-2"), "eu-1", "us-1", "us-2"))
	s.do("merge #1 by ann")
	require.Equal(t, []string{"none", "none", "1"}, s.tags("eu-1", "us-1", "us-2"), "us-2 is the canary")
	s.do("check e2e-us-2 success on prod")
	require.Equal(t, []string{"1", "1", "1"}, s.tags("eu-1", "us-1", "us-2"))
	s.do("check e2e-eu-1 success on prod", "check e2e-us-1 success on prod")
	require.Equal(t, []string{"p1 api#1 prod succeeded"}, s.states("prod"))

	s.push(map[string]*string{"clusters.yaml": githubsim.Text(clusters("eu-1"))})
	s.do("merge #2 by ann")
	require.Equal(t, []string{"2", "1", "1"}, s.tags("eu-1", "us-1", "us-2"), "the inventory has another canary now")
}

// tags returns the tags in the files of some clusters.
func (s *site) tags(clusters ...string) (tags []string) {
	for _, c := range clusters {
		tags = append(tags, s.hosts("clusters/prod-"+c+"/values.yaml"))
	}
	return tags
}

// TestAnInventoryThatNoWebhookToldOfIsReadBeforeAPlanIsMade changes it while webhooks are lost.
func TestAnInventoryThatNoWebhookToldOfIsReadBeforeAPlanIsMade(t *testing.T) {
	t.Parallel()
	s := listing(t, 2, 1)
	s.github.LoseWebhooks(true)
	s.push(map[string]*string{"inventory/clusters.yaml": githubsim.Text(clustersIn(3, 2))})
	s.github.LoseWebhooks(false)
	s.change("cart/a")
	s.do("wait 1m")
	s.view(func(tx *store.Tx, pipeline int64) error {
		row, err := tx.Pipelines.ByID(pipeline)
		require.Contains(t, string(row.Found), "c002")
		return err
	})
	s.do("check 'cart on c000' success on cart-prod")
	require.Equal(t, []string{"p1 cart#100001 cart-prod verifying"}, s.states("cart-prod"))
	require.NotEqual(t, "none", s.hosts("clusters/c001/cart.yaml"), "it is a canary by now")
	require.Equal(t, "none", s.hosts("clusters/c002/cart.yaml"))
}
