// Package rules answers what the rules of a branch on GitHub mean for the promotions of a stage: whether they can be
// merged or committed there, what they wait for, and by which method they are merged. Its functions are pure. They
// explain and choose; whether GitHub really lets a promotion be merged is learnt when it is merged.
//
// # A stage with pull requests
//
// Waybill opens the pull request and merges it, so a promotion needs what the rules demand of a merge ([Demands]):
//
//   - Required checks must pass. One that no promotion ever gets stops it: `waybill / config`, the check of a stage
//     without `guard: true`, and a check of Waybill's that another App would have to report.
//   - Required approvals are reviews by people. Waybill's sign-offs are none, and an App cannot review its own pull
//     request: people review each promotion, or the App bypasses the rule and the policy asks for sign-offs.
//   - A restricted branch (`update`) lets nobody merge who may not bypass the rule.
//   - A merge queue is used, with its own method.
//   - Signatures are no obstacle where GitHub signs the commits that Waybill has it make, and squashes. An Enterprise
//     Server signs none before an administrator has set up web commit signing: then they stop a promotion. A rebase
//     would not be signed. A linear history has no merge commits.
//
// # A stage that commits directly
//
// A commit on the branch itself meets no demand that belongs to pull requests. So required pull requests, checks,
// deployments and workflows, a merge queue and a restricted branch each stop it, unless the App may always bypass them.
// A commit that replaces the whole branch has two parents, which a linear history does not have.
//
// # The method
//
// Of the methods that the repository's settings allow, [Methods] leaves those that the rules allow. [Method] takes the
// one that the pipeline file says, else the best of those that are left: squash, merge, rebase; for a stage that
// replaces a whole branch a merge commit, so that the branch descends from the freight.
//
// # What is not known
//
// GitHub lists rules whether or not the App may bypass them, and says separately of each ruleset whether it may. Of
// classic protection it does not say. A demand that is not certain says so.
package rules
