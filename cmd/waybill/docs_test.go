package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"waybill/config"
	"waybill/promotion/command"
)

// passage is a piece of code in the documentation: a fenced block, or words in a sentence.
type passage struct {
	at       string // FILE:LINE
	language string // of a block, as behind its fence; "words" in a sentence
	text     string
}

// passages reads the README, CONTRIBUTING.md and every page of the documentation.
func passages(t *testing.T) (all []passage) {
	t.Helper()
	pages := []string{"../../README.md", "../../CONTRIBUTING.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/recipes/*.md"} {
		some, err := filepath.Glob(pattern)
		require.NoError(t, err)
		pages = append(pages, some...)
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		require.NoError(t, err)
		all = append(all, passagesOf(strings.TrimPrefix(page, "../../"), string(data))...)
	}
	return all
}

// inWords is code in a sentence.
var inWords = regexp.MustCompile("`([^`]+)`")

func passagesOf(page, text string) (all []passage) {
	var block *passage
	for i, line := range strings.Split(text, "\n") {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && block != nil:
			all = append(all, *block)
			block = nil
		case fence:
			block = &passage{at: fmt.Sprintf("%s:%d", page, i+2), language: language}
		case block != nil:
			block.text += line + "\n"
		default:
			for _, words := range inWords.FindAllStringSubmatch(line, -1) {
				all = append(all, passage{at: fmt.Sprintf("%s:%d", page, i+1), language: "words", text: words[1]})
			}
		}
	}
	return all
}

// TestTheProgramTakesEveryCommandLineOfTheDocumentation parses each: its command, flags and number of words.
func TestTheProgramTakesEveryCommandLineOfTheDocumentation(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, p := range passages(t) {
		if p.language != "" && p.language != "words" {
			continue
		}
		for _, line := range strings.Split(strings.ReplaceAll(p.text, "\\\n", " "), "\n") {
			words, ours := commandLine(line)
			if !ours {
				continue
			}
			tried++
			assert.NoError(t, takes(words), "%s: %s", p.at, line)
		}
	}
	require.Greater(t, tried, 100)
}

// before is what may stand before a command line: a prompt, settings, and another user.
var before = regexp.MustCompile(`^\s*(\$ )?((sudo|exec|[A-Z_]+=\S*) )*(\./)?`)

// commandLine returns the words of a command line behind the name of the program, without what a shell reads itself and
// the brackets around what may be left out, and with numbers for N and PORT. A sentence that begins with the name of
// the program is none.
func commandLine(line string) (words []string, ours bool) {
	line = before.ReplaceAllString(line, "")
	rest, ours := strings.CutPrefix(line, "waybill ")
	if !ours || strings.ContainsAny(rest, "…") {
		return nil, false
	}
	rest = strings.NewReplacer("[", "", "]", "", `bash\|zsh\|fish`, "bash", "--seed N", "--seed 1",
		"--after N", "--after 1", "PORT", "1").Replace(rest)
	for _, word := range regexp.MustCompile(`"[^"]*"|'[^']*'|[^ ]+`).FindAllString(rest, -1) {
		if strings.ContainsAny(word[:1], "#><|&;") {
			break
		}
		words = append(words, strings.Trim(word, `"'`))
	}
	return words, len(words) > 0 && !regexp.MustCompile(`[/:]`).MatchString(words[0])
}

// takes reports why the program does not take a command line.
func takes(words []string) error {
	root := commands(func(string) string { return "" })
	root.InitDefaultCompletionCmd(words...)
	c, left, err := root.Find(words)
	if err != nil {
		return err
	}
	if c == root && !strings.HasPrefix(words[0], "-") {
		return fmt.Errorf("there is no command %q", words[0])
	}
	c.InitDefaultHelpFlag()
	if err := c.ParseFlags(left); err != nil {
		return err
	}
	if args := c.Flags().Args(); len(args) > 0 {
		return c.ValidateArgs(args)
	}
	return nil
}

// TestPeopleCanTypeEveryCommandOfTheDocumentation parses what the pages say that people type in comments.
func TestPeopleCanTypeEveryCommandOfTheDocumentation(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, p := range passages(t) {
		verb, rest, _ := strings.Cut(strings.TrimPrefix(p.text, "/"), " ")
		if p.language != "words" || !strings.HasPrefix(p.text, "/") || command.Find(verb) == nil || rest == "" {
			continue
		}
		tried++
		c, is := command.ParseLine(p.text)
		assert.True(t, is, "%s: %s", p.at, p.text)
		assert.Empty(t, c.Trouble, "%s: %s", p.at, p.text)
	}
	require.Greater(t, tried, 50)
}

// TestEveryPipelineOfTheDocumentationIsOne loads the pages' pipeline and policy files. A page may show a part of one
// alone: then the rest of the smallest pipeline completes it. Other files are those of other programs.
func TestEveryPipelineOfTheDocumentationIsOne(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, p := range passages(t) {
		if p.language != "yaml" || strings.HasPrefix(p.text, "- ") { // steps of a workflow, or an inventory
			continue
		}
		var has map[string]any
		if !assert.NoError(t, yaml.Unmarshal([]byte(p.text), &has), "%s", p.at) {
			continue
		}
		hasAny := func(keys ...string) bool {
			return slices.ContainsFunc(keys, func(key string) bool { return has[key] != nil })
		}
		var problems config.Problems
		switch {
		case config.IsPolicy(p.at, []byte(p.text)):
			problems = config.CheckPolicy(p.at, []byte(p.text))
		case hasAny("stages", "warehouses", "allow", "timezone"):
			problems = loaded(p.at, completed(p.text, has))
		case hasAny("set", "kustomize", "helm", "json", "replace", "targets", "ready", "rollout"):
			problems = loaded(p.at, completed(staged(p.text, has), map[string]any{"stages": map[string]any{}}))
		case hasAny("freeze"):
			problems = config.CheckPolicy(p.at, []byte("version: 1\nstages:\n  dev:\n    "+p.text))
		case hasAny("on", "steps", "services", "resources", "replicas", "image", "apiVersion", "template.deployed"):
			continue // a workflow, Compose, Kustomize, values of a chart, Kubernetes, Argo CD
		default:
			assert.Fail(t, "neither of Waybill, nor known to be of another program", "%s", p.at)
			continue
		}
		tried++
		assert.NoError(t, problems.Err(), "%s", p.at)
	}
	require.Greater(t, tried, 30)
}

// loaded checks a pipeline file. Each inventory that it names has a target for every ring.
func loaded(at, text string) config.Problems {
	found := config.Found{Inventories: map[string]string{}}
	for _, path := range config.Inventories([]byte(text), nil) {
		for _, ring := range []string{"canary", "early", "late"} {
			found.Inventories[path] += fmt.Sprintf("- {name: %s, path: clusters/%[1]s, ring: %[1]s}\n", ring)
		}
	}
	return config.Check(config.Sources{
		Home: "acme/deploy", Branch: "main", PipelineName: at, Pipeline: []byte(text), Found: found,
	})
}

// staged makes a pipeline of a part of a stage.
func staged(text string, has map[string]any) string {
	text = unindented(text)
	if has["targets"] == nil && (has["ready"] != nil || has["rollout"] != nil) {
		text = "targets: [a, b]\n" + text
	}
	if strings.Contains(text, "targets:") && has["set"] == nil {
		text += "set: {\"${target.name}.yaml\": {tag: \"${api.short}\"}}\n"
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return "stages:\n  it:\n    from: api\n    " + strings.Join(lines, "\n    ") + "\n"
}

// unindented takes from each line the blanks that the first of them begins with.
func unindented(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return strings.ReplaceAll("\n"+text, "\n"+indent, "\n")[1:]
}

// completed adds to a part of a pipeline file what it lacks to be one: a warehouse, and the stages before its own.
func completed(text string, has map[string]any) string {
	if has["version"] != nil {
		return text
	}
	text = "version: 1\n" + text
	if has["warehouses"] == nil {
		text += "warehouses: {api: {pull-requests: {repo: acme/api}}}\n"
	}
	stages, _ := has["stages"].(map[string]any)
	if stages == nil {
		return text + "stages: {dev: {from: api, set: {dev.yaml: {tag: \"${api.commit}\"}}}}\n"
	}
	for _, name := range []string{"dev", "staging"} {
		if stages[name] == nil && strings.Contains(text, name) {
			text = strings.Replace(text, "stages:\n", fmt.Sprintf("stages:\n  %s: {from: api}\n", name), 1)
		}
	}
	return text
}

// TestEveryTargetOfMakeInTheDocumentationIsThere looks for what the pages call in the Makefile.
func TestEveryTargetOfMakeInTheDocumentationIsThere(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	call := regexp.MustCompile(`(?m)(?:^|\s)make ([a-z][a-z-]*)`)
	var called []string
	for _, p := range passages(t) {
		if p.language == "" || p.language == "words" {
			for _, m := range call.FindAllStringSubmatch(p.text, -1) {
				require.Regexp(t, `(?m)^`+m[1]+`:`, string(makefile), p.at)
				called = append(called, m[1])
			}
		}
	}
	require.Greater(t, len(slices.Compact(slices.Sorted(slices.Values(called)))), 5)
}
