// Package intake handles the deliveries of the inbox. It decodes a delivery of GitHub to events; each learner
// (learners.go) takes the events of one type, asks GitHub for facts that they lack, and returns how to record them. The
// surface of the delivery identifies its commands. All facts and requests of a delivery are recorded in the transaction
// that ends it.
package intake
