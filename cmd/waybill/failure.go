package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"waybill/app/api"
	"waybill/store/driver"
)

// exitCode is an error that only carries the exit code of a command which has said everything it had to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// The exit codes of all commands. Scripts tell by them whether asking again, signing in or other words would help.
const (
	codeRefused     exitCode = 1 // it was refused, or it failed
	codeMisused     exitCode = 2 // the command line cannot be understood
	codeTimeOver    exitCode = 3 // what was waited for has not happened yet
	codeNotAllowed  exitCode = 4 // the server does not know who asks, or does not let them
	codeUnreachable exitCode = 5 // the server does not answer, or cannot at the moment

	codeInterrupted exitCode = 130 // a signal ended it: the code that shells have for Ctrl-C
)

// exitCodes is what the help of commands that ask a server says of them.
const exitCodes = "Exits with 0 if all is well, 1 if it was refused or failed, 2 if the command line is wrong, " +
	"4 if the token\nis missing or does not allow it, 5 if the server does not answer, or says to try again later."

// errInterrupted says that a signal ended a command before it was done.
var errInterrupted = errors.New("interrupted")

// misuse is a mistake in the command line.
type misuse struct{ error }

func misused(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// unreachable is a server that does not answer, or not as Waybill does.
type unreachable struct{ error }

func (u unreachable) Unwrap() error { return u.error }

// codeOf returns the exit code that tells scripts of an error.
func codeOf(err error) exitCode {
	var code exitCode
	var wrong misuse
	var away unreachable
	var p *api.Problem
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return code
	case errors.Is(err, errInterrupted):
		return codeInterrupted
	case errors.As(err, &wrong):
		return codeMisused
	case errors.As(err, &away):
		return codeUnreachable
	case errors.As(err, &p):
		return codeOfStatus(p.Status)
	case errors.As(err, new(driver.Misaddressed)):
		return codeMisused
	case errors.Is(err, driver.ErrDenied), errors.Is(err, driver.ErrNoRight):
		return codeNotAllowed
	case errors.Is(err, driver.ErrUnreachable) && !errors.Is(err, driver.ErrNoSuch):
		return codeUnreachable
	}
	return codeRefused
}

// codeOfStatus is the exit code for the answer of a server.
func codeOfStatus(status int) exitCode {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return codeNotAllowed
	case status == http.StatusBadRequest:
		return codeMisused
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return codeUnreachable
	}
	return codeRefused
}

// failure is an error as --json prints it.
type failure struct {
	Error string   `json:"error"` // for people
	Exit  exitCode `json:"exit"`
}

// tell prints an error where people look for it, and where a program does that has asked for JSON.
func tell(err error, args []string, stdout, stderr io.Writer) {
	var code exitCode
	if err == nil || errors.As(err, &code) {
		return
	}
	fmt.Fprintln(harmless{stderr}, "waybill:", err)
	if slices.Contains(args, "--json") {
		_ = json.NewEncoder(stdout).Encode(failure{err.Error(), codeOf(err)})
	}
}
