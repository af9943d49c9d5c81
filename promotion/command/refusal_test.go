package command_test

import (
	"testing"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"

	"github.com/stretchr/testify/require"
)

func TestWhatIsRefusedWhateverTheStageIsDoing(t *testing.T) {
	one := func(s *promotion.Snapshot) { s.Stage.Targets = []promotion.Target{{Name: "eu-1"}} }
	passes := func(s *promotion.Snapshot) { s.Stage.Delivery = promotion.DeliveryNone }
	for _, c := range []struct {
		text, want string
		set        func(*promotion.Snapshot)
	}{
		{"/promote dev", "", nil},
		{"/promote", "malformed", nil},
		{"/promote qa", "unknown qa", nil},
		{"/promot dev", "malformed", nil},
		{"/approve dev looks good", "malformed", nil},
		{"/cancel dev looks bad", "", nil},
		{"/retry dev api#1", "", nil},
		{"/admit api#1 dev", "malformed", nil},
		{"/promote dev/eu-1", "unknown dev/eu-1", nil},
		{"/promote dev/eu-1", "", one},
		{"/promote dev/eu-2", "unknown dev/eu-2", one},
		{"/skip dev", "malformed", one},
		{"/cancel dev/eu-1", "malformed", one},
		{"/hold dev/eu-2", "", one},
		{"/promote dev", "no-change", passes},
		{"/hold dev", "", passes},
		{"/unhold dev", "", passes},
		{"/why dev", "", passes},
	} {
		s := fixture.InState(promotion.Succeeded)
		if c.set != nil {
			c.set(s)
		}
		r := asks(s, fixture.Ann, promotion.Write, c.text)
		require.Equal(t, c.want, command.Refusal(s, r).String(), c.text)
	}
}

func TestACommandThatLacksSomethingOrHasTooMuchSaysWhat(t *testing.T) {
	s := fixture.InState(promotion.Succeeded)
	rolls := fixture.InState(promotion.Succeeded)
	rolls.Stage.Targets = []promotion.Target{{Name: "eu-1"}, {Name: "eu-2"}}
	for text, want := range map[string]string{
		"/promote":                    "/promote needs a stage: dev, prod",
		"/admit api#1 dev":            `/admit needs a reason: --because "..."`,
		"/approve dev looks good":     "/approve does not take looks good",
		"/verify dev api#1":           "/verify does not take api#1",
		`/verdict dev --because x`:    "/verdict needs pass or fail behind the stage",
		`/verdict dev ok --because x`: "/verdict needs pass or fail behind the stage",
	} {
		require.Equal(t, want, command.Refusal(s, asks(s, fixture.Ann, promotion.Write, text)).Detail, text)
	}
	require.Equal(t, "/skip needs a target: eu-1, eu-2",
		command.Refusal(rolls, asks(rolls, fixture.Ann, promotion.Write, "/skip dev")).Detail)
}

func TestWhatMakesNoSenseIsRefusedBeforeWhatIsForbidden(t *testing.T) {
	s := fixture.InState(promotion.WaitingForMerge)
	r := asks(s, fixture.Ann, promotion.Read, "/cancel dev")
	require.Equal(t, "forbidden write", command.Refusal(s, r).String())
	r.Command.Seen = "1.h0"
	require.Equal(t, "plan-changed", command.Refusal(s, r).String())
	r.Command.Stage = "qa"
	require.Equal(t, "unknown qa", command.Refusal(s, r).String())
}
