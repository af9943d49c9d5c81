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

// filesFact reads the files of the stages that paths belong to, as they are when it is heard; without paths of all stages.
func (g *github) filesFact(paths ...string) fact {
	return func(m *memory) {
		for _, stage := range m.pipeline.Stages {
			if len(paths) > 0 && !slices.ContainsFunc(paths, stage.Touches) {
				continue
			}
			m.readings[stage.Name] = promotion.Reading{On: m.pipeline.At(), Commit: g.head(g.home, g.branch), Values: change.Values(stage, g.read, g.folder)}
		}
	}
}

// read returns a file of the stages' branch.
func (g *github) read(path string) (content []byte, trouble string) {
	contents, exists := g.files[path]
	if !exists {
		return nil, change.NotThere
	}
	return []byte(contents), ""
}

// folder returns the hash of a folder of the stages' branch.
func (g *github) folder(path string) string { return folderOf(g.files, path).Hash }

// folderOf returns a folder of a commit. Here a file is known by what it says, rather than by a hash of that.
func folderOf(files map[string]string, path string) change.Folder {
	f := change.Folder{Files: map[string]change.Blob{}}
	sum := sha256.New()
	for _, name := range sortedKeys(files) {
		if inside, is := strings.CutPrefix(name, path+"/"); is {
			f.Files[inside] = change.Blob{SHA: files[name], Mode: "100644"}
			fmt.Fprintf(sum, "%q %q\n", inside, files[name])
			f.Hash = hex.EncodeToString(sum.Sum(nil))
		}
	}
	return f
}

// outdate forgets what the files of a stage said before a commit brought something there.
func (m *memory) outdate(stage promotion.StageName, commit promotion.SHA) {
	r, known := m.readings[stage]
	if !known {
		return
	}
	head := commit
	for _, p := range m.pushes {
		if p.Before == head {
			head = p.After
		}
		if head == r.Commit {
			return
		}
	}
	if commit != r.Commit {
		delete(m.readings, stage)
	}
}
