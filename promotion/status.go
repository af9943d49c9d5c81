package promotion

import "time"

// Status says how things are in a stage.
type Status struct {
	At       time.Time // when it is so
	Stage    *Stage
	Branches []Branch // that hold the stage's files
	Hosts    []Host
	Open     []FreightStatus // the promotions that have not ended, in the order in which they were queued
	Coming   []FreightStatus // of each warehouse the newest freight that has had no promotion and may still get one
	Holds    []Hold          // that stop the stage, or a part of it
	Frozen   Reason          // why automation may not promote into it now; zero: it is not frozen
	Thaws    time.Time       // when the freeze ends; zero: it is not frozen, or for ever
	Unready  []UnreadyTarget // which new promotions leave out until they are ready
	Demands  []Demand        // of the rules of its branches, if they were asked for; first those that stop promotions
}

// UnreadyTarget is a target that does not show all that it must before it takes part in a rollout, as far as is known.
type UnreadyTarget struct {
	Name  TargetName
	Lacks Reason
}

// Host is freight that a stage hosts.
type Host struct {
	Freight    Freight // only its ID and name are known if it is no part of the snapshot
	Deployment Deployment
	Tally      Summary  // of a rollout: how its targets stand
	Partly     bool     // its promotion, which was good, has not come to all targets
	Unwritten  []string // the places at which the pipeline file has gained or lost a value since it came
	Withdrawn  string   // what it is taken back by, though it is here: "goes back to api#1 (promotion 5)"; "": nothing
}

// HostsOf returns the freight of a repository that the stage hosts: its commit may be a descendant of one of that
// repository.
func (s Status) HostsOf(repo Repo) (all []Host) {
	for _, h := range s.Hosts {
		if h.Freight.Repo == repo {
			all = append(all, h)
		}
	}
	return all
}
