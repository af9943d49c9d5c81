package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"waybill/promotion"
)

// micros is a time as it is stored: microseconds since 1970; NULL for the zero time.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// timeColumn scans a time that micros wrote.
type timeColumn struct{ t *time.Time }

func at(t *time.Time) timeColumn { return timeColumn{t} }

// Scan implements sql.Scanner.
func (c timeColumn) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*c.t = time.Time{}
	case int64:
		*c.t = time.UnixMicro(v).UTC()
	default:
		return fmt.Errorf("read a time: got %T", v)
	}
	return nil
}

// jsonColumn stores a value as JSON text, and scans it.
type jsonColumn struct{ v any }

func asJSON(v any) jsonColumn { return jsonColumn{v} }

// Value implements driver.Valuer.
func (c jsonColumn) Value() (driver.Value, error) { return c.text() }

// text returns the stored text.
func (c jsonColumn) text() (string, error) {
	b, err := json.Marshal(c.v)
	return string(b), err
}

// Scan implements sql.Scanner. Most columns of a row say null, which leaves a value as it was made.
func (c jsonColumn) Scan(v any) error {
	switch v := v.(type) {
	case string:
		if v == "null" {
			return nil
		}
		return json.Unmarshal([]byte(v), c.v)
	case []byte:
		return json.Unmarshal(v, c.v)
	}
	return fmt.Errorf("read JSON: got %T", v)
}

// storedReason is the stored form of a reason. Old rows have its names: a field may be added, never renamed.
type storedReason struct {
	Code   promotion.Code `json:"code"`
	Args   []string       `json:"args,omitempty"`
	URL    string         `json:"url,omitempty"`
	Detail string         `json:"detail,omitempty"`
}

// reasonColumn stores and scans a reason; the zero reason is an empty text.
type reasonColumn struct{ r *promotion.Reason }

func because(r *promotion.Reason) reasonColumn { return reasonColumn{r} }

// Value implements driver.Valuer.
func (c reasonColumn) Value() (driver.Value, error) { return c.text() }

// text returns the stored text.
func (c reasonColumn) text() (string, error) {
	if c.r.IsZero() {
		return "", nil
	}
	return asJSON(storedReason(*c.r)).text()
}

// Scan implements sql.Scanner.
func (c reasonColumn) Scan(v any) error {
	var stored storedReason
	if v != "" {
		if err := asJSON(&stored).Scan(v); err != nil {
			return fmt.Errorf("read a reason: %w", err)
		}
	}
	*c.r = promotion.Reason(stored)
	return nil
}

// storedCommand is the stored form of a command. Old rows have its names: a field may be added, never renamed.
type storedCommand struct {
	Verb     promotion.CommandVerb `json:"verb"`
	Stage    promotion.StageName   `json:"stage,omitempty"`
	Stages   string                `json:"stages,omitempty"`
	Target   promotion.TargetName  `json:"target,omitempty"`
	All      bool                  `json:"all,omitempty"`
	Early    bool                  `json:"early,omitempty"`
	Freight  string                `json:"freight,omitempty"`
	Pass     bool                  `json:"pass,omitempty"`
	Text     string                `json:"text,omitempty"`
	Rest     string                `json:"rest,omitempty"`
	For      time.Duration         `json:"for,omitempty"` // nanoseconds
	Trouble  string                `json:"trouble,omitempty"`
	Lapsed   promotion.SHA         `json:"lapsed,omitempty"`
	Plan     string                `json:"plan,omitempty"`
	Withdraw bool                  `json:"withdraw,omitempty"`
	Seen     string                `json:"seen,omitempty"`
}

// commandColumn stores and scans a command.
type commandColumn struct{ c *promotion.Command }

// Value implements driver.Valuer.
func (c commandColumn) Value() (driver.Value, error) { return asJSON(storedCommand(*c.c)).Value() }

// Scan implements sql.Scanner.
func (c commandColumn) Scan(v any) error {
	var stored storedCommand
	if err := asJSON(&stored).Scan(v); err != nil {
		return fmt.Errorf("read a command: %w", err)
	}
	*c.c = promotion.Command(stored)
	return nil
}

// permissionColumn stores and scans a permission by its name.
type permissionColumn struct{ p *promotion.Permission }

// Value implements driver.Valuer.
func (c permissionColumn) Value() (driver.Value, error) { return c.p.String(), nil }

// Scan implements sql.Scanner.
func (c permissionColumn) Scan(v any) error {
	name, _ := v.(string)
	p, known := promotion.ParsePermission(name)
	if !known {
		return fmt.Errorf("read a permission: %q is none", name)
	}
	*c.p = p
	return nil
}

// secondsColumn scans a duration that is stored in seconds.
type secondsColumn struct{ d *time.Duration }

// Scan implements sql.Scanner.
func (c secondsColumn) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("read a duration: got %T", v)
	}
	*c.d = time.Duration(n) * time.Second
	return nil
}
