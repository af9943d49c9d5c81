package handlers

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/spent"
)

func TestReadEnvelope(t *testing.T) {
	for _, row := range []struct {
		name, body string
		want       envelope
	}{
		{"all of it", `{"action":"created","repository":{"id":1,"full_name":"acme/api"},"installation":{"id":3}}`,
			envelope{action: "created", repo: "acme/api", repoID: 1, installation: 3}},
		{"in another order, with space", " {\n\"installation\" : { \"id\" : 3 } ,\t\"action\" : \"created\" }\r\n",
			envelope{action: "created", installation: 3}},
		{"nothing of it", `{}`, envelope{}},
		{"null", `{"action":null,"repository":null,"installation":null}`, envelope{}},
		{"of other types", `{"action":{"a":1},"repository":"acme/api","installation":[3]}`, envelope{}},
		{"members of other types", `{"repository":{"full_name":7},"installation":{"id":"3"}}`, envelope{}},
		{"further inside", `{"issue":{"action":"x","repository":{"full_name":"x/x"}},"list":[{"action":"x"}],` +
			`"action":"created"}`, envelope{action: "created"}},
		{"inside of strings", `{"body":"\",\"action\":\"x\"","action":"created"}`, envelope{action: "created"}},
		{"after an escaped backslash", `{"body":"\\","action":"created"}`, envelope{action: "created"}},
		{"brackets in strings", `{"a":["]}",{"b":"{["}],"action":"created"}`, envelope{action: "created"}},
		{"escapes", `{"action":"cr\u0065ated"}`, envelope{action: "created"}},
		{"scalars", `{"a":1,"b":true,"c":-1.5e9,"action":"created"}`, envelope{action: "created"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := readEnvelope("", []byte(row.body))
			require.NoError(t, err)
			require.Equal(t, row.want, got)
		})
	}
}

func TestWhatIsNoObjectHasNoEnvelope(t *testing.T) {
	for _, body := range []string{
		``, ` `, `null`, `1`, `"x"`, `[]`, `{`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a" 1}`,
		`{a:1}`, `{"a":"x}`, `{"a":"x\"}`, `{"a":[1,2}`[:9], `{"a":{"b":1}`, `{}x`, `{}{}`, `payload=%7B%7D`,
	} {
		_, err := readEnvelope("", []byte(body))
		require.ErrorIs(t, err, errNotJSON, body)
	}
}

// FuzzEnvelope checks that the envelope is read as encoding/json reads it.
func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"action":"created","repository":{"id":1,"full_name":"acme/api"},"installation":{"id":3}}`))
	f.Add([]byte(`{"body":"\\\"}","list":[{"action":"x"},[]],"action":"created"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var got envelope
		var err error
		spent.Bound{Base: 64 << 10, PerByte: 64}.Check(t, len(body), func() { got, err = readEnvelope("", body) })
		var members map[string]json.RawMessage
		if json.Unmarshal(body, &members) != nil || members == nil || !plain(body) {
			return // then the only promise is that it terminates
		}
		require.NoError(t, err)
		var want envelope
		read(members["action"], &want.action)
		read(member(members["repository"], "full_name"), &want.repo)
		read(member(members["repository"], "id"), &want.repoID)
		read(member(members["installation"], "id"), &want.installation)
		require.Equal(t, want, got)
	})
}

// plain reports whether a text has no name of the envelope twice, and no escapes.
func plain(body []byte) bool {
	for _, name := range []string{`"action"`, `"repository"`, `"full_name"`, `"installation"`, `"id"`} {
		if bytes.Count(body, []byte(name)) > 1 {
			return false
		}
	}
	return !bytes.Contains(body, []byte(`\u`))
}

func member(object json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	read(object, &members)
	return members[name]
}

func read(value json.RawMessage, into any) {
	if len(value) > 0 {
		_ = json.Unmarshal(value, into) // of another type: treated as absent
	}
}
