package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// readTarball returns the named files of an npm package, in the order of names.
func readTarball(path string, names ...string) ([][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", path, err)
	}

	found := map[string][]byte{}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("unpack %s: %w", path, err)
		}
		for _, name := range names {
			if header.Name != name {
				continue
			}
			if found[name], err = io.ReadAll(archive); err != nil {
				return nil, fmt.Errorf("unpack %s of %s: %w", name, path, err)
			}
		}
	}

	files := make([][]byte, len(names))
	for i, name := range names {
		if found[name] == nil {
			return nil, fmt.Errorf("unpack %s: it holds no %s", path, name)
		}
		files[i] = found[name]
	}
	return files, nil
}

// writeGzip writes content compressed, without name or time so that equal
// content gives equal files.
func writeGzip(path string, content []byte) error {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o644)
}
