package pipelines

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// registryOf returns a registry of pipelines by the channels that their stages wish for. The length of a home is the id
// of its installation.
func registryOf(all map[promotion.Repo]map[promotion.StageName]string) *Registry {
	r := New(ServerPolicy{}, 0)
	for home, wishes := range all {
		var stages []*promotion.Stage
		for name, channel := range wishes {
			stages = append(stages, &promotion.Stage{Name: name, Slack: channel})
		}
		id := int64(len(home))
		r.Put(store.PipelineRow{ID: id, Repo: home, Installation: id}, &promotion.Pipeline{Home: home, Stages: stages})
	}
	return r
}

func TestAStageIsLookedUpInItsChannelFirst(t *testing.T) {
	r := registryOf(map[promotion.Repo]map[promotion.StageName]string{
		"acme/deploy": {"dev": "#deploys", "prod": "#prod"},
		"mallory/x":   {"dev": "#x", "extra": "#x"},
	})
	at := func(channel, called string, stage promotion.StageName) promotion.Repo {
		return r.HomeForSlack(store.Channels{Sole: true}, channel, called, stage)
	}
	require.Equal(t, promotion.Repo("acme/deploy"), at("C1", "#deploys", "dev"), "another has it, too")
	require.Equal(t, promotion.Repo("mallory/x"), at("C1", "#x", "dev"))
	require.Equal(t, promotion.Repo("acme/deploy"), at("C1", "#x", "prod"), "no other has it")
	require.Equal(t, promotion.Repo("mallory/x"), at("#x", "", "dev"), "by id")
	r.Put(store.PipelineRow{ID: 99, Repo: "acme/quiet"}, &promotion.Pipeline{Stages: []*promotion.Stage{
		{Name: "dev"}, {Name: "told", Slack: "#q"}}})
	require.Empty(t, at("C1", "#elsewhere", "dev"))
	require.Empty(t, at("C1", "#x", "none"))
}

// TestAPipelineCountsInSlackWhereItsOwnerHasClaimedTheChannelT22 has another owner's pipeline wish for the same
// channel: it neither is told of there, nor makes commands ambiguous.
func TestAPipelineCountsInSlackWhereItsOwnerHasClaimedTheChannelT22(t *testing.T) {
	r := registryOf(map[promotion.Repo]map[promotion.StageName]string{
		"acme/deploy": {"dev": "#deploys"}, "mallory/x": {"dev": "#deploys", "own": "C2"},
	})
	acme, mallory := int64(len("acme/deploy")), int64(len("mallory/x"))
	claimed := store.Channels{Claimed: []store.Channel{{ID: "C1", Name: "#deploys", Installation: acme}}}
	require.Equal(t, "C1", claimed.Of(acme, "#deploys"))
	require.Equal(t, "C1", claimed.Of(acme, "C1"))
	require.Empty(t, claimed.Of(acme, "#other"))
	require.Empty(t, claimed.Of(acme, ""), "the name of a channel may be unknown")
	require.Empty(t, claimed.Of(mallory, "#deploys"))
	require.Empty(t, claimed.Of(mallory, "C1"))
	require.Len(t, r.ToldOf(claimed), 1)
	for _, called := range []string{"#deploys", "", "#elsewhere"} {
		require.Equal(t, promotion.Repo("acme/deploy"), r.HomeForSlack(claimed, "C1", called, "dev"))
	}
	require.Empty(t, r.HomeForSlack(store.Channels{}, "C1", "#deploys", "dev"), "nobody has claimed any")

	claimed.Claimed = append(claimed.Claimed, store.Channel{ID: "C2", Installation: mallory})
	require.Equal(t, promotion.Repo("mallory/x"), r.HomeForSlack(claimed, "C2", "", "own"))
	require.Equal(t, promotion.Repo("acme/deploy"), r.HomeForSlack(claimed, "C1", "", "dev"))
	require.Empty(t, claimed.Of(mallory, "#deploys"), "it has another one")
}
