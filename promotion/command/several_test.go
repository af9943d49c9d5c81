package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
)

// fleet is a pipeline of two services with two stages each.
func fleet() *promotion.Pipeline {
	p := &promotion.Pipeline{}
	for _, service := range []string{"cart", "search"} {
		for _, place := range []string{"dev", "prod"} {
			p.Stages = append(p.Stages, promotion.OnePlace(&promotion.Stage{
				Name: promotion.StageName(service + "-" + place), Groups: []string{place, "Team-" + service},
				From: []promotion.Source{{Warehouse: promotion.WarehouseName(service)}},
			}, promotion.Target{}))
		}
	}
	return p
}

// given returns what a text stands for, as people would type it.
func given(p *promotion.Pipeline, text string, has promotion.Permission) (all []string) {
	c, _ := command.ParseCommand(text)
	for _, one := range command.Each(p, c, has, nil) {
		_, one = command.Address(p, one)
		said := string(one.Verb) + " " + one.Place()
		switch {
		case one.Trouble != "":
			said += "!"
		case one.All:
			said += "all"
		case one.Stage == "":
			said += one.Stages + "?"
		}
		all = append(all, said)
	}
	return all
}

func TestAPatternOrAGroupNamesSeveralStages(t *testing.T) {
	p := fleet()
	for text, want := range map[string]string{
		"hold *-prod":               "hold cart-prod; hold search-prod",
		"hold *-PROD for 2h":        "hold cart-prod; hold search-prod",
		"hold group:prod":           "hold cart-prod; hold search-prod",
		"hold GROUP:team-CART":      "hold cart-dev; hold cart-prod",
		"hold *r*/eu":               "hold cart-dev/eu; hold cart-prod/eu; hold search-dev/eu; hold search-prod/eu",
		"hold cart-p*":              "hold cart-prod",
		"hold *-prod cart":          "hold cart-prod",
		"hold *r* cart for 2h":      "hold cart-dev; hold cart-prod",
		"hold *-prod cart is slow":  "hold cart-prod; hold search-prod",
		"hold *-prd":                "hold all",
		"hold group:":               "hold all",
		"hold *":                    "hold all",
		"hold **":                   "hold all",
		"hold cart-dev!!!":          "hold cart-dev",
		"unhold *":                  "unhold all",
		"unhold *-prod search":      "unhold search-prod",
		"unhold *-prd":              "unhold *-prd",
		"cancel *-prod":             "cancel cart-prod; cancel search-prod",
		"cancel * p4":               "cancel cart-dev; cancel cart-prod; cancel search-dev; cancel search-prod",
		"status *-prod":             "status *-prod?",
		"status *":                  "status *?",
		"status search-* cart-dev":  "status search-*,cart-dev?",
		"status CART-DEV cart-dev":  "status cart-dev",
		"status cart-dev prd":       "status cart-dev,prd",
		"history cart-dev,group:x":  "history cart-dev,group:x",
		"hold search-*,cart-dev":    "hold cart-dev; hold search-dev; hold search-prod",
		"hold cart-dev, it burns":   "hold cart-dev",
		"hold cart-dev,nothing":     "hold all",
		"unhold cart-dev,nothing":   "unhold cart-dev,nothing",
		"cancel cart-dev,group:dev": "cancel cart-dev; cancel search-dev",
		"why *-dev,cart-prod #7":    "why *-dev,cart-prod?",
		"promote cart-dev,*-prod":   "promote cart-dev,*-prod!",
		"hold ,":                    "hold all",
		"why group:dev #7":          "why group:dev?",
		"history cart-p*":           "history cart-prod",
		"promote *-prod":            "promote *-prod!",
		"promote cart-p*":           "promote cart-p*!",
		"approve group:prod":        "approve group:prod!",
		"rollback * to cart#1":      "rollback *!",
		"pause *-prod":              "pause *-prod!",
		"deny *-prod no":            "deny *-prod!",
		"admit cart#1 *-prod":       "admit *-prod!",
		"promote *-prd":             "promote *-prd",
		"hold cart-dev *-prod":      "hold cart-dev",
		"hold --all":                "hold all",
		"status":                    "status ?",
		"verdict *-dev pass":        "verdict *-dev!",
		"skip *-prod/eu":            "skip *-prod/eu!",
		"hold group:prod search":    "hold search-prod",
		"plan *-prod":               "plan *-prod!",
		"resume g*":                 "resume g*",
		"retry group:team-cart":     "retry group:team-cart!",
		"verify *-dev":              "verify *-dev!",
		"hold \"*-prod\" for lunch": "hold cart-prod; hold search-prod",
	} {
		require.Equal(t, want, strings.Join(given(p, text, promotion.Write), "; "), text)
	}
}

func TestALetterThatOnlyLooksLikeOneOfANameMatchesNothingT8(t *testing.T) {
	p := fleet()
	p.Stages[0].Name, p.Stages[1].Name = "kelvin-dev", "kelvin-prod"
	require.Equal(t, []string{"hold kelvin-dev", "hold kelvin-prod"}, given(p, "hold K*", promotion.Write))
	require.Equal(t, []string{"hold all"}, given(p, "hold \u212a*", promotion.Write), "the sign of Kelvin is no k")
}

func TestAPatternLongerThanAnyNameNamesNoStageT9(t *testing.T) {
	p := fleet()
	require.Len(t, command.StagesNamed(p, strings.Repeat("*", 95)+"-prod"), 2)
	require.Empty(t, command.StagesNamed(p, strings.Repeat("*", 96)+"-prod"))
	require.Len(t, command.StagesNamed(p, strings.Repeat("cart-dev,", 20)), 1)
	require.Empty(t, command.StagesNamed(p, strings.Repeat("cart-dev,", 21)), "there are groups for that")
}

func TestWhoMayGiveACommandToNoneOfTheStagesGivesOneT12(t *testing.T) {
	p := fleet()
	require.Equal(t, []string{"hold cart-prod"}, given(p, "hold *-prod", promotion.Read))
	p.Policy.May = map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdHold: {{Stages: []string{"search-*"}, Permission: promotion.Read}, {Permission: promotion.Write}}}
	require.Len(t, given(p, "hold *-prod", promotion.Read), 2, "each of them says whether they may")
}

func TestAStageIsMeantBeforeAPatternThatOthersMatch(t *testing.T) {
	p := fleet()
	require.Len(t, command.Called(p, "cart-*"), 2)
	require.Len(t, command.Called(p, "cart-dev"), 1)
	require.Empty(t, command.Called(p, "CART-DEV"), "another pipeline may have one that is called so")
	require.Empty(t, command.Called(p, "*-prd"))
}

func TestWhatIsAboutOneStageSaysWhatToType(t *testing.T) {
	p := fleet()
	c, _ := command.ParseCommand("pause *-prod")
	one := command.Each(p, c, promotion.Write, nil)[0]
	require.Equal(t, "/pause is about one stage, and *-prod names 2: name one of cart-prod, search-prod; or stop all of "+
		"them with /hold *-prod", one.Trouble)
	s := &promotion.Snapshot{Pipeline: p, Stage: p.Stages[0]}
	for text, detail := range map[string]string{
		"cancel group:none": "the groups are dev, Team-cart, prod, Team-search",
		"cancel *-prd":      "the stages are cart-dev, cart-prod, search-dev, search-prod",
		"status g*":         "the stages are cart-dev, cart-prod, search-dev, search-prod",
		"status " + strings.Repeat("cart-dev,", 21): "a list has 20 names at most, and not 21: the pipeline file can put " +
			"stages into a group (`groups`)",
	} {
		c, _ := command.ParseCommand(text)
		why := command.Refusal(s, promotion.Request{Command: c, Permission: promotion.Write})
		require.Equal(t, promotion.Unknown, why.Code, text)
		require.Equal(t, detail, why.Detail, text)
	}
}

func TestACommandToSeveralStagesIsWrittenAsItWasTyped(t *testing.T) {
	p := fleet()
	for _, text := range []string{"/hold *-prod", "/hold *-prod/eu for 2h", "/cancel group:prod", "/status *-prod"} {
		c, _ := command.ParseCommand(text)
		for _, one := range command.Each(p, c, promotion.Write, nil) {
			require.Equal(t, text, command.Write(one))
		}
	}
}

func TestWaybillsOwnHoldsAreLiftedStageByStage(t *testing.T) {
	hold := &promotion.Hold{Stage: "cart-prod"}
	one := promotion.Request{Command: promotion.Command{Verb: promotion.CmdUnhold, Stage: "cart-prod"},
		Permission: promotion.Admin}
	require.True(t, command.MayLift(promotion.Policy{}, hold, one))
	one.Command.Stages = "*-prod"
	require.False(t, command.MayLift(promotion.Policy{}, hold, one))
	hold.By = promotion.Actor{ID: 5, Login: "ann"}
	require.True(t, command.MayLift(promotion.Policy{}, hold, one))
}

func TestOfAListTheNameIsToldThatNamesNoStage(t *testing.T) {
	p := fleet()
	s := &promotion.Snapshot{Pipeline: p, Stage: p.Stages[0]}
	for text, name := range map[string]string{
		"status cart-dev prd":     "prd",
		"cancel *-dev,group:none": "group:none",
		"history cart-dev,*x":     "*x",
		"status carts/eu":         "carts/eu",
	} {
		c, _ := command.ParseCommand(text)
		why := command.Refusal(s, promotion.Request{Command: c, Permission: promotion.Write})
		require.Equal(t, promotion.Unknown, why.Code, text)
		require.Equal(t, []string{name}, why.Args, text)
	}
}
