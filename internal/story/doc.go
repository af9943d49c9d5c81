// Package story reads, plays and prints stories. A story is a txtar archive that lists the happenings of a pipeline,
// such as "> merge #1 by ann", and, indented below each happening, everything that Waybill decides about it.
// docs/stories.md describes the notation. A story is played in a [World]; package core holds the world without a
// network. This package decides the order, the numbering and the wording of the output, so they are the same for all
// worlds.
package story
