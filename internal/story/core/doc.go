// Package core is the world of stories without a network: the decision core, a clock that only moves when a story
// waits, a store in memory and a GitHub of a few hundred lines that does each effect at once. What it decides comes
// from promotion.Decide alone; what it leaves out (HTTP, SQL, prose, views) is what the other world is for.
package core
