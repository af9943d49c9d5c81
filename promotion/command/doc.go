// Package command has the commands that people type: their table, their grammar, and who may give them.
//
// [Commands] says of each command what it does and takes. [ParseCommand] reads one, [Address] finds the stage that
// answers it, and the rules of a [promotion.Policy] say who may give it.
package command
