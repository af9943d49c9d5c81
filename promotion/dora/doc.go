// Package dora computes the numbers about delivery that the DORA research names, from records of the past: how often
// stages are deployed to, how long a change takes to get there and what it waits for, how many changes fail, and how
// long it takes until a stage is well again. Its functions are pure, and nothing that is passed in is changed.
//
// docs/numbers.md defines each number for people; the definitions in code are:
//
//   - a deployment: [promotion.Passage.BringsChange]; a failure: [line.failed]
//   - the lead time and the causes of waiting: lead.go
//   - the time to restore: line.go
//   - median and 90th percentile: [Spread]
package dora
