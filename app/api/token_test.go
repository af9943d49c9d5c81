package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/spent"
	"waybill/promotion"
)

var day = time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)

const hash = "sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" // of "test"

func TestATokenFileSaysWhoMayWhat(t *testing.T) {
	all, err := ParseTokens([]byte("# ours\n\nlaptop scope=read " + hash + " # ann's\r\n" +
		"\tci  repos=acme/deploy,acme/web scope=operate until=2027-01-31 " + hash))
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "laptop", all[0].Name)
	require.Equal(t, Read, all[0].Scope)
	require.Equal(t, []promotion.Repo{"acme/deploy", "acme/web"}, all[1].Repos)
	require.Equal(t, day.AddDate(0, 0, 1), all[1].Until)
	require.True(t, all[0].opens("any/thing"))
	require.True(t, all[1].opens("Acme/Web"))
	require.False(t, all[1].opens("acme/api"))
}

func TestAMistakeInATokenFileIsNamedWithItsLineAndRemedyAndNothingSecret(t *testing.T) {
	for line, want := range map[string]string{
		"laptop scope=read":                       "line 2: laptop needs both scope= and sha256=",
		"laptop " + hash:                          "line 2: laptop needs both scope= and sha256=",
		"laptop scope=root " + hash:               "line 2: laptop: scope= must be one of read, operate",
		"laptop scope=read sha256=hush":           "line 2: laptop: sha256= must be the 64 hexadecimal digits",
		"laptop scope=read sha256=wb_hush":        "line 2: laptop: sha256= must be the 64 hexadecimal digits",
		"laptop scope=read scope=operate " + hash: "line 2: laptop has scope= twice",
		"laptop scope=read hush " + hash: "line 2: laptop has a word that is none of scope=, " +
			"sha256=, repos=, as=, until=",
		"laptop scope=read repos= " + hash:              "line 2: laptop: repos= must list home repositories as owner/name",
		"laptop scope=read repos=acme/a,../x/y " + hash: "line 2: laptop: repos= must list home repositories as owner/name",
		"laptop scope=read until=31.1.27 " + hash: "line 2: laptop: until= must be the last day on which it is " +
			"good, such as 2027-01-31",
		"wb_hush":                             "line 2: a line begins with the name of a token",
		"-x scope=read " + hash:               "line 2: a line begins with the name of a token",
		"one scope=read " + hash:              "line 2: one stands there twice",
		"x" + strings.Repeat(" hush", 100000): "a line is too long to be that of a token",
	} {
		_, err := ParseTokens([]byte("one scope=read " + hash + "\n" + line))
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "hush")
	}
}

func TestATokenIsGoodForItsSecretAndItsTime(t *testing.T) {
	made, secret, err := NewToken(Token{Name: "ci", Scope: Operate, Until: day.AddDate(0, 0, 1)})
	require.NoError(t, err)
	read, err := ParseTokens([]byte(made.Line()))
	require.NoError(t, err)
	require.Equal(t, []Token{made}, read)
	require.NotContains(t, made.Line(), secret)
	late := day.Add(24*time.Hour - time.Second)
	require.Equal(t, "ci", match(read, secret, late).Name)
	require.Nil(t, match(read, secret, late.Add(time.Second)))
	require.Nil(t, match(read, secret+"x", late))
	require.Nil(t, match(read, "", late))
	require.Nil(t, match(nil, secret, late))
}

func TestATokenFileThatOthersMayUseIsRefusedWithARemedy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(file, []byte("a scope=read "+hash+"\n"), 0o600))
	for mode, fine := range map[os.FileMode]bool{
		0o600: true, 0o640: true, 0o400: true, 0o644: false, 0o660: false, 0o602: false,
	} {
		require.NoError(t, os.Chmod(file, mode))
		_, err := OpenTokens(file)
		if fine {
			require.NoError(t, err, mode)
			continue
		}
		require.ErrorContains(t, err, file)
		require.ErrorContains(t, err, "run chmod 600 on it")
	}
}

func TestATokenFileIsReadAgainWhenItHasChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	write := func(text string) {
		require.NoError(t, os.WriteFile(file+".new", []byte(text), 0o600))
		require.NoError(t, os.Rename(file+".new", file))
	}
	_, err := OpenTokens(file)
	require.ErrorIs(t, err, os.ErrNotExist)
	write("a scope=read " + hash)
	tokens, err := OpenTokens(file)
	require.NoError(t, err)
	found, err := tokens.find("test", day)
	require.NoError(t, err)
	require.Equal(t, "a", found.Name)
	write("b scope=read " + hash)
	found, err = tokens.find("test", day)
	require.NoError(t, err)
	require.Equal(t, "b", found.Name)
	write("c")
	found, err = tokens.find("test", day)
	require.ErrorContains(t, err, "line 1: c needs both scope= and sha256=")
	require.Nil(t, found, "a broken file opens nothing")
	require.NoError(t, os.Chmod(file, 0o666))
	_, err = tokens.find("test", day)
	require.ErrorContains(t, err, "chmod 600")
}

func FuzzParseTokens(f *testing.F) {
	f.Add("a scope=read " + hash + "\n")
	f.Add("a scope=operate repos=a/b,c/d until=2027-01-31 " + hash + " # why\nb")
	f.Fuzz(func(t *testing.T, text string) {
		var all []Token
		var err error
		spent.Bound{Base: 256 << 10, PerByte: 1 << 10}.Check(t, len(text), func() { all, err = ParseTokens([]byte(text)) })
		if err != nil {
			return
		}
		for _, token := range all {
			again, err := ParseTokens([]byte(token.Line()))
			require.NoError(t, err)
			require.Equal(t, []Token{token}, again)
		}
	})
}

// TestATokenHas130RandomBits counts them: 26 letters and digits of 5 bits each, and no secret is made twice.
func TestATokenHas130RandomBits(t *testing.T) {
	known := map[string]bool{}
	for range 100 {
		_, secret, err := NewToken(Token{Name: "ci"})
		require.NoError(t, err)
		require.Regexp(t, "^wb_[A-Z2-7]{26}$", secret)
		require.False(t, known[secret])
		known[secret] = true
	}
}
