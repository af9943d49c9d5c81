package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
	"waybill/internal/private"
)

// remote tells a command which server to ask, and as whom. There is no flag for the token itself: everyone on the
// machine could read it.
type remote struct {
	address, tokenFile, settings string
	repo                         string // the home repository of the pipeline; "" for the only one
	json                         bool
}

// flags adds the flags to a command.
func (r *remote) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.address, "server", "",
		"the `URL` of the server (default WAYBILL_PUBLIC_URL, else http:// and WAYBILL_LISTEN)")
	cmd.Flags().StringVar(&r.tokenFile, "token-file", "",
		"read the token from `FILE` (default WAYBILL_API_TOKEN_FILE, or the token WAYBILL_API_TOKEN itself)")
	cmd.Flags().BoolVar(&r.json, "json", false, "print the answer as JSON")
	configFlag(cmd, &r.settings)
}

// repoFlag adds the flag that names a pipeline.
func (r *remote) repoFlag(cmd *cobra.Command, getenv func(string) string) {
	cmd.Flags().StringVar(&r.repo, "repo", "",
		"the home repository of the pipeline, as `OWNER/NAME` (default the only one)")
	_ = cmd.RegisterFlagCompletionFunc("repo", r.completeRepo(getenv))
}

// pipeline returns the pipeline that --repo names, or the only one.
func (r *remote) pipeline(ctx context.Context, s *server) (string, error) {
	if r.repo == "" {
		return s.only(ctx)
	}
	return r.repo, isRepo(r.repo)
}

// usualListen is where a server listens by default.
const usualListen = "127.0.0.1:8080"

// server returns the server that is meant.
func (r *remote) server(getenv func(string) string) (*server, error) {
	look, err := lookUp(getenv, r.settings)
	if err != nil {
		return nil, err
	}
	address := cmp.Or(r.address, look("WAYBILL_PUBLIC_URL"),
		"http://"+reachable(cmp.Or(look("WAYBILL_LISTEN"), usualListen)))
	base, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil {
		return nil, misused("--server must be a URL such as https://waybill.example.com, without a name or a password")
	}
	token, err := r.token(look)
	if err != nil {
		return nil, err
	}
	if token != "" && base.Scheme == "http" && !loopback(base.Hostname()) {
		return nil, misused("the token is not sent to %s, because everybody on the way could read it: use https://", base)
	}
	return &server{base: base, token: token, http: &http.Client{
		Timeout:       answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // not with our token
	}}, nil
}

// token reads the token; "" if there is none. A file that the command line names goes before the settings.
func (r *remote) token(look func(string) string) (string, error) {
	token, file := strings.TrimSpace(look("WAYBILL_API_TOKEN")), look("WAYBILL_API_TOKEN_FILE")
	switch {
	case r.tokenFile != "":
		return readToken(r.tokenFile, "--token-file")
	case token != "" && file != "":
		return "", misused("WAYBILL_API_TOKEN and WAYBILL_API_TOKEN_FILE=%s are both set: remove one of them", file)
	case file != "":
		return readToken(file, "WAYBILL_API_TOKEN_FILE")
	}
	return token, nil
}

// readToken reads the file of a token, which a setting names.
func readToken(file, setting string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("read the token of %s: %w", setting, err)
	}
	defer f.Close()
	if err := private.Check(f); err != nil {
		return "", fmt.Errorf("read the token of %s: %w", setting, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxToken))
	if err != nil {
		return "", fmt.Errorf("read the token of %s: %w", setting, err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \n\t") {
		return "", fmt.Errorf("read the token of %s: %s should hold a token and nothing else", setting, file)
	}
	return token, nil
}

// maxToken is more than any token has.
const maxToken = 4096

// reachable is the address under which this machine reaches a server that listens everywhere.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// server is a running Waybill.
type server struct {
	base  *url.URL
	token string
	http  *http.Client
}

const (
	// answerTime is how long an answer may take; a resync asks GitHub many things.
	answerTime = 6 * time.Minute
	// maxAnswer is more than any answer has.
	maxAnswer = 64 << 20
)

// path joins the elements of a path, with any characters in them.
func path(elements ...string) string {
	var b strings.Builder
	for _, e := range elements {
		b.WriteString("/" + url.PathEscape(e))
	}
	return b.String()
}

// get reads an answer of the server.
func (s *server) get(ctx context.Context, path string, into any) error {
	return s.do(ctx, http.MethodGet, path, nil, into)
}

// post has the server do something, and reads its answer.
func (s *server) post(ctx context.Context, path string, into any) error {
	return s.do(ctx, http.MethodPost, path, nil, into)
}

func (s *server) do(ctx context.Context, method, path string, body, into any) error {
	request, err := s.request(ctx, method, path, body)
	if err != nil {
		return fmt.Errorf("ask %s: %w", s.base, err)
	}
	return s.send(request, into)
}

// request is one to the server; a body is sent as JSON.
func (s *server) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	if body == nil {
		return http.NewRequestWithContext(ctx, method, s.base.String()+path, nil)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, s.base.String()+path, bytes.NewReader(text))
	if err == nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, err
}

// send sends a request and reads the answer.
func (s *server) send(request *http.Request, into any) error {
	response, err := s.open(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return unreachable{fmt.Errorf("read the answer of %s: %w", s.base, err)}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return unreachable{fmt.Errorf("%s is not a Waybill that this program understands: %w", s.base, err)}
	}
	return nil
}

// open sends a request and returns the answer, of which the caller must close the body; an error if it is a refusal.
func (s *server) open(request *http.Request) (*http.Response, error) {
	request.Header.Set("Accept", "application/json")
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return nil, unreachable{fmt.Errorf(
			"%s cannot be reached: is the server running, and is that its address (--server)? %w", s.base, errors.Unwrap(err))}
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, unreachable{fmt.Errorf("read the answer of %s: %w", s.base, err)}
	}
	return nil, s.refused(response, body)
}

// refused makes an error of an answer that is none.
func (s *server) refused(response *http.Response, body []byte) error {
	var p api.Problem
	if json.Unmarshal(body, &p) != nil || p.Detail == "" {
		return unreachable{fmt.Errorf("%s answered %s: is that the address of a Waybill (--server)?", s.base,
			response.Status)}
	}
	if p.Status == http.StatusUnauthorized {
		why, _, _ := strings.Cut(p.Detail, ": "+api.SendToken)
		p.Detail = why + ": " + s.whichToken()
	}
	return &p
}

// whichToken tells a person who was refused what to do about the token.
func (s *server) whichToken() string {
	const ask = "; who runs the server makes tokens by `waybill token new`"
	if s.token == "" {
		return "set WAYBILL_API_TOKEN, or use --token-file" + ask
	}
	return "correct WAYBILL_API_TOKEN, or the file of --token-file" + ask
}

// printJSON prints an answer for programs.
func printJSON(out io.Writer, answer any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(answer)
}
