// Package play is the one interpreter of the notation of stories: it says what each happening does, in the terms of a
// [Ground], which is a world that a story can be played on. The core and the whole program are two such worlds.
package play
