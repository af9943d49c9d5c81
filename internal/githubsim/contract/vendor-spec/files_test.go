package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// npmPackage writes a package with one file per pair of name and content.
func npmPackage(t *testing.T, path string, pairs ...string) {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for i := 0; i < len(pairs); i += 2 {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: pairs[i], Size: int64(len(pairs[i+1])), Mode: 0o644}))
		_, err := archive.Write([]byte(pairs[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, zipped.Close())
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o644))
}

func TestFilesOfAPackageComeInTheOrderAskedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.tgz")
	npmPackage(t, path, "package/LICENSE", "MIT", "package/a.json", "{}", "package/b.json", "[]")
	files, err := readTarball(path, "package/b.json", "package/LICENSE")
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("[]"), []byte("MIT")}, files)

	_, err = readTarball(path, "package/c.json")
	require.ErrorContains(t, err, "it holds no package/c.json")
	require.NoError(t, os.WriteFile(path, []byte("no package"), 0o644))
	_, err = readTarball(path, "package/a.json")
	require.ErrorContains(t, err, "unpack "+path)
}

func TestEqualContentGivesEqualFiles(t *testing.T) {
	dir := t.TempDir()
	var written [2][]byte
	for i, name := range []string{"one.gz", "two.gz"} {
		require.NoError(t, writeGzip(filepath.Join(dir, name), []byte("content")))
		var err error
		written[i], err = os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
	}
	require.Equal(t, written[0], written[1])
}

func TestARunWithoutThePackagesSaysWhichOneIsMissing(t *testing.T) {
	require.ErrorContains(t, run(t.TempDir(), t.TempDir()), openapiPackage)
}
