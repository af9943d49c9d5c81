package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
)

// secretFile writes a file that only its owner may read, and returns its path.
func secretFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// secrets are all settings that are secrets, with values that the server takes.
func secrets(t *testing.T) map[string]string {
	return map[string]string{
		"GITHUB_APP_WEBHOOK_SECRET": "hush-webhook", "GITHUB_APP_WEBHOOK_SECRET_PREVIOUS": "hush-previous",
		"GITHUB_APP_PRIVATE_KEY": privateKey(t), "GITHUB_OAUTH_CLIENT_SECRET": "hush-oauth",
		"SLACK_BOT_TOKEN": "xoxb-hush", "SLACK_SIGNING_SECRET": "hush-signing", "SLACK_APP_TOKEN": "xapp-hush",
		"WAYBILL_EVENTS_SECRET": "hush-events", "WAYBILL_DATABASE_URL": "postgres://me:hush@db/waybill",
	}
}

func TestEverySecretMayComeFromAFile(t *testing.T) {
	other := map[string]string{
		"GITHUB_APP_INTEGRATION_ID": "12", "GITHUB_OAUTH_CLIENT_ID": "Iv1.1", "WAYBILL_PUBLIC_URL": "https://waybill.example",
		"WAYBILL_EVENTS_URL": "https://events.example",
	}
	given, filed := map[string]string{}, map[string]string{}
	for name, value := range other {
		given[name], filed[name] = value, value
	}
	for name, value := range secrets(t) {
		given[name] = value
		filed[name+"_FILE"] = secretFile(t, strings.TrimSpace(value)+"\n")
	}
	want, err := config.FromEnv(func(name string) string { return given[name] })
	require.NoError(t, err)
	got, err := config.FromEnv(func(name string) string { return filed[name] })
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Empty(t, got.Warnings)

	url, err := config.DatabaseFromEnv(func(name string) string { return filed[name] })
	require.NoError(t, err)
	require.Equal(t, "postgres://me:hush@db/waybill", url)
}

func TestOneLineBreakAtTheEndOfTheFileOfASecretIsCut(t *testing.T) {
	for text, complaint := range map[string]string{
		"hush": "", "hush\n": "", "hush\r\n": "",
		"hush\n\n": "begins or ends with a blank or a line break; remove that",
		" hush\n":  "begins or ends with a blank or a line break; remove that",
	} {
		path := secretFile(t, text)
		got, err := config.FromEnv(environment(privateKey(t), "GITHUB_APP_WEBHOOK_SECRET=",
			"GITHUB_APP_WEBHOOK_SECRET_FILE="+path))
		if complaint != "" {
			require.EqualError(t, err, "GITHUB_APP_WEBHOOK_SECRET (in "+path+") "+complaint)
			continue
		}
		require.NoError(t, err, "%q", text)
		require.Equal(t, config.Secret("hush"), got.GitHub.WebhookSecret)
	}
}

func TestAFileOfASecretThatCannotBeUsedIsNamedWithTheSettingAndNothingElseIsSaidOfIt(t *testing.T) {
	none, folder := filepath.Join(t.TempDir(), "none"), t.TempDir()
	empty, long := secretFile(t, " \n"), secretFile(t, strings.Repeat("hush", 20_000))
	for _, c := range []struct{ path, want string }{
		{none, "cannot be used: no such file or directory"},
		{folder, "cannot be used: is a directory"},
		{empty, "cannot be used: the file is empty"},
		{long, "cannot be used: the file is longer than 64 kB, and no secret is"},
	} {
		_, err := config.FromEnv(environment(privateKey(t), "GITHUB_APP_WEBHOOK_SECRET=",
			"GITHUB_APP_WEBHOOK_SECRET_FILE="+c.path))
		require.EqualError(t, err, "GITHUB_APP_WEBHOOK_SECRET_FILE="+c.path+" "+c.want)
	}
}

func TestASecretThatIsGivenTwiceIsRefused(t *testing.T) {
	for name, value := range secrets(t) {
		path := secretFile(t, value)
		_, err := config.FromEnv(environment(privateKey(t), name+"="+value, name+"_FILE="+path,
			"GITHUB_OAUTH_CLIENT_ID=Iv1.1", "WAYBILL_PUBLIC_URL=https://waybill.example"))
		require.ErrorContains(t, err, name+" and "+name+"_FILE="+path+" are both set: remove one of them")
		require.NotContains(t, err.Error(), name+" is missing")
		require.NotContains(t, err.Error(), "hush")
	}
}

func TestWhatIsWrongWithASecretFromAFileIsSaidWithItsPath(t *testing.T) {
	key := secretFile(t, "no key")
	_, err := config.FromEnv(environment("", "GITHUB_APP_PRIVATE_KEY_FILE="+key))
	require.ErrorContains(t, err, "GITHUB_APP_PRIVATE_KEY (in "+key+") is not in PEM")
	_, err = config.FromEnv(environment(privateKey(t), "SLACK_BOT_TOKEN_FILE="+key))
	require.ErrorContains(t, err, "SLACK_BOT_TOKEN (in "+key+") is not a token of this kind")
	_, err = config.DatabaseFromEnv(environment("", "WAYBILL_DATABASE_URL_FILE="+key))
	require.EqualError(t, err, "WAYBILL_DATABASE_URL (in "+key+") must be sqlite:// and the path of a file, such as "+
		"sqlite://waybill.db, or postgres://USER:PASSWORD@HOST/DATABASE")
}

func TestTheServerWarnsOfASecretThatOthersMayRead(t *testing.T) {
	path := secretFile(t, "hush")
	require.NoError(t, os.Chmod(path, 0o644))
	got, err := config.FromEnv(environment(privateKey(t), "GITHUB_APP_WEBHOOK_SECRET=",
		"GITHUB_APP_WEBHOOK_SECRET_FILE="+path))
	require.NoError(t, err)
	require.Equal(t, []string{
		"GITHUB_APP_WEBHOOK_SECRET_FILE: others may use " + path + " (mode 0644): run chmod 600 on it, or 640 if its " +
			"group is to read it",
	}, got.Warnings)
}
