// Package gh is everything that Waybill asks of GitHub.
//
// A Hub speaks for the App, a Client for one repository of one installation, with a token that reaches nothing else.
// Every write has a name by which it is found again (a branch, a marker, an external id), so that a call whose answer
// was lost can be made once more and does nothing twice. Every error belongs to one of three classes (see ErrRefused),
// and none of them carries a token. Nothing here decides anything: GitHub's answers are handed on as facts and
// outcomes.
//
// # Handles
//
// A Client has a handle for each kind of thing at GitHub; their functions stand in files named after what they do.
// First what Git keeps, then what is about pull requests, what is about commits, and the rest:
//
//	Branches    where branches are, how they came there, and moving them from where they were left
//	Commits     what commits change and contain, who has made them, and making new ones
//	Files       what files say, and what folders contain
//	Tags        tags, with their commits
//	Releases    published releases, with their commits
//
//	Pulls       pull requests: Read, Open, Merge, Close, and who had a hand in them
//	MergeQueue  the pull requests that GitHub merges when it is their turn
//	Comments    texts on issues and pull requests, and reactions to them
//	Labels      labels of pull requests
//
//	Signals     what others report of commits, and on branches
//	Surfaces    what we show people: check runs, deployments and texts of pull requests
//	Workflows   the runs that promotions start, and the jobs that ask whether they may deploy
//
//	Rules       what GitHub demands of those who change branches
//	People      who somebody is, and what they may do
//
// Of the repository itself a Client is asked without a handle: ID, Public, Missing.
package gh
