package promotion

// Prospect is what other pipeline files would do in one stage, as things are now.
type Prospect struct {
	Stage     StageName
	Available []string    // freight that the files would make available and that is not now, oldest first
	Cancelled []Promotion // that are open now
	Promoted  []string    // freight that would be promoted without being asked
}
