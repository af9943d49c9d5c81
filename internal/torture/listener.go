package torture

import (
	"context"
	"net/http"

	"waybill/config"
)

// listener records the program's output in a history. Most histories have none: a nil listener records nothing.
type listener struct {
	base     context.Context // of the program; it holds the logger
	settings func(*config.Server)
	wire     func(to http.RoundTripper) http.RoundTripper
	said     func(text string) // an error, a panic or an answer
	last     func(w *World)    // called before the program ends
}

func (l *listener) context() context.Context {
	if l == nil {
		return context.Background()
	}
	return l.base
}

// between puts the listener between the program and GitHub.
func (l *listener) between(to http.RoundTripper) http.RoundTripper {
	if l == nil {
		return to
	}
	return l.wire(to)
}

// hears records a text. It reports whether there is a listener.
func (l *listener) hears(text string) bool {
	if l != nil {
		l.said(text)
	}
	return l != nil
}
