package promotion

import "time"

// CommandVerb is what a person wants.
type CommandVerb string

// The commands that change something. The words are those that people type.
const (
	CmdPromote  CommandVerb = "promote"
	CmdRollback CommandVerb = "rollback"
	CmdHold     CommandVerb = "hold"
	CmdUnhold   CommandVerb = "unhold"
	CmdCancel   CommandVerb = "cancel"
	CmdRetry    CommandVerb = "retry"
	CmdVerify   CommandVerb = "verify"
	CmdVerdict  CommandVerb = "verdict"
	CmdApprove  CommandVerb = "approve"
	CmdDeny     CommandVerb = "deny"
	CmdAdmit    CommandVerb = "admit"
)

// stops reports whether the command only stops something: it never waits for another one.
func (v CommandVerb) stops() bool { return v == CmdHold || v == CmdCancel || v == CmdDeny }

// takesFreight reports whether the command is about one freight.
func (v CommandVerb) takesFreight() bool { return v == CmdPromote || v == CmdRollback || v == CmdAdmit }

// wantsReason reports whether whoever gives the command has to say why.
func (v CommandVerb) wantsReason() bool { return v == CmdAdmit || v == CmdVerdict }

// Command is what a person typed, whichever surface they typed it on.
type Command struct {
	Verb  CommandVerb
	Stage StageName // empty with All
	All   bool      // hold and unhold: the whole pipeline
	// Freight is as typed: "api#142", "#142", a commit's first letters; empty: the default. What could not be understood
	// stands here, too, so that it names no freight and the command is refused.
	Freight string
	Pass    bool          // verdict: pass or fail
	Text    string        // the reason a person gave
	For     time.Duration // hold: until then; 0: until it is lifted
}

// Request is a command that waits for its answer.
type Request struct {
	ID      int64
	Command Command
	By      Actor
	Surface string // where it came from and where the answer goes: "acme/api#142", "slack:C1/12.3"
	// Pull is the source pull request that the command stands on, if any: its freight is the default.
	PullRepo Repo
	Pull     int
	At       time.Time
	// Permission and Teams are what the person has when the snapshot is taken, on the home repository.
	Permission Permission
	Teams      []string
	// Typed is the SHA-256 of what the person typed, for the audit trail; empty where nothing was typed.
	Typed string
	// Observed is when GitHub was asked again on behalf of a verify; zero before.
	Observed time.Time
}
