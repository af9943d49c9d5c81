package gitstore

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The kinds of Git objects.
const (
	KindBlob   = "blob"
	KindTree   = "tree"
	KindCommit = "commit"
	KindTag    = "tag"
)

type object struct {
	kind   string
	data   []byte
	number int // in the order of writing; 0 if git wrote it
}

// Kind returns the kind of an object: blob, tree, commit or tag.
func (db *Objects) Kind(sha string) (string, error) {
	o, err := db.read(sha)
	return o.kind, err
}

// Has reports whether an object of that kind exists.
func (db *Objects) Has(kind, sha string) bool {
	o, err := db.read(sha)
	return err == nil && o.kind == kind
}

// Blob reads the contents of a file.
func (db *Objects) Blob(sha string) ([]byte, error) { return db.readKind(KindBlob, sha) }

// WriteBlob stores the contents of a file and returns its SHA.
func (db *Objects) WriteBlob(content []byte) string { return db.write(KindBlob, content) }

func (db *Objects) readKind(kind, sha string) ([]byte, error) {
	o, err := db.read(sha)
	if err != nil {
		return nil, err
	}
	if o.kind != kind {
		return nil, fmt.Errorf("read %s %s: it is a %s: %w", kind, sha, o.kind, ErrNotFound)
	}
	return o.data, nil
}

// write adds an object, unless it is there already, and returns its SHA.
func (db *Objects) write(kind string, data []byte) string {
	o := object{kind: kind, data: bytes.Clone(data)}
	sum := sha1.New()
	io.WriteString(sum, o.header())
	sum.Write(data)
	sha := hex.EncodeToString(sum.Sum(nil))
	if _, ok := db.objects[sha]; !ok {
		db.written++
		o.number = db.written
		db.objects[sha] = o
		db.unsaved = append(db.unsaved, sha)
	}
	return sha
}

// header precedes the content, in the hash and on disk.
func (o object) header() string { return o.kind + " " + strconv.Itoa(len(o.data)) + "\x00" }

// store writes one loose object. An existing object has the same content by construction.
func (db *Objects) store(sha string, o object) error {
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		return err
	}
	io.WriteString(z, o.header())
	z.Write(o.data)
	if err := z.Close(); err != nil {
		return err
	}
	path := db.path(sha)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o644)
}

func (db *Objects) path(sha string) string { return filepath.Join(db.folder, sha[:2], sha[2:]) }

// read finds an object, in memory or, if git wrote it, on disk.
func (db *Objects) read(sha string) (object, error) {
	if o, ok := db.objects[sha]; ok {
		if db.until > 0 && o.number > db.until {
			return object{}, fmt.Errorf("read object %s: %w", sha, ErrNotFound)
		}
		return o, nil
	}
	if !IsSHA(sha) {
		return object{}, fmt.Errorf("read object %q: %w", sha, ErrNotFound)
	}
	file, err := os.Open(db.path(sha))
	if os.IsNotExist(err) {
		return object{}, fmt.Errorf("read object %s: %w", sha, ErrNotFound)
	}
	if err != nil {
		return object{}, fmt.Errorf("read object %s: %w", sha, err)
	}
	defer file.Close()
	o, err := inflate(file)
	if err != nil {
		return object{}, fmt.Errorf("read object %s: %w", sha, err)
	}
	db.objects[sha] = o
	return o, nil
}

func inflate(packed io.Reader) (object, error) {
	z, err := zlib.NewReader(packed)
	if err != nil {
		return object{}, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return object{}, err
	}
	header, data, found := bytes.Cut(raw, []byte{0})
	kind, _, spaced := strings.Cut(string(header), " ")
	if !found || !spaced {
		return object{}, fmt.Errorf("object without header")
	}
	return object{kind: kind, data: data}, nil
}

// IsSHA reports whether s is a full SHA-1 in lower-case hexadecimal.
func IsSHA(s string) bool {
	if len(s) != 40 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
