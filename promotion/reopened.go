package promotion

// Reopened is the pull request of a promotion that has ended, and that a person has opened again.
type Reopened struct {
	Promotion Number
	Step      int
	State     State  // in which the promotion has ended
	Freight   string // its name
	Times     int64  // how often it was opened again
}
