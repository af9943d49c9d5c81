package promotion

import (
	"time"
)

// CommandVerb is what a person wants.
type CommandVerb string

// The commands. The words are those that people type; verbs.go says how.
const (
	CmdPromote  CommandVerb = "promote"
	CmdPlan     CommandVerb = "plan"
	CmdApprove  CommandVerb = "approve"
	CmdDeny     CommandVerb = "deny"
	CmdAdmit    CommandVerb = "admit"
	CmdRollback CommandVerb = "rollback"
	CmdHold     CommandVerb = "hold"
	CmdUnhold   CommandVerb = "unhold"
	CmdCancel   CommandVerb = "cancel"
	CmdRetry    CommandVerb = "retry"
	CmdVerify   CommandVerb = "verify"
	CmdPause    CommandVerb = "pause"
	CmdResume   CommandVerb = "resume"
	CmdSkip     CommandVerb = "skip"
	CmdVerdict  CommandVerb = "verdict"
	CmdStatus   CommandVerb = "status"
	CmdWhy      CommandVerb = "why"
	CmdHistory  CommandVerb = "history"
	CmdWhere    CommandVerb = "where"
	CmdRefresh  CommandVerb = "refresh"
	CmdHelp     CommandVerb = "help"
)

// Command is what a person typed, whichever surface they typed it on.
type Command struct {
	Verb   CommandVerb
	Stage  StageName  // empty with All
	Target TargetName // of the stage; empty: the whole stage
	All    bool       // hold and unhold: the whole pipeline
	// Freight is as typed: "api#142", "#142", a commit's first letters; empty: the default. Of a help it is the command
	// that is to be explained. What could not be understood stands here, too, so that it names no freight and the
	// command is refused.
	Freight string
	Pass    bool          // verdict: pass or fail
	Text    string        // the reason a person gave
	For     time.Duration // hold: until then; 0: until it is lifted
	// Trouble is what is wrong with the command whatever the stage is doing, for people; empty: nothing.
	Trouble string
	// Seen names what whoever pressed a button saw; the command counts only as long as the stage shows that. Empty:
	// typed.
	Seen string
}

// Request is a command that waits for its answer.
type Request struct {
	ID      int64
	Command Command
	By      Actor
	// Surface is where it came from and where the answer goes: "acme/api#142/9871" is comment 9871 on a pull request.
	Surface string
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

// Place returns the stage or target that a command names, as people write it.
func (c Command) Place() string {
	if c.Target == "" {
		return string(c.Stage)
	}
	return string(c.Stage) + "/" + string(c.Target)
}

// StandsOn reports whether the request was made on the pull request that the freight was.
func (r Request) StandsOn(f *Freight) bool {
	return r.Pull != 0 && f.Pull == r.Pull && f.Repo == r.PullRepo
}
