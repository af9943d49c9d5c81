// Package promotion has the nouns of Waybill: freight and its sources, pipelines, stages and targets, promotions, the
// reports of GitHub, and decisions.
//
// Everything here is data and reads no clock. The known facts of a stage are a [Snapshot]; package decide reads it and
// returns a [Decision]: promotions that are new or have moved, effects to carry out, holds set and lifted, and the time
// of the next look. The packages below answer its questions and change nothing: verify turns signals into verdicts,
// gate says what may happen and from when, rollout which targets come next, drift how files differ from the promoted
// values, deliver what the way to deliver needs next, and command what people mean and whether they may. Package say
// puts all of it into words.
//
// # Freight and where it comes from
//
// A [Warehouse] makes one freight of each merged pull request that its branch, paths and labels accept (warehouse.go),
// of each push to its branch (pushed.go), of each release or tag whose version it takes (versions.go), or of each
// version that CI reports (reported.go; which runs of workflows may: reporters.go). A pull request of ours, or one that
// changes nothing but the stages' files, never is freight. Freight is ordered by the time at which GitHub says that it
// was merged or published, then by number, never by the time at which we heard of it (freight.go); pushes and reports
// have no such time, and are placed after all earlier freight. A name means one content for ever.
//
// Where the warehouse awaits images, freight is complete once they have been pushed for its commit, and available to no
// stage before (images.go).
//
// # Effects and reasons
//
// An [Effect] is something to be done on GitHub, as data, with a key that makes it happen once (effect.go). Everything
// that waits and everything that ended has a [Reason], a code with arguments (reason.go).
package promotion
