package promotion_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func gate(need int, of ...promotion.StageName) *promotion.Gate {
	g := &promotion.Gate{Need: need}
	for _, name := range of {
		g.Of = append(g.Of, &promotion.Stage{Name: name})
	}
	return g
}

// TestAGateImpliesWhateverItsFewestStagesMean compares gates with the counts of all sets of stages.
func TestAGateImpliesWhateverItsFewestStagesMean(t *testing.T) {
	gates := []*promotion.Gate{
		nil, gate(0), gate(1, "a"), gate(1, "b"), gate(1, "a", "b"), gate(2, "a", "b"), gate(2, "a", "b", "c"),
		gate(3, "a", "b", "c"), gate(1, "b", "c", "d"), gate(3, "a", "b", "c", "d"),
	}
	passes := func(g *promotion.Gate, verified string) bool {
		if g == nil {
			return true
		}
		n := 0
		for _, up := range g.Of {
			if strings.Contains(verified, string(up.Name)) {
				n++
			}
		}
		return n >= g.Need
	}
	for _, g := range gates {
		for _, other := range gates {
			implied := true
			for set := range 16 {
				verified := ""
				for i, name := range "abcd" {
					if set>>i&1 == 1 {
						verified += string(name)
					}
				}
				implied = implied && (!passes(g, verified) || passes(other, verified))
			}
			require.Equal(t, implied, g.Implies(other), "%s, %s", g, other)
		}
	}
}

// TestEachLoweredGateIsNamed lowers one gate after the other, and raises it again, which lowers nothing.
func TestEachLoweredGateIsNamed(t *testing.T) {
	freeze := promotion.Freeze{Begins: "0 16 * * FRI UTC", Lasts: 64 * time.Hour}
	high := func() promotion.Gates {
		after := gate(2, "dev", "qa")
		after.Soak = 4 * time.Hour
		return promotion.Gates{
			From: []promotion.Source{{Warehouse: "api", After: after}, {Warehouse: "web"}},
			Targets: []promotion.Target{{Verify: []promotion.Matcher{
				{Kind: "check", Pattern: "smoke", Missing: promotion.LackFails, Skipped: promotion.LackHolds},
				{Kind: "check", Pattern: "late", Missing: promotion.LackPasses, Appear: time.Hour, Timeout: time.Hour},
			}}},
			Freezes: []promotion.Freeze{freeze}, Guard: true, Approvals: 2, Merge: promotion.MergeManual,
		}
	}
	for want, lower := range map[string]func(g *promotion.Gates){
		"after api: {all: [dev, qa]}, {any: [dev, qa]}": func(g *promotion.Gates) { g.From[0].After.Need = 1 },
		"soak api: 4h, 1h": func(g *promotion.Gates) { g.From[0].After.Soak = time.Hour },
		"after api: {all: [dev, qa]}, none; soak api: 4h, 0s": func(g *promotion.Gates) { g.From[0].After = nil },
		"verify : check smoke, none": func(g *promotion.Gates) {
			g.Targets[0].Verify = g.Targets[0].Verify[1:]
		},
		"verify : check smoke with missing: fail, skipped: hold, check smoke with missing: hold, skipped: hold": func(
			g *promotion.Gates,
		) {
			g.Targets[0].Verify[0].Missing = promotion.LackHolds
		},
		"verify : check late with missing: pass, skipped: , appear: 1h, " +
			"check late with missing: pass, skipped: , appear: 1s": func(g *promotion.Gates) {
			g.Targets[0].Verify[1].Appear = time.Second
		},
		"verify us: check smoke, none; verify us: check late, none": func(g *promotion.Gates) {
			g.Targets = []promotion.Target{{Name: "eu", Verify: g.Targets[0].Verify}, {Name: "us"}}
		},
		"freeze : 0 16 * * FRI UTC for 64h, rollbacks too, none": func(g *promotion.Gates) { g.Freezes = nil },
		"freeze : 0 16 * * FRI UTC for 64h, rollbacks too, 0 16 * * FRI UTC for 1h, rollbacks too": func(
			g *promotion.Gates,
		) {
			g.Freezes[0].Lasts = time.Hour
		},
		"freeze : 0 16 * * FRI UTC for 64h, rollbacks too, 0 16 * * FRI UTC for 64h": func(g *promotion.Gates) {
			g.Freezes[0].Rollbacks = true
		},
		"guard : true, false":  func(g *promotion.Gates) { g.Guard = false },
		"approvals : 2, 1":     func(g *promotion.Gates) { g.Approvals = 1 },
		"merge : manual, auto": func(g *promotion.Gates) { g.Merge = promotion.MergeAuto },
		"": func(g *promotion.Gates) {
			g.From, g.Approvals = g.From[1:], 3
			g.Freezes[0].Lasts += time.Hour
			g.Targets[0].Verify[0].Skipped = promotion.LackFails
		},
	} {
		low := high()
		lower(&low)
		var told []string
		for _, l := range high().Lowered(low) {
			told = append(told, fmt.Sprintf("%s %s%s: %s, %s", l.Gate, l.Warehouse, l.Target, l.Was, l.Is))
		}
		require.Equal(t, want, strings.Join(told, "; "))
		if want != "" && !strings.Contains(want, "verify us") {
			require.Empty(t, low.Lowered(high()), "what is raised is not lower: %s", want)
		}
	}
}
