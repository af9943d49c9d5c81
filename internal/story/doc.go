// Package story reads, plays and prints stories: txtar archives that tell what happens to a pipeline ("> merge #1 by
// ann") and, indented below each happening, everything that Waybill decides about it. The notation is described in
// docs/stories.md. A story is played in a World; the package core holds the one without a network, and the order, the
// numbering and the wording of what is printed are the same for all of them because they are decided here.
package story
