// Package record records the decisions that package oracle compares. It has tests only, apart from those of package
// oracle because they play the whole program: whoever changes the core and compares its decisions need not build that.
package record
