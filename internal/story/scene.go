package story

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"waybill/config"
	"waybill/internal/change"
	"waybill/promotion"
)

// Home is the home repository of every story.
const Home promotion.Repo = "acme/deploy"

// Branch is the default branch of Home.
const Branch = "main"

// Start returns the time at which every story begins, a Monday morning.
func Start() time.Time { return time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC) }

// everythingAutomatic is the policy of a story without a policy file.
const everythingAutomatic = "version: 1\nautomatic: [\"*\"]\n"

// Scene is the pipeline of a story and the files behind it, at one time.
type Scene struct {
	Pipeline *promotion.Pipeline
	Files    map[string]string // of the home repository's default branch
}

// Scene returns the scene before the first step: the files of the archive, and each file that a stage changes and the
// archive lacks, with `none` at each path.
func (s Story) Scene() (Scene, error) {
	c := Scene{Files: map[string]string{config.PolicyPath: everythingAutomatic}}
	for _, f := range s.Files {
		if f.Name != fileName {
			c.Files[f.Name] = string(f.Data)
		}
	}
	if _, exists := c.Files[config.PipelinePath]; !exists && len(c.found().Parts) == 0 {
		return Scene{}, fmt.Errorf("%s: there is no file named %s in this archive", s.Name, config.PipelinePath)
	}
	c, err := c.compiled()
	if err != nil {
		return Scene{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	return c, nil
}

// ConfigPath returns the path of the configuration file that an archive's file replaces: the policy file if its name
// contains "policy", else the pipeline file.
func ConfigPath(name string) string {
	if strings.Contains(name, "policy") {
		return config.PolicyPath
	}
	return config.PipelinePath
}

// With returns the scene after a file has replaced the pipeline or the policy file. It fails if the result is not
// valid.
func (c Scene) With(name, contents string) (Scene, error) {
	c.Files = maps.Clone(c.Files)
	c.Files[ConfigPath(name)] = contents
	return c.compiled()
}

// Having returns the scene after files are written, or deleted where the contents are nil. Parts of the
// pipeline may be among them, and a glob may find other targets then. Having fails if the pipeline files are not valid
// with these files.
func (c Scene) Having(files map[string]*string) (Scene, error) {
	c.Files = maps.Clone(c.Files)
	defines := false
	for name, contents := range files {
		defines = defines || config.PartOf(name) != ""
		if contents == nil {
			delete(c.Files, name)
		} else {
			c.Files[name] = *contents
		}
	}
	if found := c.found(); !defines && len(found.Globs)+len(found.Inventories) == 0 {
		return c, nil
	}
	return c.compiled()
}

// compiled compiles the pipeline of the scene and adds the missing files that its stages change.
func (c Scene) compiled() (Scene, error) {
	pipeline, problems := config.Load(config.Sources{
		Home: Home, Branch: Branch,
		Pipeline: []byte(c.Files[config.PipelinePath]), Policy: []byte(c.Files[config.PolicyPath]), Found: c.found(),
	})
	if err := problems.Err(); err != nil {
		return Scene{}, err
	}
	c.Pipeline = pipeline
	for _, stage := range pipeline.Stages {
		for _, file := range stage.Changes() {
			if err := c.sketch(file); err != nil {
				return Scene{}, err
			}
		}
	}
	return c, nil
}

// found returns the parts of the pipeline in the scene, its inventories, and the matches of its globs.
func (c Scene) found() config.Found {
	var folders []string
	for file := range c.Files {
		for end := strings.LastIndex(file, "/"); end > 0; end = strings.LastIndex(file[:end], "/") {
			folders = append(folders, file[:end])
		}
	}
	slices.Sort(folders)
	pipeline := []byte(c.Files[config.PipelinePath])
	found := config.Found{Parts: map[string]string{}, Inventories: map[string]string{}}
	for path, content := range c.Files {
		if config.PartOf(path) != "" {
			found.Parts[path] = content
		}
	}
	for _, path := range config.Inventories(pipeline, found.Parts) {
		if content, exists := c.Files[path]; exists {
			found.Inventories[path] = content
		}
	}
	globs, files := config.Globs(&config.Meter{}, pipeline, found), slices.Collect(maps.Keys(c.Files))
	found.Globs, _ = config.Find(&config.Meter{}, globs, files, slices.Compact(folders))
	return found
}

// sketch adds a file that a stage changes, if it is missing. A file that several stages change gets the places of the
// first.
func (c Scene) sketch(file promotion.Change) error {
	if _, exists := c.Files[file.Path]; exists {
		return nil
	}
	contents, err := change.Sketch(file, "none")
	if err != nil {
		return err
	}
	c.Files[file.Path] = string(contents)
	return nil
}
