package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"waybill/config"
	"waybill/promotion"
)

// The exit codes of validate.
const (
	fileInvalid  exitCode = 1
	fileUnopened exitCode = 2
)

func validateCommand() *cobra.Command {
	var v validation
	var schema string
	var expand bool
	cmd := &cobra.Command{
		Use:   "validate [FILE...]",
		Short: "Check pipeline and policy files",
		Long: "Checks pipeline files and policy files and prints what is wrong with them as file:line:col: message.\n" +
			"The files of a repository, .github/waybill.yml, .github/waybill.policy.yml and those in .github/waybill, are\n" +
			"checked together, whichever is named; without a name, or with that of a folder, those that are there.\n" +
			"Elsewhere a policy file is checked with the pipeline file in the same folder, if both are given.\n" +
			"A list that is in another file (`from`) is read below the folder that .github is in, or that the file is in.\n" +
			"With --expand it prints a pipeline file with the items of `for-each`, and such lists, written out.\n" +
			"Nobody is asked: where a glob finds the targets of a stage, its batches are not checked, and a warning says so.\n" +
			"Exits with 0 when all files are valid, warnings or not, 1 when one is invalid, 2 when one cannot be opened.",
		Example: "  waybill validate\n  waybill validate pipeline.yml policy.yml\n" +
			"  waybill validate --schema > waybill.schema.json\n  waybill validate --schema=policy > waybill.policy.schema.json",
		RunE: func(cmd *cobra.Command, files []string) error {
			v.out, v.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if schema != "" {
				return printSchema(v.out, schema)
			}
			if v.home != "" {
				if err := isRepo(v.home); err != nil {
					return err
				}
			}
			if expand {
				return v.expand(files)
			}
			if len(files) == 0 {
				files = []string{"."}
			}
			return v.checkAll(files)
		},
	}
	cmd.ValidArgsFunction = yamlFiles
	cmd.Flags().StringVar(&schema, "schema", "",
		"print the JSON Schema of a file of this `KIND`: the pipeline file, or with --schema=policy of the policy file")
	cmd.Flags().Lookup("schema").NoOptDefVal = "pipeline"
	cmd.Flags().StringVar(&v.home, "repo", "",
		"the `OWNER/NAME` of the repository that the files are in, to know its warehouses from others'")
	cmd.Flags().StringVar(&v.branch, "branch", "", "the repository's default `BRANCH`")
	cmd.Flags().BoolVar(&expand, "expand", false, "print one pipeline file with its `for-each` written out")
	cmd.Flags().BoolVar(&v.json, "json", false, "print one JSON object for each problem")
	return cmd
}

// expand prints a pipeline file with the entries of all items written out. Other mistakes in it are not told.
func (v validation) expand(files []string) error {
	if len(files) != 1 {
		return misused("validate --expand needs the name of one pipeline file")
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		fmt.Fprintln(v.errs, "waybill:", err)
		return fileUnopened
	}
	text, problems := config.Expand(files[0], data, inventoriesOf(files[0], data))
	if worst := v.print(problems); worst != 0 {
		return worst
	}
	_, err = v.out.Write(text)
	return err
}

func printSchema(out io.Writer, of string) error {
	schemas := map[string]func() ([]byte, error){"pipeline": config.PipelineSchema, "policy": config.PolicySchema}
	schema, ok := schemas[of]
	if !ok {
		return misused("--schema is pipeline or policy, not %q", of)
	}
	text, err := schema()
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

// validation is one run of the validate command.
type validation struct {
	home, branch string
	json         bool
	out, errs    io.Writer
}

// checked is a file that could be opened.
type checked struct {
	name string
	data []byte
}

// checkAll checks every file, even after failures, and returns the worst result.
func (v validation) checkAll(names []string) error {
	var worst exitCode
	var pipelines []checked
	policies := make(map[string]checked) // by folder, until their pipeline takes them
	names, err := wholes(names)
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if found := beside(name); errors.Is(err, fs.ErrNotExist) && len(found.Parts)+len(found.Overlooked) > 0 {
			err = nil
		}
		folder := filepath.Dir(name)
		_, paired := policies[folder]
		switch {
		case err != nil:
			fmt.Fprintln(v.errs, "waybill:", err)
			worst = max(worst, fileUnopened)
		case !config.IsPolicy(name, data):
			pipelines = append(pipelines, checked{name, data})
		case !paired:
			policies[folder] = checked{name, data}
		default:
			worst = max(worst, v.print(config.CheckPolicy(name, data)))
		}
	}
	for _, p := range pipelines {
		policy := policies[filepath.Dir(p.name)]
		delete(policies, filepath.Dir(p.name))
		worst = max(worst, v.print(v.load(p, policy)))
	}
	for _, name := range names {
		if p := policies[filepath.Dir(name)]; p.name == name {
			worst = max(worst, v.print(config.CheckPolicy(p.name, p.data)))
		}
	}
	if worst != 0 {
		return worst
	}
	return nil
}

// wholes returns the names of files with all files of a repository in place of one of them, which means something with
// the others only, and in place of a folder.
func wholes(names []string) ([]string, error) {
	var all []string
	add := func(name string) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, name := range names {
		info, err := os.Stat(name)
		folder := err == nil && info.IsDir()
		in := name
		if folder {
			in = filepath.Join(name, "any")
		}
		root, github := rootOf(in)
		pipeline := filepath.Join(root, filepath.FromSlash(config.PipelinePath))
		policy := filepath.Join(root, filepath.FromSlash(config.PolicyPath))
		found := beside(pipeline)
		piped := isThere(pipeline) || len(found.Parts)+len(found.Overlooked) > 0
		path := within(root, name)
		switch {
		case folder && !piped && !isThere(policy):
			return nil, misused("there is no %s in %s: name a file, or write one with `waybill init`; --schema prints what it "+
				"may say", config.PipelinePath, root)
		case !folder && !(github && (path == config.PolicyPath || path == config.PipelinePath || isBeside(path))):
			add(name)
			continue
		case piped || isBeside(path) || path == config.PipelinePath:
			add(pipeline)
		}
		if isThere(policy) || path == config.PolicyPath {
			add(policy)
		}
	}
	return all, nil
}

// isBeside reports whether a file of a repository is a part, or lies among them.
func isBeside(path string) bool { return config.PartOf(path) != "" || config.Overlooked(path) }

func isThere(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func (v validation) load(pipeline, policy checked) config.Problems {
	found := beside(pipeline.name)
	root, _ := rootOf(pipeline.name)
	found.Inventories = read(root, config.Inventories(pipeline.data, found.Parts))
	problems := config.Check(config.Sources{
		Home:         promotion.Repo(v.home),
		Branch:       v.branch,
		PipelineName: pipeline.name,
		Pipeline:     pipeline.data,
		PolicyName:   policy.name,
		Policy:       policy.data,
		Found:        found,
	})
	for i, p := range problems {
		if found.Parts[p.File] != "" || found.Inventories[p.File] != "" || slices.Contains(found.Overlooked, p.File) {
			problems[i].File = filepath.Join(root, filepath.FromSlash(p.File))
		}
	}
	return problems
}

// rootOf returns the folder of the repository that a file is in. in says whether it lies below .github there, as far as
// the name tells; else the folder is that of the file.
func rootOf(name string) (root string, in bool) {
	folder := filepath.Dir(name)
	whole, err := filepath.Abs(folder)
	switch {
	case err != nil:
		return folder, false
	case filepath.Base(whole) == ".github":
		return filepath.Join(folder, ".."), true
	case strings.HasSuffix(filepath.ToSlash(whole), "/"+config.PartsPath):
		return filepath.Join(folder, "..", ".."), true
	}
	return folder, false
}

// within returns the path of a file in its repository.
func within(root, name string) string {
	folder, err := filepath.Abs(root)
	whole, other := filepath.Abs(name)
	if errors.Join(err, other) != nil {
		return ""
	}
	file, err := filepath.Rel(folder, whole)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(file)
}

// beside reads the parts that belong to a pipeline file, by their paths in its repository, and finds what is taken for
// some.
func beside(name string) (found config.Found) {
	root, in := rootOf(name)
	if !in || within(root, name) != config.PipelinePath {
		return found
	}
	for _, path := range slices.Sorted(maps.Keys(config.Misnamed)) {
		if isThere(filepath.Join(root, filepath.FromSlash(path))) {
			found.Overlooked = append(found.Overlooked, path)
		}
	}
	var paths []string
	entries, _ := os.ReadDir(filepath.Join(root, filepath.FromSlash(config.PartsPath))) // without it there are none
	for _, e := range entries {
		path := config.PartsPath + "/" + e.Name()
		if e.IsDir() {
			path += "/"
		}
		switch {
		case config.PartOf(path) != "":
			paths = append(paths, path)
		case config.Overlooked(path):
			found.Overlooked = append(found.Overlooked, path)
		}
	}
	found.Parts = read(root, paths)
	return found
}

// inventoriesOf reads the inventories that a pipeline file names, by their paths in its repository.
func inventoriesOf(name string, pipeline []byte) map[string]string {
	root, _ := rootOf(name)
	return read(root, config.Inventories(pipeline, nil))
}

// read reads files of a repository, by their paths there. One that cannot be read is left out. No link leads out of the
// repository, which may be a stranger's.
func read(root string, paths []string) map[string]string {
	all := map[string]string{}
	if len(paths) == 0 {
		return all
	}
	repository, err := os.OpenRoot(root)
	if err != nil {
		return all
	}
	defer repository.Close()
	for _, path := range paths {
		if data, err := repository.ReadFile(filepath.FromSlash(path)); err == nil {
			all[path] = string(data)
		}
	}
	return all
}

func (v validation) print(problems config.Problems) exitCode {
	for _, p := range problems {
		if v.json {
			_ = json.NewEncoder(v.out).Encode(p)
		} else {
			fmt.Fprintln(v.out, p)
		}
	}
	if len(problems.Errors()) > 0 {
		return fileInvalid
	}
	return 0
}
