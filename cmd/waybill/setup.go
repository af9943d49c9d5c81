package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"waybill/app/gh"
	"waybill/app/setup"
	"waybill/config"
)

func setupCommand() *cobra.Command {
	var i installation
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Make the GitHub App and the settings of a server",
		Long: "Shows a page on this machine whose button has GitHub make the App, with the permissions and events that " +
			"Waybill needs,\nand writes the settings: waybill.env, waybill.pem (the App's key), waybill.tokens and " +
			"slack-manifest.yaml, all with\nmode 0600. It overwrites nothing without --force, and says what comes next.\n\n" +
			"The browser may be on another machine: run `ssh -L 8484:127.0.0.1:8484 HOST` there, and setup with\n" +
			"--listen 127.0.0.1:8484 here. Or post what --print-manifest prints as the field `manifest` of a form to the " +
			"page that it\nnames, and end with --code and the code that GitHub puts into the address of the browser.\n" +
			"Exits with 0 if the settings are written, 1 if not, 2 if the command line is wrong.",
		Example: "  waybill setup --url https://waybill.example.com --org acme\n" +
			"  waybill setup --url https://waybill.corp.example --github https://github.corp.example --folder /etc/waybill\n" +
			"  waybill setup --url https://waybill.example.com --without workflows,images --print-manifest",
		Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			i.out, i.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
			i.ask = asker{in: cmd.InOrStdin(), out: i.errs, silent: !isTerminal(cmd.InOrStdin())}
			return i.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&i.url, "url", "", "the `ADDRESS` at which people and GitHub will reach the server: https://HOST")
	f.StringVar(&i.github, "github", "https://github.com", "the `ADDRESS` of GitHub, or of a GitHub Enterprise Server")
	f.StringVar(&i.wish.Org, "org", "", "the `ORGANIZATION` that will own the App (default: you)")
	f.StringVar(&i.wish.Name, "name", "", "the `NAME` of the App (default: waybill- and the organization or the host)")
	f.StringSliceVar(&i.wish.Without, "without", nil, "`FEATURES` whose permissions are left out: "+
		strings.Join(setup.Features(), ", "))
	f.StringSliceVar(&i.wish.Others, "others", nil,
		"more `OWNERS` who may install the App. It is public then, and the server serves these and its owner only")
	f.StringVar(&i.keep.folder, "folder", ".", "write the settings into `FOLDER`")
	f.BoolVar(&i.keep.force, "force", false, "overwrite settings that are there")
	f.BoolVar(&i.print, "print-manifest", false, "write nothing: print what GitHub would make the App of, as JSON")
	f.StringVar(&i.code, "code", "", "end a setup without the page: the `CODE` that GitHub has put into the address")
	f.StringVar(&i.listen, "listen", "127.0.0.1:0", "the `HOST:PORT` of the page, on this machine")
	return cmd
}

// installation is one run of the setup command.
type installation struct {
	url, github, code, listen string
	print                     bool
	wish                      setup.Wish
	keep                      keeper
	out, errs                 io.Writer
	ask                       asker
}

func (i *installation) run(ctx context.Context) error {
	if err := i.choose(); err != nil {
		return err
	}
	if i.print {
		return i.printManifest()
	}
	if err := i.keep.vacant(); err != nil {
		return err
	}
	made, err := i.make(ctx)
	if err != nil {
		return err
	}
	i.next(made)
	return nil
}

// choose reads the command line, asks for what it lacks, and refuses what cannot be.
func (i *installation) choose() (err error) {
	if i.wish.GitHub, err = setup.At(i.github); err != nil {
		return misused("--github: %w", err)
	}
	if i.url == "" {
		if i.url, err = i.ask.line("At which address will people and GitHub reach the server? https://", ""); err != nil {
			return err
		}
		if i.url != "" && !strings.Contains(i.url, "://") {
			i.url = "https://" + i.url
		}
		if i.wish.Org == "" {
			i.wish.Org, err = i.ask.line("Which organization will own the App? (nothing: you)", "")
		}
	}
	if err != nil {
		return err
	}
	if i.url == "" {
		return misused("--url is missing: say the address at which people and GitHub will reach the server, such as " +
			"--url https://waybill.example.com")
	}
	if i.wish.Public, err = i.wish.GitHub.PublicURL(i.url); err != nil {
		return misused("--url: %w", err)
	}
	return i.check()
}

// check refuses names that cannot be.
func (i *installation) check() error {
	if i.print && i.code != "" {
		return misused("--print-manifest is the first step and --code the last one: give one of them")
	}
	if err := setup.CheckName(i.wish.Name); err != nil {
		return misused("--name: %w", err)
	}
	if i.wish.Org != "" && !setup.IsLogin(i.wish.Org) {
		return misused("--org: %q is no name of an organization: give the one that stands in its address at %s", i.wish.Org,
			i.wish.GitHub.WebURL)
	}
	for _, owner := range i.wish.Others {
		if !setup.IsLogin(owner) {
			return misused("--others: %q is no name of an organization or a person on GitHub", owner)
		}
	}
	for _, feature := range i.wish.Without {
		if !slices.Contains(setup.Features(), feature) {
			near := ""
			if best := config.Nearest(feature, setup.Features()); best != "" {
				near = fmt.Sprintf("; did you mean %s?", best)
			}
			return misused("--without: there is no feature %q that can be left out, only %s%s", feature,
				strings.Join(setup.Features(), ", "), near)
		}
	}
	if host, _, err := net.SplitHostPort(i.listen); err != nil || !loopback(host) {
		return misused("--listen must be a host and a port of this machine such as 127.0.0.1:8484, not %q: whoever opens "+
			"the page sets up the server", i.listen)
	}
	return nil
}

// printManifest prints the manifest, and how to end without the page.
func (i *installation) printManifest() error {
	text, err := json.MarshalIndent(i.wish.Manifest(i.wish.Public), "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(i.out, "%s\n", text)
	fmt.Fprintf(i.errs, "Post it as the field `manifest` of a form to %s.\nGitHub then sends the browser to "+
		"%s?code=CODE. Give the code within an hour to\n  %s\n", i.wish.NewAppURL(""), i.wish.Public, i.last())
	return nil
}

// last is the command line that ends a setup without the page.
func (i *installation) last() string {
	line := "waybill setup --url " + i.wish.Public + " --github " + i.wish.GitHub.WebURL
	if i.keep.folder != "." {
		line += " --folder " + i.keep.folder
	}
	if len(i.wish.Others) > 0 {
		line += " --others " + strings.Join(i.wish.Others, ",")
	}
	return line + " --code CODE"
}

// make has GitHub make the App, and keeps its secrets.
func (i *installation) make(ctx context.Context) (gh.NewApp, error) {
	if i.code != "" {
		made, err := setup.Redeem(ctx, i.wish.GitHub, i.code)
		if err != nil {
			return made, err
		}
		return made, i.keep.all(i.wish, made)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", i.listen)
	if err != nil {
		return gh.NewApp{}, fmt.Errorf("listen on --listen %s: %w", i.listen, err)
	}
	flow := setup.Flow{Wish: i.wish, Say: func(text string) { fmt.Fprintln(i.errs, text) },
		Keep: func(made gh.NewApp) error { return i.keep.all(i.wish, made) }}
	fmt.Fprintf(i.errs, "Open this address in a browser, where you are signed in to %s:\n  %s\n", i.wish.GitHub.WebURL,
		flow.Start(listener))
	made, err := flow.Wait(ctx, listener)
	if errors.Is(err, context.Canceled) {
		return made, errors.New("interrupted: nothing is written. If GitHub has made the App already, delete it in its " +
			"settings")
	}
	return made, err
}

// next says what is written, and what comes next.
func (i *installation) next(made gh.NewApp) {
	at := i.keep.path
	fmt.Fprintf(i.out, "%s exists: %s\nWrote, readable by you only\n", made.Name, made.Page)
	for _, f := range settingsFiles {
		fmt.Fprintf(i.out, "  %-28s %s\n", at(f.name), f.is)
	}
	fmt.Fprintf(i.out, `Next
  1. Install the App on the repository of the pipeline file, and on those of the applications:
     %s
  2. Start the server, behind what GitHub reaches at %s:
     waybill serve --config %s
     docs/install.md has Docker, Kubernetes and systemd.
  3. Make a token for yourself, and ask what is wrong:
     waybill token new me --file %s
     WAYBILL_API_TOKEN=... waybill doctor --server %s
  4. Have the pipeline file drafted, in a pull request of yours: waybill init --repo OWNER/NAME
People sign in at %s with GitHub.
`, setup.InstallURL(made), i.wish.Public, at(settingsName), at(tokensName), i.wish.Public,
		i.wish.Public)
	fmt.Fprintf(i.out, "For Slack, paste %s at https://api.slack.com/apps (Create New App, From a manifest),\nand add "+
		"SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET to %s: docs/slack.md.\n", at(slackName), at(settingsName))
	if left := i.wish.Without; len(left) > 0 {
		fmt.Fprintf(i.out, "Left out: %s. waybill doctor says when a pipeline needs them.\n",
			strings.Join(left, ", "))
	}
}
