package store

// turns has pipelines take turns, in the order of their ids: those behind the one that was served last ($2) come first, and
// then the others from the beginning. So a noisy pipeline keeps no other waiting, however much it leaves to do.
var turns = []string{`p.id > $2`, `p.id <= $2`}
