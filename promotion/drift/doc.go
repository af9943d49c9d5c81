// Package drift answers how the files of a stage differ from the values that were promoted into it, and which answer
// that still wants (semantics 6.4). Its functions are pure, and nothing that is passed in is changed.
//
// # Files that drift
//
// A deployment keeps the values that its promotion wrote, each with its place: a file and a key in it, or a folder that
// was copied. [Compare] holds against them the last reading of the files. Only written values count, as long as the
// pipeline file still sets them: people may change the rest of a file, and values of another warehouse belong to a
// deployment of its own.
//
// Compare guesses nothing. It does not know the answer while the files have not been read, while one of the places
// could not be read, and while a promotion [OnItsWay] writes there again; until it knows, a drift that was noted
// stands. Where a stage has files on several branches, the last note stands for one that has not been read. The commit
// that was read is noted with the drift, and so is the person who pushed it ([FoundIn]).
//
// # Answers
//
// A drift is answered once. With `drift: report` it is told. With `drift: repair` the freight that the stage hosts is
// promoted once more. With `drift: ignore` it is not even noted.
//
// A repair is automatic in everything. It comes behind requests of people, every hold stops it, and newer freight
// supersedes it. Where the stage may not promote by itself, or the freight is bad or not available any more, the drift
// is reported instead; package decide sees to that. The rest is answered here:
//
//   - A drift has one repair, in any outcome. One that newer freight superseded does not count ([Tried]).
//   - If the same change is made again after a repair, people decide ([RepairedBefore]).
//   - No repair is queued beside a promotion that writes the same, or newer freight ([Underway]).
//   - A repair that waits ends when the files agree again, or when the pipeline file wants none any more. If a person
//     has asked for the same meanwhile, it stays ([Needless]).
//
// [Reason] turns a drift into the reason that people read: where the files differ, both values, and who pushed the
// change.
package drift
