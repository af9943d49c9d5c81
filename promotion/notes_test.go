package promotion

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNotesListAtMostSoMuchAndSayHowMuchMoreThereIs(t *testing.T) {
	api := &Warehouse{Name: "api", Repo: "acme/api"}
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	s := &Stage{Name: "prod"}
	from, to := NewFreight(api, 1, "c1", noon), NewFreight(api, 30, "c30", noon.Add(time.Hour))
	to.Title = strings.Repeat("é", 1000)
	c := Cargoes{From: &from, To: to, Count: 29}
	for range MostCargo {
		c.Newer, c.Beside = append(c.Newer, to), append(c.Beside, to)
	}
	values := func(text string) (all []Value) {
		for i := range 60 {
			all = append(all, Value{Path: "a.yaml", Key: strings.Repeat("k", i+1), Text: text})
		}
		return append(all, Value{Path: "same.yaml", Key: "k", Text: "same"}, Value{Path: "dir", Key: EveryFile, Text: text})
	}
	n := s.Annotate(c, values("old"), values("new"), nil, nil)
	require.Len(t, n.Cargo, 20)
	require.Equal(t, 9, n.Left)
	require.Len(t, n.Beside, 20)
	require.True(t, n.More)
	require.LessOrEqual(t, len(n.Cargo[0].Title), 200)
	require.Len(t, n.Edits, 50)
	require.Equal(t, 10, n.Hidden, "what stays, and the hash of a folder, is no edit")
	require.Equal(t, Edit{Place: "a.yaml k", Was: "old", Is: "new"}, n.Edits[0])
	require.False(t, n.Back)
	back := s.Annotate(Cargoes{From: &to, To: from}, nil, nil, nil, nil)
	require.True(t, back.Back)
	require.NotEqual(t, n.Hash(), back.Hash())
	require.Equal(t, n.Hash(), s.Annotate(c, values("old"), values("new"), nil, nil).Hash())
	require.Empty(t, (*Notes)(nil).Hash())
}

func TestNotesSayHowFreightHasFaredInTheStagesBefore(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	api := &Warehouse{Name: "api", Repo: "acme/api"}
	dev, qa := &Stage{Name: "dev", Delivery: DeliveryCommit}, &Stage{Name: "qa", Delivery: DeliveryPullRequest}
	gate := &Stage{Name: "gate", From: []Source{{Warehouse: "api", After: &Gate{Of: []*Stage{dev, qa}, Need: 1}}}}
	prod := &Stage{Name: "prod", From: []Source{
		{Warehouse: "api", After: &Gate{Of: []*Stage{gate, qa}, Need: 2, Soak: time.Hour}}, {Warehouse: "web"},
	}}
	deployments := []Deployment{
		{Stage: "dev", Verdict: Passed, Entered: noon, Judged: noon.Add(time.Minute)},
		{Stage: "prod", Verdict: Passed, Entered: noon},
		{Stage: "qa", Verdict: Bad, Entered: noon},
	}
	gate.Delivery = DeliveryNone
	n := prod.Annotate(Cargoes{To: NewFreight(api, 1, "c1", noon)}, nil, nil, deployments, nil)
	require.Equal(t, []Earned{
		{Stage: "dev", Verdict: Passed, Since: noon.Add(time.Minute)}, {Stage: "qa", Verdict: Bad, Soak: time.Hour},
	}, n.Earned)
	web := NewFreight(&Warehouse{Name: "web"}, 1, "c1", noon)
	require.Empty(t, prod.Annotate(Cargoes{To: web}, nil, nil, deployments, nil).Earned)
}
