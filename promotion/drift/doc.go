// Package drift answers how the files of a stage differ from what was promoted into it, and which answer that still
// wants (semantics 6.4). Its functions are pure, and nothing that is passed in is changed.
//
// # Files that drift
//
// A deployment keeps the values that its promotion wrote, each with its place: a file and a key in it, or a folder that
// was copied. [Compare] holds against them the last reading of the files. Only what was written counts, as long as the
// pipeline file still sets it: what people change beside it is theirs, and what another warehouse brought belongs to a
// deployment of its own.
//
// Compare guesses nothing. It does not know the answer while nobody has read the files, while one of the places could
// not be read, and while a promotion [OnItsWay] writes there again; until it knows, a drift that was noted stands.
// Where a stage has files on several branches, one that nobody has read is as it was noted last. The commit that was
// read is noted with the drift, and so is the person who pushed it ([FoundIn]).
//
// # Answers
//
// A drift is answered once. With `drift: report` it is told. With `drift: repair` the freight that the stage hosts is
// promoted once more. With `drift: ignore` it is not even noted.
//
// A repair is automatic in everything. It comes behind what people ask for, every hold stops it, and newer freight
// supersedes it. Where the stage may not promote by itself, or the freight is bad or not available any more, the drift
// is told instead; package decide sees to that. The rest is answered here:
//
//   - A drift has one repair, whatever becomes of it. One that newer freight superseded does not count ([Tried]).
//   - What a repair has put back and somebody has changed to the same again is for people to settle ([RepairedBefore]).
//   - No repair is queued beside a promotion that writes the same, or newer freight ([Underway]).
//   - A repair that waits ends when the files agree again, or when the pipeline file wants none any more. If a person
//     has asked for the same meanwhile, it stays ([Needless]).
//
// [Reason] makes of a drift what people are told: where the files differ, what they say there and what was written, and
// who pushed it.
package drift
