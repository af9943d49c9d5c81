// Package gh is everything that Waybill asks of GitHub.
//
// A Hub speaks for the App, a Client for one repository of one installation, with a token that reaches nothing else.
// Every write has a name by which it is found again (a branch, a marker, an external id), so that a call whose answer
// was lost can be made once more and does nothing twice. Every error belongs to one of three classes (see ErrRefused),
// and none of them carries a token. Nothing here decides anything: GitHub's answers are handed on as facts and
// outcomes.
package gh
