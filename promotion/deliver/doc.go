// Package deliver holds the ways in which promotions are delivered: a pull request that is merged (pull.go), a commit
// on the branch itself (commit.go), a workflow that is started (workflow.go).
//
// Each is a [Way]: it says which effect it wants now, what GitHub's answers mean for the promotion, and why it waits.
// It looks at a [Case] and changes nothing. The gates say whether a promotion may go on; their answer is an argument.
// The caller writes the result down.
package deliver
