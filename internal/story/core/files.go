package core

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"waybill/internal/change"
	"waybill/promotion"
)

// readingOf is the key of a reading: a stage and one of its branches.
type readingOf struct {
	stage promotion.StageName
	on    promotion.Branch
}

// filesFact returns a fact that reads the files of stages on a branch at the time it is applied. It reads the stages
// that paths belong to, or all stages if paths is empty.
func (g *github) filesFact(on promotion.Branch, paths ...string) fact {
	return func(m *memory) {
		for _, stage := range m.pipeline.Stages {
			there := m.pipeline.On(stage, on)
			if !slices.Contains(m.pipeline.BranchesOf(stage), on) ||
				len(paths) > 0 && !slices.ContainsFunc(paths, there.Reads) {
				continue
			}
			folder := func(path string) string { return folderOf(g.filesOf(on), path).Hash }
			m.readings[readingOf{stage.Name, on}] = promotion.Reading{
				On: on, Commit: g.head(on), Values: change.Values(there, g.reader(on), folder),
			}
		}
	}
}

// everyFile is the fact that reads the files of all stages.
func (g *github) everyFile(m *memory) {
	for _, on := range m.pipeline.Everywhere() {
		g.filesFact(on)(m)
	}
}

// reader returns a function that reads the files of a branch.
func (g *github) reader(on promotion.Branch) change.Read {
	return func(path string) (content []byte, trouble string) {
		contents, exists := g.filesOf(on)[path]
		if !exists {
			return nil, change.NotThere
		}
		return []byte(contents), ""
	}
}

// folderOf returns a folder of a commit. The SHA of each blob is the text of the file instead of a hash.
func folderOf(files map[string]string, path string) change.Folder {
	f := change.Folder{Files: map[string]change.Blob{}}
	sum := sha256.New()
	for _, name := range sortedKeys(files) {
		inside, is := strings.CutPrefix(name, path+"/")
		if path == promotion.Everything {
			inside, is = name, true
		}
		if is {
			f.Files[inside] = change.Blob{SHA: files[name], Mode: "100644"}
			fmt.Fprintf(sum, "%q %q\n", inside, files[name])
			f.Hash = hex.EncodeToString(sum.Sum(nil))
		}
	}
	return f
}

// outdate deletes the readings of a stage that are older than a commit deployed into it.
func (m *memory) outdate(stage promotion.StageName, commit promotion.SHA) {
	for at, r := range m.readings {
		if at.stage == stage && m.pushedTo(at.on, commit) && !m.follows(at.on, r.Commit, commit) {
			delete(m.readings, at)
		}
	}
}

// pushedTo reports whether a commit was pushed to a branch. It returns true for an unknown commit.
func (m *memory) pushedTo(on promotion.Branch, commit promotion.SHA) bool {
	i := slices.IndexFunc(m.pushes, func(p promotion.Push) bool { return p.After == commit })
	return i < 0 || m.pushes[i].On() == on
}

// follows reports whether a head of a branch is a commit or was pushed on top of it.
func (m *memory) follows(on promotion.Branch, head, commit promotion.SHA) bool {
	at := commit
	for _, p := range m.pushes {
		if at == head {
			return true
		}
		if p.On() == on && p.Before == at {
			at = p.After
		}
	}
	return at == head
}
