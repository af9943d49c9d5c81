package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

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
		Use:   "validate FILE...",
		Short: "Check pipeline and policy files",
		Long: "Checks pipeline files and policy files and prints what is wrong with them as file:line:col: message.\n" +
			"A policy file is checked together with the pipeline file in the same folder, if both are given.\n" +
			"A list that is in another file (`from`) is read below the folder that .github is in, or that the file is in.\n" +
			"With --expand it prints a pipeline file with the items of `for-each`, and such lists, written out.\n" +
			"Nobody is asked: where a glob finds the targets of a stage, its batches are not checked, and a warning says so.\n" +
			"Exits with 0 when all files are valid, warnings or not, 1 when one is invalid, 2 when one cannot be opened.",
		Example: "  waybill validate .github/waybill.yml .github/waybill.policy.yml\n" +
			"  waybill validate --schema > waybill.schema.json\n  waybill validate --schema=policy > waybill.policy.schema.json",
		RunE: func(cmd *cobra.Command, files []string) error {
			v.out, v.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if schema != "" {
				return printSchema(v.out, schema)
			}
			if expand {
				return v.expand(files)
			}
			if len(files) == 0 {
				return misused("validate needs the name of a file, or --schema")
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
	for _, name := range names {
		data, err := os.ReadFile(name)
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

func (v validation) load(pipeline, policy checked) config.Problems {
	return config.Check(config.Sources{
		Home:         promotion.Repo(v.home),
		Branch:       v.branch,
		PipelineName: pipeline.name,
		Pipeline:     pipeline.data,
		PolicyName:   policy.name,
		Policy:       policy.data,
		Found:        config.Found{Inventories: inventoriesOf(pipeline.name, pipeline.data)},
	})
}

// inventoriesOf reads the inventories that a pipeline file names, by their paths in its repository. One that cannot be
// read is left out, and a problem of the pipeline file. No link leads out of the repository, which may be a stranger's.
func inventoriesOf(name string, pipeline []byte) map[string]string {
	all := map[string]string{}
	paths := config.Inventories(pipeline)
	if len(paths) == 0 {
		return all
	}
	folder := filepath.Dir(name)
	if whole, err := filepath.Abs(folder); err == nil && filepath.Base(whole) == ".github" {
		folder = filepath.Dir(whole)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return all
	}
	defer root.Close()
	for _, path := range paths {
		if data, err := root.ReadFile(filepath.FromSlash(path)); err == nil {
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
