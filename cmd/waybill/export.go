package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"waybill/store"
)

// trailBroken is the exit code of export when the audit trail is not the one that was written.
const trailBroken exitCode = 1

// serverChain is how people name the chain of lines about no pipeline.
const serverChain = "server"

func exportCommand(getenv func(string) string) *cobra.Command {
	var x export
	var settings string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print the audit trail as JSON lines, or check it",
		Long: "Prints the audit trail, one JSON object for each line: the server's chain first, then that of each\n" +
			"pipeline, oldest line first. The server may go on working. The last key of each line is hash, the SHA-256\n" +
			"of everything in the line before `,\"hash\":\"`; the key before it is prev, the hash of the line before in\n" +
			"the same chain. docs/audit.md shows how to check that without Waybill.\n\n" +
			"With --after FILE, only what an earlier export in the file does not have is printed: append it to that file,\n" +
			"which may be empty. Exits with 1 if the trail does not go on from the end of the file.\n\n" +
			"With --verify, nothing is printed but whether all chains hold; exits with 1 and the first bad line if one\n" +
			"does not.",
		Example: "  waybill export --after audit.jsonl >> audit.jsonl\n" +
			"  waybill export --pipeline acme/deploy --after 1200\n" +
			"  waybill export --verify --after audit.jsonl",
		Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if x.database, err = databaseOf(getenv, settings); err != nil {
				return err
			}
			x.out, x.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if x.verify {
				return x.check(cmd.Context())
			}
			return x.print(cmd.Context())
		},
	}
	configFlag(cmd, &settings)
	cmd.Flags().StringVar(&x.pipeline, "pipeline", "", "only the chain of this `owner/repo`, or of the server")
	cmd.Flags().StringVar(&x.after, "after", "",
		"begin behind what this `file` has; with --pipeline also behind the line with this number")
	cmd.Flags().BoolVar(&x.verify, "verify", false, "check the chains instead of printing them")
	cmd.Flags().BoolVar(&x.json, "json", false, "with --verify: print the result as JSON; the lines are JSON anyway")
	apart(cmd, "verify", "pipeline")
	return cmd
}

// export is one run of the export command.
type export struct {
	database, pipeline, after string
	verify, json              bool
	out, errs                 io.Writer
}

func (x export) print(ctx context.Context) error {
	from, err := x.cursor()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(x.out)
	err = store.Read(ctx, x.database, func(tx *store.Tx) error {
		chains, err := tx.Audit.Chains()
		if err != nil {
			return err
		}
		if chains, err = x.chosen(chains); err != nil {
			return err
		}
		for _, end := range from.known() {
			if err := tx.Audit.CheckEnd(end); err != nil {
				return err
			}
		}
		for _, c := range chains {
			if err := x.printChain(tx, out, c, from); err != nil {
				return err
			}
		}
		return nil
	})
	var bad *store.BadLine
	if errors.As(err, &bad) {
		return x.report(result{}, bad)
	}
	return errors.Join(err, out.Flush())
}

// printChain prints the lines of a chain that are behind the cursor. It says if retention was faster.
func (x export) printChain(tx *store.Tx, out io.Writer, c store.Chain, from cursor) error {
	after := cmp.Or(from.ends[c.Pipeline].Seq, from.line)
	if after > 0 && after < c.Mark.Seq {
		_, err := fmt.Fprintf(x.errs, "waybill: lines %d to %d of %s are not there: retention has removed them\n",
			after+1, c.Mark.Seq, c)
		if err != nil {
			return err
		}
	}
	return tx.Audit.EachLine(c, after, func(l store.Line) error {
		_, err := fmt.Fprintln(out, l)
		return err
	})
}

// chosen returns the chains that --pipeline names: without it, all.
func (x export) chosen(all []store.Chain) ([]store.Chain, error) {
	if x.pipeline == "" {
		return all, nil
	}
	for i, c := range all {
		name := string(c.Repo)
		if c.Pipeline == store.ServerChain {
			name = serverChain
		}
		if name == x.pipeline {
			return all[i : i+1], nil
		}
	}
	return nil, fmt.Errorf("export %s: nothing has been written about a pipeline with this home repository; "+
		"lines about no pipeline are in the chain %q", x.pipeline, serverChain)
}

// cursor reads --after.
func (x export) cursor() (from cursor, err error) {
	if from.line, err = strconv.ParseInt(x.after, 10, 64); err == nil {
		if x.pipeline == "" || x.verify {
			return from, errors.New("export: lines are numbered in each chain: " +
				"name one with --pipeline, or a file with --after")
		}
		return from, nil
	}
	return cursorOf(x.after)
}

// result is the result of checking a trail.
type result struct {
	OK     bool   `json:"ok"`
	Lines  int64  `json:"lines"`  // how many were checked
	Chains int    `json:"chains"` // in how many chains
	Last   int64  `json:"last"`   // the last line of the server's chain
	Hash   string `json:"hash"`
	Chain  *int64 `json:"chain,omitempty"` // the chain of the broken line: a pipeline, or 0, the server's chain
	Bad    int64  `json:"bad,omitempty"`   // the first such line
	Why    string `json:"why,omitempty"`
}

func (x export) check(ctx context.Context) error {
	from, err := x.cursor()
	if err != nil {
		return err
	}
	var r result
	err = store.Read(ctx, x.database, func(tx *store.Tx) error {
		chains, err := tx.Audit.Chains()
		if err != nil {
			return err
		}
		r.Chains = len(chains)
		if r.Lines, err = tx.Audit.CheckTrail(from.known()...); err != nil {
			return err
		}
		end, err := tx.Audit.Chain(store.ServerChain)
		r.Last, r.Hash = end.Seq, end.Hash
		return err
	})
	var bad *store.BadLine
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	if r.OK = bad == nil; bad != nil {
		r.Chain, r.Bad, r.Why = &bad.Chain.Pipeline, bad.Seq, bad.Why
	}
	return x.report(r, bad)
}

func (x export) report(r result, bad *store.BadLine) (err error) {
	switch {
	case x.json && x.verify:
		err = json.NewEncoder(x.out).Encode(r)
	case bad != nil:
		_, err = fmt.Fprintln(x.errs, "waybill:", bad)
	default:
		_, err = fmt.Fprintf(x.out, "%d lines in %d chains are as they were written; "+
			"the server's chain ends with line %d, with the hash %s\n", r.Lines, r.Chains, r.Last, r.Hash)
	}
	if err == nil && bad != nil {
		return trailBroken
	}
	return err
}
