// Package intake handles the deliveries of the inbox. A delivery of GitHub is decoded to events; each learner
// (learners.go) takes the events of one type, asks GitHub for what they leave out, and returns how to record them.
// Commands come from the surface that the delivery comes from. All that a delivery tells is recorded in the transaction
// that ends it.
package intake
