package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
	"waybill/internal/private"
	"waybill/promotion"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Make tokens for the API"}
	chosen(cmd)
	cmd.AddCommand(newTokenCommand())
	return cmd
}

func newTokenCommand() *cobra.Command {
	var t newToken
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a token",
		Long: "Makes a token for the API. Its line for the server's WAYBILL_API_TOKENS_FILE goes to the standard output, " +
			"or with --file\nto the end of that file, which is made with mode 0600 if it is not there. The token itself is " +
			"printed once, to the\nstandard error, or with --file to the standard output; the file only has its hash. Nothing " +
			"has to be restarted.",
		Example: "  waybill token new laptop --file /etc/waybill/waybill.tokens\n" +
			"  waybill token new ci --scope operate --repo acme/deploy --until 2027-01-31 >> waybill.tokens\n" +
			"  waybill token new ann --as 583231:ann --file /etc/waybill/waybill.tokens",
		Args: words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t.out, t.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return t.make(args[0])
		},
	}
	cmd.Flags().StringVar(&t.scope, "scope", api.Read.String(),
		"`SCOPE`: read, or operate, which also lets resync and replay")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]cobra.Completion{"read", "operate"},
		cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringSliceVar(&t.repos, "repo", nil,
		"the home repository `OWNER/NAME` of a pipeline that it opens (default all)")
	cmd.Flags().StringVar(&t.as, "as", "",
		"the `ID:LOGIN` of the person on GitHub who gives the commands of its bearer (default nobody: it gives none)")
	cmd.Flags().StringVar(&t.until, "until", "",
		"the last `DAY` on which it is good, such as 2027-01-31 (default for ever)")
	cmd.Flags().StringVar(&t.file, "file", "", "append the line to `FILE`")
	cmd.Flags().BoolVar(&t.json, "json", false, "print token and line as one JSON object to the standard output")
	return cmd
}

// newToken is one run of the command.
type newToken struct {
	scope, as, until, file string
	repos                  []string
	json                   bool
	out, errs              io.Writer
}

func (t *newToken) make(name string) error {
	scope, known := api.ParseScope(t.scope)
	if !known {
		return misused("--scope must be read or operate, not %q", t.scope)
	}
	until, err := t.end()
	if err != nil {
		return err
	}
	var repos []promotion.Repo
	for _, r := range t.repos {
		repos = append(repos, promotion.Repo(strings.TrimSpace(r)))
	}
	as, err := api.ParsePerson(t.as)
	if err != nil {
		return misused("--as: %w", err)
	}
	token, secret, err := api.NewToken(api.Token{Name: name, Scope: scope, Repos: repos, As: as, Until: until})
	if err != nil {
		return misuse{err}
	}
	return t.print(token.Line(), secret)
}

// end is the time from which the token is no good any more.
func (t *newToken) end() (time.Time, error) {
	if t.until == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, t.until)
	if err != nil {
		return time.Time{}, misused("--until must be a day such as 2027-01-31, not %q", t.until)
	}
	return day.AddDate(0, 0, 1), nil
}

// print hands out the line and the token, each where it belongs.
func (t *newToken) print(line, secret string) error {
	tokenTo, err := t.errs, error(nil)
	if t.file != "" {
		tokenTo, err = t.out, appendLine(t.file, line)
	}
	switch {
	case err != nil:
		return err
	case t.json:
		return printJSON(t.out, map[string]string{"token": secret, "line": line})
	case t.file == "":
		fmt.Fprintln(t.out, line)
	}
	_, err = fmt.Fprintln(tokenTo, secret)
	return err
}

// appendLine writes a line to the end of a file that only its owner may read.
func appendLine(file, line string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := private.Check(f); err != nil {
		return err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = "\n" + line
	}
	if _, err := api.ParseTokens([]byte(string(text) + line)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if _, err := fmt.Fprintln(f, line); err != nil {
		return err
	}
	return f.Close()
}
