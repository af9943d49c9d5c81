package say

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
)

// TestAButtonNamesItsStageWhereThatFits looks at the buttons of failed freight. GitHub takes 20 characters.
func TestAButtonNamesItsStageWhereThatFits(t *testing.T) {
	for stage, labels := range map[promotion.StageName][]string{
		"prod":                   {"Roll back prod", "Retry prod", "Hold prod"},
		"production":             {"Roll back production", "Retry production", "Hold production"},
		"production-europe-west": {"Roll back", "Retry", "Hold"},
	} {
		at := promotion.FreightStatus{
			Place: promotion.PlaceEnded, Verdict: promotion.Bad, Hosted: true, BackTo: "api#1", Retries: true, Seen: "7.x",
			Promotion: &promotion.Promotion{Number: 7, Stage: stage, State: promotion.VerificationFailed},
		}
		var onCheck, inSlack []string
		for _, b := range Buttons(at) {
			onCheck = append(onCheck, b.Label)
			require.LessOrEqual(t, len(b.Label), 20)
		}
		for _, b := range CardOf(&promotion.Pipeline{}, at).Buttons {
			inSlack = append(inSlack, b.Words)
		}
		require.Equal(t, labels, onCheck)
		require.Equal(t, []string{"Roll back " + string(stage), "Hold " + string(stage)}, inSlack)
	}
}

// TestTheTableKnowsEveryButton: the buttons on check runs and in Slack are exactly those in the table.
func TestTheTableKnowsEveryButton(t *testing.T) {
	var reasons []promotion.Reason
	for _, code := range []promotion.Code{"", promotion.Unapproved, promotion.Held} {
		reasons = append(reasons, promotion.Reason{Code: code})
	}
	offered := map[command.Means][]promotion.CommandVerb{}
	for _, state := range promotion.States {
		for _, why := range reasons {
			offered[command.InSlack] = append(offered[command.InSlack], cardVerbs(promotion.FreightStatus{
				Place: promotion.PlaceEnded, Hosted: true, Retries: true, Reason: why,
				Promotion: &promotion.Promotion{State: state}})...)
			for _, place := range []promotion.Place{promotion.PlaceOpen, promotion.PlaceEnded} {
				for _, b := range Buttons(promotion.FreightStatus{Place: place, Reason: why, Retries: true,
					Promotion: &promotion.Promotion{State: state}}) {
					offered[command.OnCheck] = append(offered[command.OnCheck], b.Verb)
				}
			}
		}
	}
	for _, u := range command.Commands {
		for m, verbs := range offered {
			require.Equal(t, command.GivenBy(u.Verb, m), slices.Contains(verbs, u.Verb), "%s, %d", u.Verb, m)
		}
	}
}
