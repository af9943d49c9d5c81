package command_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"
)

// targetsHad is a snapshot of dev, whose targets t1 and t2 had these freights of api one after the other: api#4 is
// there, api#3 failed in t1, and api#2 in the stage.
func targetsHad(t *testing.T) *promotion.Snapshot {
	s := fixture.InState(promotion.Succeeded)
	s.Pipeline = fixture.Clusters(t, [2]int{2, 2})
	s.Stage = s.Pipeline.Stages[0]
	s.Freight, s.Deployments, s.Promotions = nil, nil, nil
	good, bad := promotion.Passed, promotion.Bad
	for i, v := range []struct{ stage, t1, t2 promotion.Verdict }{
		{good, good, good}, {bad, good, bad}, {bad, bad, good}, {good, good, good},
	} {
		f := fixture.FreightNo(s.Pipeline, i+1)
		s.Freight = append(s.Freight, f)
		at := fixture.Noon.Add(time.Duration(i) * time.Minute)
		s.Deployments = append(s.Deployments, promotion.Deployment{
			Promotion: promotion.Number(i + 1), Warehouse: f.Warehouse, Freight: f.ID, Entered: at, Verdict: v.stage,
			Left:    at.Add(time.Minute),
			Results: []promotion.TargetResult{{Target: "t1", Verdict: v.t1}, {Target: "t2", Verdict: v.t2}},
		})
	}
	s.Freight = append(s.Freight, fixture.FreightNo(s.Pipeline, 5))
	s.Deployments[3].Left = time.Time{}
	return s
}

func TestWhatIsBroughtBackToATarget(t *testing.T) { // semantics 5.14
	s := targetsHad(t)
	for name, want := range map[string]string{
		"": "api#1", "api#1": "api#1", "api#2": "unverified dev/t1", "api#3": "unverified dev/t1", "api#4": "already",
		"api#5": "unverified dev/t1", "api#6": "unknown api#6",
	} {
		r := promotion.Request{Command: promotion.Command{Stage: "dev", Target: "t1", Freight: name}}
		i, why := command.RollbackTo(s, r, 3)
		got := why.String()
		if i >= 0 {
			got = s.Freight[i].Name
		}
		require.Equal(t, want, got, name)
	}
	back := func(target promotion.TargetName, pull int) string {
		r := promotion.Request{Command: promotion.Command{Stage: "dev", Target: target}, Pull: pull}
		r.PullRepo = s.Freight[0].Repo
		i, why := command.RollbackTo(s, r, len(s.Deployments)-1)
		if i >= 0 {
			return s.Freight[i].Name
		}
		return why.String()
	}
	require.Equal(t, "api#1", back("t1", 4), "it is the freight that is there")
	require.Equal(t, "hosts api#4 api#2", back("t1", 2), "the target has other freight")
	for _, there := range []promotion.Verdict{promotion.Bad, promotion.Undecided} {
		s.Deployments[2].Verdict, s.Deployments[2].Results[0].Verdict = promotion.Pending, there
		require.Equal(t, "api#1", back("t1", 0), "api#3 has failed in the target alone")
	}
	s.Deployments[2].Verdict, s.Deployments[2].Results[0].Verdict = promotion.Bad, promotion.Bad
	s.Rejects = []promotion.Reject{{From: s.Freight[0].Mark()}}
	require.Equal(t, "unverified dev/t1", back("t1", 0))
	s.Rejects = nil
	s.Deployments = s.Deployments[3:]
	require.Equal(t, "unverified dev/t1", back("t1", 0), "nothing was there before")
	s.Deployments = nil
	require.Equal(t, "unverified dev/t1", back("t1", 0), "nothing is there")
}

func TestAStageGoesBackToWhereSomeOfItsTargetsHaveGone(t *testing.T) { // semantics 5.14
	s := targetsHad(t)
	s.Deployments[3].Left = fixture.Noon.Add(time.Hour)
	s.Deployments = append(s.Deployments, promotion.Deployment{Promotion: 5, Warehouse: "api", Freight: s.Freight[0].ID,
		Entered: fixture.Noon.Add(time.Hour), Incomplete: true})
	s.Promotions = []promotion.Promotion{{Number: 5, Class: promotion.Rollback, Freight: s.Freight[0].Ref(),
		Only: []promotion.TargetName{"t1"}, State: promotion.Succeeded}}
	to := func(name string) string {
		i, why := command.RollbackTo(s, promotion.Request{Command: promotion.Command{Freight: name}}, 4)
		if i >= 0 {
			return s.Freight[i].Name
		}
		return why.String()
	}
	require.Equal(t, "api#1", to(""))
	require.Equal(t, "api#1", to("api#1"))
	s.Deployments[4].Incomplete = false
	require.Equal(t, "already", to("api#1"), "they are all there")
	s.Deployments[4].Incomplete, s.Promotions[0].Only = true, nil
	require.Equal(t, "already", to("api#1"), "it was a rollback of the whole stage")
}

func TestWhatIsUndoneOfOneTargetIsOfThatTarget(t *testing.T) {
	p := &promotion.Promotion{Number: 4, Class: promotion.Rollback, Freight: promotion.FreightRef{Name: "api#1"},
		Only: []promotion.TargetName{"us"}}
	undo := func(verb promotion.CommandVerb, target promotion.TargetName) string {
		all := command.Undo(promotion.Command{Verb: verb, Stage: "prod", Target: target}, p)
		return command.Write(all[len(all)-1])
	}
	require.Equal(t, "/cancel prod p4", undo(promotion.CmdRollback, "us"))
	require.Equal(t, "/rollback prod/us to api#1", undo(promotion.CmdCancel, ""))
	require.Equal(t, "/rollback prod/us", undo(promotion.CmdPromote, "us"))
	p.Class = promotion.Manual
	require.Equal(t, "/promote prod/us api#1", undo(promotion.CmdDeny, ""))
}
