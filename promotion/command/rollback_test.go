package command_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"

	"github.com/stretchr/testify/require"
)

func TestWhatIsBroughtBack(t *testing.T) { // Q11, T33
	s := fixture.InState(promotion.Succeeded)
	s.Freight, s.Deployments = nil, nil
	for i, v := range []promotion.Verdict{promotion.Passed, promotion.Bad, promotion.Passed, promotion.Passed} {
		f := fixture.FreightNo(s.Pipeline, i+1)
		s.Freight = append(s.Freight, f)
		at := fixture.Noon.Add(time.Duration(i) * time.Minute)
		s.Deployments = append(s.Deployments, promotion.Deployment{
			Warehouse: f.Warehouse, Freight: f.ID, Entered: at, Verdict: v, Left: at.Add(time.Minute),
		})
	}
	s.Deployments[2].Left, s.Deployments[3].Left = time.Time{}, s.Deployments[3].Entered // api#3 came back
	for name, want := range map[string]string{
		"": "api#1", "api#1": "api#1", "api#2": "unverified dev", "api#3": "already", "api#4": "api#4",
		"api#5": "unknown api#5",
	} {
		r := promotion.Request{Command: promotion.Command{Freight: name}}
		i, why := command.RollbackTo(s, r, 2)
		got := why.String()
		if i >= 0 {
			got = s.Freight[i].Name
		}
		require.Equal(t, want, got, name)
	}
	i, why := command.RollbackTo(s, promotion.Request{}, -1)
	require.Equal(t, -1, i)
	require.Equal(t, "unverified dev", why.String())
}

func TestARollbackBelowFreightThatIsGoneIsRefused(t *testing.T) {
	s := fixture.InState(promotion.Succeeded) // dev hosts api#1
	s.Freight = append(s.Freight, fixture.FreightNo(s.Pipeline, 2))
	s.Deployments[0].Verdict = promotion.Passed
	r := promotion.Request{PullRepo: s.Freight[1].Repo, Pull: 2}
	i, why := command.RollbackTo(s, r, 0)
	require.Equal(t, -1, i)
	require.Equal(t, "hosts api#1 api#2", why.String())

	_, why = command.RollbackTo(s, promotion.Request{}, 0)
	require.Equal(t, "unverified dev", why.String(), "away from pull requests it is about the stage")
	s.Deployments[0].Verdict = promotion.Bad
	_, why = command.RollbackTo(s, r, 0)
	require.Equal(t, "unverified dev", why.String(), "what is there is not good")
	s.Deployments[0].Verdict = promotion.Passed
	s.Promotions = append(s.Promotions,
		promotion.Promotion{Number: 2, Freight: s.Freight[1].Ref(), State: promotion.Queued})
	_, why = command.RollbackTo(s, r, 0)
	require.Equal(t, "unverified dev", why.String(), "it is on its way there")
}
