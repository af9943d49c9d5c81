// Package play is the only interpreter of the notation of stories. It carries out each happening on a [Ground], which
// each world implements. The core and the whole program are two such worlds.
package play
