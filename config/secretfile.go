package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"waybill/internal/private"
)

// fileSuffix makes the name of a secret the name of the variable with the path of the file that holds it.
const fileSuffix = "_FILE"

// maxSecret is longer than any secret. A longer file is the wrong one.
const maxSecret = 64 << 10

// text returns a secret as the environment or its file holds it; "" if there is none, or if its file cannot be used, of
// which it complains.
func (e *environment) text(name string) string {
	text, path := e.getenv(name), e.getenv(name+fileSuffix)
	switch {
	case path == "":
		return text
	case text != "":
		e.wrong(name, "and %s%s=%s are both set: remove one of them", name, fileSuffix, path)
		return ""
	}
	text, warning, err := readSecret(path)
	if err != nil {
		e.wrong(name+fileSuffix+"="+path, "cannot be used: %w", err)
	}
	if warning != nil {
		e.warnings = append(e.warnings, fmt.Sprintf("%s%s: %v", name, fileSuffix, warning))
	}
	return text
}

// source names a secret in a complaint, with the file that it comes from.
func (e *environment) source(name string) string {
	if path := e.getenv(name + fileSuffix); path != "" {
		return name + " (in " + path + ")"
	}
	return name
}

// missing reports whether a secret is given neither by the environment nor by a file. Of a file that cannot be used
// there is a complaint already.
func (e *environment) missing(s Secret, name string) bool {
	return s == "" && e.getenv(name+fileSuffix) == ""
}

// readSecret reads a file that holds a secret and nothing else. Editors and echo end it with a line break, which it
// cuts. That others may read it is worth a warning only: some orchestrators mount secrets so, where no one else is.
func readSecret(path string) (secret string, warning, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", nil, reason(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	switch {
	case err != nil:
		return "", nil, reason(err)
	case len(text) > maxSecret:
		return "", nil, errors.New("the file is longer than 64 kB, and no secret is")
	case len(bytes.TrimSpace(text)) == 0:
		return "", nil, errors.New("the file is empty")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), private.Check(f), nil
}

// reason returns why a file cannot be read, without the path: the complaint has it.
func reason(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}
