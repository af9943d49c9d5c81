// Package views writes down the wanted look of everything on GitHub that shows the state of freight: check runs,
// comments, labels, deployments, and the answers to jobs that wait before an environment. It sends GitHub no requests;
// package show/ongithub brings the views to GitHub. It runs within the transaction of a decision without changes
// ([WantStage]), or of newly learned facts.
//
// A comment or label of ours that a person has removed is made again as long as it shows an active promotion
// (semantics 5.9): at once, because GitHub reports its removal. Views whose removal GitHub does not report are made
// again at the next resync (lost.go). A pull request that a person has closed stays closed: that is a decision.
package views
