package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"waybill/store"
)

// trailBroken is the exit code of export when the audit trail is not what was written.
const trailBroken exitCode = 1

func exportCommand(getenv func(string) string) *cobra.Command {
	var x export
	var settings string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print the audit trail as JSON lines, or check it",
		Long: "Prints the audit trail, one JSON object for each line, oldest first. The server may go on working.\n" +
			"The last key of each line is hash, the SHA-256 of everything in the line before `,\"hash\":\"`; the key before it is\n" +
			"prev, the hash of the line before. docs/audit.md shows how to check that without Waybill.\n\n" +
			"With --verify, nothing is printed but whether the chain holds; exits with 1 and the first bad line if it does not.",
		Example: "  waybill export > audit.jsonl\n  waybill export --after 1200 >> audit.jsonl\n  waybill export --verify",
		Args:    cobra.NoArgs,
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
	cmd.Flags().Int64Var(&x.after, "after", 0, "begin behind the line with this `number`")
	cmd.Flags().BoolVar(&x.verify, "verify", false, "check the chain instead of printing it")
	cmd.Flags().BoolVar(&x.json, "json", false, "with --verify: print the result as JSON; the lines are JSON anyway")
	return cmd
}

// export is one run of the export command.
type export struct {
	database     string
	after        int64
	verify, json bool
	out, errs    io.Writer
}

func (x export) print(ctx context.Context) error {
	out := bufio.NewWriter(x.out)
	err := store.Read(ctx, x.database, func(tx *store.Tx) error {
		return tx.Audit.EachLine(x.after, func(l store.Line) error {
			_, err := fmt.Fprintln(out, l)
			return err
		})
	})
	return errors.Join(err, out.Flush())
}

// result is what has come of checking a trail.
type result struct {
	OK    bool   `json:"ok"`
	Lines int64  `json:"lines"` // how many were checked
	Last  int64  `json:"last"`  // the last line that has been written
	Hash  string `json:"hash"`
	Bad   int64  `json:"bad,omitempty"` // the first line that is not what was written
	Why   string `json:"why,omitempty"`
}

func (x export) check(ctx context.Context) error {
	var r result
	err := store.Read(ctx, x.database, func(tx *store.Tx) error {
		ends, err := tx.Audit.TrailEnds()
		if err != nil {
			return err
		}
		r.Last, r.Hash = ends.Seq, ends.Hash
		r.Lines, err = tx.Audit.CheckTrail(x.after)
		return err
	})
	var bad *store.BadLine
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	r.OK = bad == nil
	if bad != nil {
		r.Bad, r.Why = bad.Seq, bad.Why
	}
	return x.report(r, bad)
}

func (x export) report(r result, bad *store.BadLine) (err error) {
	switch {
	case x.json:
		err = json.NewEncoder(x.out).Encode(r)
	case bad != nil:
		_, err = fmt.Fprintln(x.errs, "waybill:", bad)
	default:
		_, err = fmt.Fprintf(x.out, "%d lines are as they were written; the last is %d, with the hash %s\n", r.Lines, r.Last, r.Hash)
	}
	if err == nil && bad != nil {
		return trailBroken
	}
	return err
}
