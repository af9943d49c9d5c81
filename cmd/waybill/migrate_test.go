package main

import (
	"bytes"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/pgtest"
	"waybill/store"
)

// TestTheExitCodeOfAMoveSaysWhetherOtherWordsARightOrALaterTimeWouldHelp as those of all commands do.
func TestTheExitCodeOfAMoveSaysWhetherOtherWordsARightOrALaterTimeWouldHelp(t *testing.T) {
	file := "sqlite://" + filepath.Join(t.TempDir(), "waybill.db")
	s, err := store.Open(t.Context(), file, store.Options{})
	require.NoError(t, err)
	moves := func(args ...string) (exitCode, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"migrate"}, args...), func(string) string { return "" }, &out, &errs)
		return exitCode(code), errs.String()
	}
	const nobody = "postgres://waybill@127.0.0.1:1/waybill"
	code, text := moves("--from", file, "--to", nobody)
	require.Equal(t, codeRefused, code, text)
	require.Contains(t, text, "in use by another process")
	require.NoError(t, s.Close())
	for _, c := range []struct {
		from, to string
		code     exitCode
		text     string
	}{
		{file, "", codeMisused, "--to is missing"},
		{file, "mysql://db/waybill", codeMisused, "mysql:// is not supported"},
		{file, "waybill.db", codeMisused, "the URL must look like"},
		{nobody, file, codeMisused, "not otherwise"},
		{file, "postgres://waybill@db:port/waybill", codeMisused, "the URL must look like postgres://"},
		{file + ".none", nobody, codeRefused, "no such file"},
		{file, nobody, codeUnreachable, "cannot be reached"},
	} {
		code, text := moves("--from", c.from, "--to", c.to)
		require.Equal(t, c.code, code, text)
		require.Contains(t, text, c.text)
	}
	server := pgtest.Database(t)
	to, err := url.Parse(server)
	require.NoError(t, err)
	to.User = url.UserPassword("nobody-at-all", "x")
	code, text = moves("--from", file, "--to", to.String())
	require.Equal(t, codeNotAllowed, code, text)
	to, err = url.Parse(server)
	require.NoError(t, err)
	to.Path = "/nowhere"
	code, text = moves("--from", file, "--to", to.String())
	require.Equal(t, codeRefused, code, text)
	require.Contains(t, text, "CREATE DATABASE")
	code, text = moves("--from", file, "--to", server)
	require.Zero(t, code, text)
}
