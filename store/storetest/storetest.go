// Package storetest is what every database behind package store has to pass. It uses the store as the program does:
// facts in, snapshots out, decisions applied, effects claimed.
package storetest

import (
	"testing"

	"waybill/store"
)

// Open opens an empty database for one test, and closes it when the test ends.
type Open func(t *testing.T, o store.Options) *store.Store

// Run runs the whole suite, each test on a database of its own.
func Run(t *testing.T, open Open) {
	for _, topic := range []struct {
		name  string
		tests []test
	}{
		{"transactions", transactions},
		{"inbox", inbox},
		{"pipelines", pipelines},
		{"freight", freight},
		{"images", images},
		{"signals", signals},
		{"pull requests", pullRequests},
		{"pushes", pushes},
		{"files", files},
		{"spread", spreads},
		{"readings", readings},
		{"readiness", readiness},
		{"attempts", attempts},
		{"rollouts", rollouts},
		{"requests", requests},
		{"snapshots", snapshots},
		{"decisions", decisions},
		{"effects", effects},
		{"claims", claims},
		{"landings", landings},
		{"views", views},
		{"fairness", fairness},
		{"resync", resync},
		{"sweep", sweep},
		{"links", links},
		{"candidates", candidates},
		{"upkeep", upkeep},
		{"orders", orders},
		{"trail", trail},
	} {
		t.Run(topic.name, func(t *testing.T) {
			for _, tc := range topic.tests {
				t.Run(tc.claim, func(t *testing.T) {
					t.Parallel()
					tc.prove(newWorld(t, open))
				})
			}
		})
	}
}

// test proves one claim.
type test struct {
	claim string
	prove func(w *world)
}
