package pipelines

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

func TestAStageIsLookedUpInItsChannelFirst(t *testing.T) {
	r := New(ServerPolicy{}, 0)
	for id, p := range map[promotion.Repo]map[promotion.StageName]string{
		"acme/deploy": {"dev": "#deploys", "prod": "#prod"},
		"mallory/x":   {"dev": "#x", "extra": "#x"},
	} {
		var stages []*promotion.Stage
		for name, channel := range p {
			stages = append(stages, &promotion.Stage{Name: name, Slack: channel})
		}
		r.Put(store.PipelineRow{ID: int64(len(id)), Repo: id}, &promotion.Pipeline{Home: id, Stages: stages})
	}
	require.Equal(t, promotion.Repo("acme/deploy"), r.HomeForSlack("C1", "#deploys", "dev"), "another has it, too")
	require.Equal(t, promotion.Repo("mallory/x"), r.HomeForSlack("C1", "#x", "dev"))
	require.Equal(t, promotion.Repo("acme/deploy"), r.HomeForSlack("C1", "#x", "prod"), "no other has it")
	require.Equal(t, promotion.Repo("mallory/x"), r.HomeForSlack("#x", "", "dev"), "by id")
	r.Put(store.PipelineRow{ID: 99, Repo: "acme/quiet"}, &promotion.Pipeline{Stages: []*promotion.Stage{
		{Name: "dev"}, {Name: "told", Slack: "#q"}}})
	require.Empty(t, r.HomeForSlack("C1", "#elsewhere", "dev"))
	require.Empty(t, r.HomeForSlack("C1", "#x", "none"))
}
