package promotion

// Partial is freight that a stage hosts with other values than the pipeline file has it write: some that were gained
// are missing, or some are there that were dropped.
type Partial struct {
	Freight string
	Places  []string
}

// Prospect is the effect that other pipeline files would have on one stage now.
type Prospect struct {
	Stage     StageName
	Available []string    // freight that the files would make available and that is not now, oldest first
	Cancelled []Promotion // that are open now
	Promoted  []string    // freight that would be promoted without being asked
	Partial   []Partial   // freight that the stage would host incompletely
	Starving  []string    // says of stages before it that freight leaves them before it has soaked
}
