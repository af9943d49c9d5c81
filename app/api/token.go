package api

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"waybill/promotion"
)

// Token is a line of the token file. It has a hash of the secret, not the secret.
type Token struct {
	Name  string
	Scope Scope
	Repos []promotion.Repo // the home repositories whose pipelines it opens; empty: all
	As    promotion.Actor  // the person who gives the commands of its bearer; the zero actor: it gives none
	Until time.Time        // the day after the last on which it is good; zero: for ever
	hash  [sha256.Size]byte
}

// tokenMark begins every token, so that scanners for secrets find those that were left somewhere.
const tokenMark = "wb_"

// NewToken makes a token like t, and its secret. The secret has 130 random bits, so that its hash needs no salt and no
// slowness.
func NewToken(t Token) (Token, string, error) {
	secret := tokenMark + rand.Text()
	t.hash = sha256.Sum256([]byte(secret))
	if len(strings.Fields(t.Name)) != 1 {
		return t, "", errTokenName
	}
	t, err := parseToken(strings.Fields(t.Line())) // as the server will
	return t, secret, err
}

// Line is the token's line in the file.
func (t Token) Line() string {
	line := fmt.Sprintf("%s scope=%s sha256=%x", t.Name, t.Scope, t.hash)
	if len(t.Repos) > 0 {
		var names []string
		for _, r := range t.Repos {
			names = append(names, string(r))
		}
		line += " repos=" + strings.Join(names, ",")
	}
	if !t.As.Bot() {
		line += fmt.Sprintf(" as=%d:%s", t.As.ID, t.As.Login)
	}
	if !t.Until.IsZero() {
		line += " until=" + t.Until.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	return line
}

// opens reports whether the token is good for the pipeline of a home repository.
func (t *Token) opens(repo promotion.Repo) bool {
	return len(t.Repos) == 0 || slices.ContainsFunc(t.Repos,
		func(r promotion.Repo) bool { return strings.EqualFold(string(r), string(repo)) })
}

// ParseTokens reads a token file: a token a line, with # comments. The error names the line and the remedy, and never
// shows more of it than its name.
func ParseTokens(text []byte) ([]Token, error) {
	var all []Token
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		t, err := parseToken(words)
		if err == nil && slices.ContainsFunc(all, func(other Token) bool { return other.Name == t.Name }) {
			err = fmt.Errorf("%s stands there twice: give each token a name of its own", t.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, t)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("a line is too long to be that of a token: %w", err)
	}
	return all, nil
}

var (
	tokenName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	})
	personName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`) })
	repoName   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+$`)
	})
)

var errTokenName = errors.New("a line begins with the name of a token, of letters, digits, dots and dashes, and this " +
	"one does not: `waybill token new NAME` makes one")

// parseToken reads the words of a line.
func parseToken(words []string) (Token, error) {
	t := Token{Name: words[0]}
	if !tokenName().MatchString(t.Name) || strings.HasPrefix(t.Name, tokenMark) {
		return t, errTokenName
	}
	seen := map[string]bool{}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		set, known := tokenKeys[key]
		switch {
		case !known:
			return t, fmt.Errorf("%s has a word that is none of scope=, sha256=, repos=, as=, until=", t.Name)
		case seen[key]:
			return t, fmt.Errorf("%s has %s= twice", t.Name, key)
		}
		seen[key] = true
		if err := set(&t, value); err != nil {
			return t, fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	if !seen["scope"] || !seen["sha256"] {
		return t, fmt.Errorf("%s needs both scope= and sha256=", t.Name)
	}
	return t, nil
}

// tokenKeys are the words that a line may have after the name.
var tokenKeys = map[string]func(t *Token, value string) error{
	"scope": func(t *Token, value string) (err error) {
		var known bool
		if t.Scope, known = ParseScope(value); !known {
			err = fmt.Errorf("scope= must be one of %s", strings.Join(scopeNames, ", "))
		}
		return err
	},
	"sha256": func(t *Token, value string) error {
		hash, err := hex.DecodeString(value)
		if err != nil || len(hash) != sha256.Size {
			return fmt.Errorf("sha256= must be the 64 hexadecimal digits that `waybill token new` writes, not the token itself")
		}
		copy(t.hash[:], hash)
		return nil
	},
	"repos": func(t *Token, value string) error {
		for _, name := range strings.Split(value, ",") {
			if !repoName().MatchString(name) {
				return fmt.Errorf("repos= must list home repositories as owner/name, with commas between them")
			}
			t.Repos = append(t.Repos, promotion.Repo(name))
		}
		return nil
	},
	"as": func(t *Token, value string) error {
		var err error
		if t.As, err = ParsePerson(value); err == nil && t.As.Bot() {
			err = errNobody
		}
		if err != nil {
			return fmt.Errorf("as= %w", err)
		}
		return nil
	},
	"until": func(t *Token, value string) error {
		day, err := time.Parse(time.DateOnly, value)
		if err != nil {
			return fmt.Errorf("until= must be the last day on which it is good, such as 2027-01-31")
		}
		t.Until = day.AddDate(0, 0, 1)
		return nil
	},
}

var errNobody = errors.New("must be the id and the login of a person on GitHub, such as 583231:octocat (`gh api " +
	"users/octocat --jq .id` says the id)")

// ParsePerson reads the id and the login of a person, as the token file has them; the zero actor of an empty text.
func ParsePerson(text string) (promotion.Actor, error) {
	if text == "" {
		return promotion.Actor{}, nil
	}
	id, login, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n <= 0 || !personName().MatchString(login) {
		return promotion.Actor{}, errNobody
	}
	return promotion.Actor{ID: n, Login: promotion.Login(login)}, nil
}

// match returns the token whose secret this is. It looks at all of them, so that the time it takes tells nothing.
func match(tokens []Token, secret string, now time.Time) *Token {
	hash := sha256.Sum256([]byte(secret))
	var found *Token
	for i := range tokens {
		t := &tokens[i]
		if subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1 && (t.Until.IsZero() || now.Before(t.Until)) {
			found = t
		}
	}
	return found
}
