package command_test

import (
	"slices"
	"testing"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"

	"github.com/stretchr/testify/require"
)

func TestAPullRequestIsNotMeantByTheNumberOfARelease(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Kind: promotion.FromReleases, Repo: "acme/api"}
	f, _ := w.Versioned(promotion.Tagged{Tag: "v1.0.0", SHA: "0123456789", At: fixture.Noon, Release: 7})
	s := &promotion.Snapshot{Freight: []promotion.Freight{f}}
	for name, want := range map[string]int{"#7": -1, "#0": -1, "api@v1.0.0": 0, "0123456": 0, "012345": -1} {
		r := promotion.Request{Command: promotion.Command{Freight: name}}
		i, _ := command.FreightMeant(s, r, func(int) bool { return true })
		require.Equal(t, want, i, name)
	}
	require.False(t, promotion.Request{Pull: 7, PullRepo: "acme/api"}.StandsOn(&f))
}

// among is dev with the freight api#1 to api#3, of which the newest is not available.
func among(t *testing.T) (*promotion.Snapshot, func(i int) bool) {
	s := fixture.InState(promotion.Succeeded)
	s.Freight = append(s.Freight, fixture.FreightNo(s.Pipeline, 2), fixture.FreightNo(s.Pipeline, 3))
	require.Equal(t, 2, command.NewestFreight(s))
	return s, func(i int) bool { return i < 2 }
}

func TestWhichFreightIsMeant(t *testing.T) {
	s, available := among(t)
	for _, c := range []struct {
		name string
		r    promotion.Request
		want string
	}{
		{"the newest available", promotion.Request{}, "api#2"},
		{"that of the pull request", promotion.Request{PullRepo: s.Freight[0].Repo, Pull: 1}, "api#1"},
		{"the one that is named", promotion.Request{PullRepo: s.Freight[0].Repo, Pull: 1,
			Command: promotion.Command{Freight: "api#3"}}, "api#3"},
		{"that of the promotion on whose pull request it stands", promotion.Request{PullRepo: "acme/deploy", Pull: 40,
			Carries: s.Freight[0].ID}, "api#1"},
		{"none of a pull request that is not merged", promotion.Request{PullRepo: s.Freight[0].Repo, Pull: 9,
			Unmerged: true}, "no-freight acme/deploy#9 unmerged"},
		{"none of a pull request that no warehouse takes", promotion.Request{PullRepo: "acme/docs", Pull: 1},
			"no-freight acme/docs#1"},
		{"none that nobody knows", promotion.Request{Command: promotion.Command{Freight: "api#9"}}, "unknown api#9"},
	} {
		i, why := command.FreightMeant(s, c.r, available)
		got := why.String()
		if i >= 0 {
			got = s.Freight[i].Name
		}
		require.Equal(t, c.want, got, c.name)
	}
	i, why := command.FreightMeant(s, promotion.Request{}, func(int) bool { return false })
	require.Equal(t, -1, i)
	require.Equal(t, "unknown freight", why.String())
	require.Equal(t, -1, command.NewestFreight(&promotion.Snapshot{}))
}

// queued is dev with promotions of api#1, api#2 and so on, numbered from 1.
func queued(classes []promotion.Class, states []promotion.State) *promotion.Snapshot {
	s := fixture.InState(promotion.Queued)
	s.Freight, s.Promotions, s.Attempts = nil, nil, nil
	for i, state := range states {
		f := fixture.FreightNo(s.Pipeline, i+1)
		s.Freight = append(s.Freight, f)
		s.Promotions = append(s.Promotions, promotion.Promotion{Number: promotion.Number(i + 1),
			Place: int64(i + 1), Stage: "dev", Freight: f.Ref(),
			Class: classes[i], State: state})
	}
	return s
}

// number returns the number of a promotion; 0 for nil.
func number(p *promotion.Promotion) promotion.Number {
	if p == nil {
		return 0
	}
	return p.Number
}

func TestWhichPromotionIsCancelled(t *testing.T) {
	const automatic, manual = promotion.Automatic, promotion.Manual
	on := func(pull int) promotion.Request { return promotion.Request{PullRepo: "acme/deploy", Pull: pull} }
	states := []promotion.State{promotion.Running, promotion.Queued, promotion.Queued}
	s := queued([]promotion.Class{automatic, automatic, manual}, states)
	means := func(r promotion.Request) promotion.Number {
		p, why := command.ToCancel(s, r)
		require.Zero(t, why)
		return number(p)
	}
	named := func(name string) promotion.Request {
		return promotion.Request{Command: promotion.Command{Freight: name}}
	}
	require.EqualValues(t, 1, means(promotion.Request{}), "the one that runs")
	require.EqualValues(t, 2, means(on(2)), "the one that it stands on")
	for _, name := range []string{"p3", "api#3", "#3"} {
		require.EqualValues(t, 3, means(named(name)), "the one that it names")
	}
	p, why := command.ToCancel(s, named("p4"))
	require.Nil(t, p)
	require.Equal(t, "unknown p4", why.String())
	s.Promotions[0].State = promotion.Verifying
	p, why = command.ToCancel(s, promotion.Request{})
	require.Nil(t, p)
	require.Equal(t, "which p2 api#2 p3 api#3", why.String(), "the one that runs is merged")
	require.EqualValues(t, 1, means(named("p1")), "which is refused")
	s = queued([]promotion.Class{automatic, automatic}, []promotion.State{promotion.Verifying, promotion.Queued})
	require.EqualValues(t, 2, means(promotion.Request{}), "the only one that waits")
	s = queued([]promotion.Class{automatic, automatic}, []promotion.State{promotion.Failed, promotion.Running})
	require.EqualValues(t, 2, means(on(1)), "the one that runs")
	s.Promotions[1].State = promotion.Succeeded
	require.Zero(t, means(promotion.Request{}))
}

func TestWhichPromotionIsRetried(t *testing.T) {
	states := []promotion.State{promotion.Failed, promotion.Declined, promotion.Cancelled, promotion.Succeeded}
	s := queued(slices.Repeat([]promotion.Class{promotion.Automatic}, len(states)), states)
	require.EqualValues(t, 2, number(command.ToRetry(s, promotion.Request{})), "the last that failed")
	require.EqualValues(t, 1, number(command.ToRetry(s, promotion.Request{PullRepo: "acme/deploy", Pull: 1})))
	named := func(name string) promotion.Request {
		return promotion.Request{Command: promotion.Command{Freight: name}}
	}
	require.EqualValues(t, 1, number(command.ToRetry(s, named("api#1"))))
	require.Zero(t, number(command.ToRetry(s, named("api#3"))), "what was cancelled has not failed")
}

func TestAPullRequestThatIsFreightOfSeveralWarehousesMeansTheOneThatTheStageTakes(t *testing.T) {
	s, available := among(t)
	worker := s.Freight[0]
	worker.ID, worker.Warehouse, worker.Name = "worker#1", "worker", "worker#1"
	s.Freight = append(s.Freight, worker)
	r := promotion.Request{PullRepo: worker.Repo, Pull: 1}
	i, why := command.FreightMeant(s, r, available)
	require.True(t, why.IsZero())
	require.Equal(t, "api#1", s.Freight[i].Name)

	s.Stage.From = append(s.Stage.From, promotion.Source{Warehouse: "worker"})
	i, why = command.FreightMeant(s, r, available)
	require.Equal(t, -1, i)
	require.Equal(t, "several api#1 worker#1", why.String())
}

func TestWhatIsSaidBelowAPullRequestIsAboutNoOtherPromotion(t *testing.T) {
	s, _ := among(t)
	p := &s.Promotions[0]
	for _, c := range []struct {
		r    promotion.Request
		want string
	}{
		{promotion.Request{}, ""},
		{promotion.Request{PullRepo: s.Freight[0].Repo, Pull: 1}, ""},
		{promotion.Request{PullRepo: s.Freight[0].Repo, Pull: 2}, "unknown open promotion of api#2"},
		{promotion.Request{PullRepo: s.Freight[0].Repo, Pull: 9, Unmerged: true}, "no-freight acme/deploy#9 unmerged"},
	} {
		require.Equal(t, c.want, command.Elsewhere(s, c.r, p).String())
	}
}
