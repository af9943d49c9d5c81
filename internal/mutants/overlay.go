package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// overlay is a file that the compiler reads in place of another one. The tree itself is not changed.
type overlay struct {
	folder string // to be removed
	list   string
	file   string
}

// lay puts changed source in the place of a file.
func lay(file string, source []byte) (overlay, error) {
	original, err := filepath.Abs(file)
	if err != nil {
		return overlay{}, err
	}
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return overlay{}, err
	}
	o := overlay{folder: folder, list: filepath.Join(folder, "overlay.json"), file: file}
	changed := filepath.Join(folder, filepath.Base(file))
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err == nil {
		err = os.WriteFile(changed, source, 0o600)
	}
	if err == nil {
		err = os.WriteFile(o.list, list, 0o600)
	}
	return o, err
}

func (o overlay) remove() { os.RemoveAll(o.folder) }

// builds reports whether the changed file compiles. One that does not is no mutant.
func (o overlay) builds() (string, bool) {
	out, err := exec.Command("go", "build", "-overlay", o.list, "./"+filepath.Dir(o.file)).CombinedOutput()
	return string(out), err == nil
}

// noticed reports whether tests fail with the changed file in place. Tests that do not end count as failed, and tests
// that do not compile as passed: they have noticed nothing. Programs that a test builds have the changed file in them,
// too (GOFLAGS), and a test that reads sources finds it by WAYBILL_OVERLAY: on the disk everything is as it was.
func (o overlay) noticed(patience time.Duration, env []string, args ...string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience+time.Minute)
	defer cancel()
	all := append([]string{"test", "-vet=off", "-ldflags=-w", "-timeout", fmt.Sprint(patience), "-failfast"}, args...)
	cmd := exec.CommandContext(ctx, "go", all...)
	cmd.Env = append(append(os.Environ(), "RAPID_NOFAILFILE=true", "WAYBILL_OVERLAY="+o.list,
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+o.list), env...)
	out, err := cmd.CombinedOutput()
	return err != nil && !bytes.Contains(out, []byte("[build failed]"))
}
