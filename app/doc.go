// Package app runs Waybill: it takes deliveries from the inbox and makes facts of them, decides every stage that has
// something new to look at, carries out what was decided on GitHub, and shows where everything stands.
//
// The way through it is the way of a webhook: intake.go, decide.go, effects.go (plan.go, open.go, merge.go, observe.go,
// speak.go), checks.go. Nothing here decides what happens to freight; that is package promotion.
package app
