package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/joho/godotenv"

	"waybill/app/gh"
	"waybill/app/setup"
	"waybill/config"
)

// The files that setup writes.
const (
	settingsName = "waybill.env"
	keyName      = "waybill.pem"
	tokensName   = "waybill.tokens"
	slackName    = "slack-manifest.yaml"
)

// ledger is the file that a server makes beside them, unless the environment names another database.
const ledger = "waybill.db"

// settingsFiles says what the files are, in the order in which they are listed.
var settingsFiles = []struct{ name, is string }{
	{settingsName, "the settings of the server"},
	{keyName, "the private key of the App"},
	{tokensName, "the tokens for its API, none yet"},
	{slackName, "the Slack App, if you want one"},
}

// keeper writes the settings into a folder.
type keeper struct {
	folder string
	force  bool
}

// path is where a file is.
func (k keeper) path(name string) string { return filepath.Join(k.folder, name) }

// vacant refuses a folder that has one of the files already, or that nothing can be written to, before GitHub makes an
// App whose secrets would be lost.
func (k keeper) vacant() error {
	for _, f := range settingsFiles {
		if _, err := os.Stat(k.path(f.name)); err == nil && !k.force {
			return fmt.Errorf("%s exists already, and setup overwrites nothing: move it away, say another --folder, or "+
				"--force", k.path(f.name))
		}
	}
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return fmt.Errorf("--folder: %w", err)
	}
	probe, err := os.CreateTemp(k.folder, ".waybill-*")
	if err != nil {
		return fmt.Errorf("--folder: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// all writes the files for an App, and reads the settings as a server would.
func (k keeper) all(wish setup.Wish, made gh.NewApp) error {
	if err := k.write(wish, made); err != nil {
		return fmt.Errorf("the App %s exists, but its settings are not complete: %w. GitHub does not show them again: "+
			"delete the App in its settings at %s, and run waybill setup again with --force", made.Name, err, made.Page)
	}
	return nil
}

func (k keeper) write(wish setup.Wish, made gh.NewApp) error {
	folder, err := filepath.Abs(k.folder)
	if err != nil {
		return err
	}
	settings, err := wish.Settings(made, setup.Files{
		Key: filepath.Join(folder, keyName), Tokens: filepath.Join(folder, tokensName),
		Database: filepath.Join(folder, ledger),
	})
	if err != nil {
		return err
	}
	for _, f := range [][2]string{
		{keyName, made.PrivateKey}, {settingsName, settings}, {slackName, setup.SlackManifest(wish.Public)},
	} {
		if err := k.writeFile(f[0], f[1]); err != nil {
			return err
		}
	}
	// Tokens that are there stay: people have them.
	if _, err := os.Stat(k.path(tokensName)); errors.Is(err, os.ErrNotExist) {
		if err := k.writeFile(tokensName, "# Tokens for the API: waybill token new NAME --file this file\n"); err != nil {
			return err
		}
	}
	read, err := godotenv.Read(k.path(settingsName))
	if err != nil {
		return err
	}
	_, err = config.FromEnv(func(name string) string { return read[name] })
	return err
}

// writeFile writes a file that only its owner may read.
func (k keeper) writeFile(name, text string) error {
	path := k.path(name)
	if !k.force {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.WriteString(f, text)
		return errors.Join(err, f.Sync(), f.Close())
	}
	f, err := os.CreateTemp(k.folder, ".waybill-*")
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}
