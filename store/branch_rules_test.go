package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestBranchRules(t *testing.T) { prove(t, branchRules) }

var branchRules = []test{
	{"the rules of a branch are those that were read last", func(w *world) {
		main := promotion.Branch{Repo: "acme/deploy", Name: "main"}
		read := func(on promotion.Branch) promotion.BranchRules {
			r, err := w.store.BranchRules(w.Context(), on)
			w.NoError(err)
			return r
		}
		w.Equal(promotion.BranchRules{On: main}, read(main), "none yet")
		at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		first := promotion.BranchRules{On: main, Read: at, Unknown: "Not Found"}
		then := promotion.BranchRules{On: main, Read: at.Add(time.Hour), Settings: []string{"squash"},
			Rules: []promotion.BranchRule{{
				Kind: promotion.RuleChecks, From: "ruleset 7 of acme", Bypass: promotion.BypassNever,
				Checks: []promotion.RequiredCheck{{Name: "ci", App: 5}},
			}}}
		for _, r := range []promotion.BranchRules{first, then} {
			w.update(func(tx *store.Tx) error { return tx.Branches.SaveRules(r) })
			w.Equal(r, read(main))
		}
		other := promotion.Branch{Repo: "acme/deploy", Name: "live"}
		w.Equal(promotion.BranchRules{On: other}, read(other))
	}},
}
