// Package command has the commands that people type: their grammar, who may give them, and their meaning.
//
// # Grammar
//
// [Commands] is the table of all commands: what each does and takes, and in which ways it can be given (verbs.go).
// [ParseCommand] reads one as people type it, [ParseLine] reads one in a comment, where a verb alone is prose
// (parse.go). Going is strict, stopping is lenient: a command that goes and has words left over names no freight, while
// /hold with anything at all behind it holds. [Address] finds the stage that answers, and [Together] selects among
// commands that were given at one time (together.go). A pattern or a group names several stages (stages.go), and [Each]
// gives them the commands that may be about several (several.go).
//
// # Rights
//
// The first [promotion.Rule] that is about the verb and the stage decides, of the policy file or, where that does not
// list the verb, of the table; [DecidedBy] names it for the audit trail (rights.go). [Entitles] and [Explain] look at
// permission and teams only, before a request exists. [Forbids] looks at a request: it adds the part that a person
// plays in the active promotion, and the rules for the whole pipeline. [MayLift] and [MaySignOff] are about one hold
// and one promotion.
//
// [Refusal] has all reasons that refuse a request in any state of the stage: it makes no sense here, its button was
// shown for something else, or it is forbidden (refusal.go).
//
// # Meaning
//
// A request need not name its subject. [FreightMeant] returns the freight, [ToCancel] and [ToRetry] the promotion
// (meant.go), and [RollbackTo] the freight of a rollback (rollback.go). They look at a [promotion.Snapshot] and change
// nothing; package decide carries out the request.
package command
