package promotion

import (
	"time"
)

// CommandVerb is the action that a person asks for.
type CommandVerb string

// The commands. The words are those that people type; verbs.go says how.
const (
	CmdPromote  CommandVerb = "promote"
	CmdPlan     CommandVerb = "plan"
	CmdApprove  CommandVerb = "approve"
	CmdDeny     CommandVerb = "deny"
	CmdAdmit    CommandVerb = "admit"
	CmdReject   CommandVerb = "reject"
	CmdUnreject CommandVerb = "unreject"
	CmdFixes    CommandVerb = "fixes"
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

// Command is a command of a person, from any surface.
type Command struct {
	Verb  CommandVerb
	Stage StageName // empty with All
	// Stages is the pattern (`*-prod`) or group (`group:prod`) by which the command names several stages, as typed; empty:
	// it names one, or all. A question about them has no Stage; any other command is given to each of them, which is its
	// Stage then.
	Stages string
	Target TargetName // of the stage; empty: the whole stage
	All    bool       // hold and unhold: the whole pipeline
	Early  bool       // promote: once the freight is available, if it is not yet
	// Freight is as typed: "api#142", "#142", a commit's first letters; empty: the default. Of a help it is the command to
	// explain. Words that cannot be understood stand here, too, so that they name no freight and the command is refused.
	Freight string
	Pass    bool   // verdict: pass or fail
	Text    string // the reason a person gave
	// Rest has the words behind the place of a hold, as typed: a warehouse of the stage, a time, or a reason. Of an unhold
	// it is a warehouse.
	Rest string
	For  time.Duration // hold: until then; 0: until it is lifted
	// Trouble is the mistake in a command that is wrong in any state of the stage, for people; empty: none.
	Trouble string
	// Lapsed is the head of its pull request when a label was put on that promotes once it is merged, and that a later
	// push has ended: who put it on has not seen what was pushed. Empty: it counts.
	Lapsed SHA
	// Plan is the beginning of the commit, or of the hash of the contents, that a sign-off names; empty: it names none.
	Plan string
	// Withdraw says of an approve that the person takes back what they have signed off.
	Withdraw bool
	// Seen names the state that a button showed when it was pressed; the command counts only while the stage still shows
	// it. Empty: typed.
	Seen string
}

// Request is a command that waits for its answer.
type Request struct {
	ID      int64
	Command Command
	// Together is the first of the requests of a command that is given to several stages: they get one answer. 0: it is
	// given to one.
	Together int64
	By       Actor
	// Surface is where it came from and where the answer goes: "acme/api#142/9871" is comment 9871 on a pull request.
	Surface string
	// Pull is the pull request that the command stands on, if any: the command is about its freight.
	PullRepo Repo
	Pull     int
	// Unmerged says that the pull request was not merged when the command was given.
	Unmerged bool
	// Carries is the freight of the promotion whose pull request it is; empty if it is none.
	Carries FreightID
	At      time.Time // when it was given, by GitHub's clock, or when it arrived, by ours, if it was Heard
	// Heard says that the surface does not tell when the command was given.
	Heard bool
	// Late says that it was told of more than a day after it was given.
	Late bool
	// Permission and Teams are the person's on the home repository when the snapshot is taken.
	Permission Permission
	Teams      []string
	// Typed is the SHA-256 of the text that the person typed, for the audit trail; empty for a button.
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

// StandsOn reports whether the request was made on the pull request that the freight was, or on that of a promotion
// which carries it.
func (r Request) StandsOn(f *Freight) bool {
	return r.Pull != 0 && (f.Pull == r.Pull && f.Repo == r.PullRepo || r.Carries != "" && f.ID == r.Carries)
}
