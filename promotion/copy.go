package promotion

import (
	"strings"
)

// Copy is a folder of the stage that becomes equal to another one when freight is promoted into it: its files become
// those of the other one, byte by byte, and files that the other one does not have are deleted.
type Copy struct {
	Files Branch // that holds the folder that is written; none: the stage's
	Path  string // the folder that is written
	From  string // the folder that is copied
	// Warehouse has it copied as it is in the commit of this warehouse's freight.
	Warehouse WarehouseName
	// Stage has the folder copied as it was when the freight came into this stage, where it was verified. Later changes
	// there play no part, so that a rollback copies the contents of its freight.
	Stage StageName
}

// Concerns reports whether promoting a freight copies the folder. A copy for another warehouse stays as it is (Q15).
func (c Copy) Concerns(f Freight) bool { return c.Stage != "" || c.Warehouse == f.Warehouse }

// Everything is the folder that contains everything: copying it makes a branch equal to a commit.
const Everything = ""

// Whole reports whether a promotion into the stage makes everything on its branch equal to the freight's commit.
func (s *Stage) Whole() bool {
	return len(s.Targets) == 1 && len(s.Targets[0].Copies) == 1 && s.Targets[0].Copies[0].Path == Everything
}

// Inside reports whether a path is a folder, or lies in it.
func Inside(path, folder string) bool {
	if folder == Everything {
		return true
	}
	rest, found := strings.CutPrefix(path, folder)
	return found && (rest == "" || rest[0] == '/')
}

// CameWith returns the commit with which a freight came into a stage, given all deployments of the freight: the last
// one that was verified there, else the last one. It is empty if the freight has never been there.
func CameWith(deployments []Deployment, stage StageName) (commit SHA) {
	verified := false
	for i := range deployments {
		passed := deployments[i].Verdict == Passed
		if deployments[i].Stage == stage && (passed || !verified) {
			commit, verified = deployments[i].Commit, passed
		}
	}
	return commit
}
