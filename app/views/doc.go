// Package views writes down how everything on GitHub should look that shows where freight stands: check runs, comments,
// labels, deployments, and the answers to jobs that wait before an environment. It asks GitHub for nothing and changes
// nothing there; package show/ongithub brings the views to GitHub. It runs within the transaction of a decision that
// changes nothing any more ([WantStage]), or of what was learned.
//
// What we made and somebody removed is made again as long as the promotion lasts that it shows (semantics 5.9): a
// comment and a label at once, because GitHub tells of that, and what it does not tell of at the next resync (lost.go).
// A pull request that somebody closed is another matter: that is a decision.
package views
