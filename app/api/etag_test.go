package api

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTheTagOfAnAnswerLeavesOutItsTime, or each tag would be new.
func TestTheTagOfAnAnswerLeavesOutItsTime(t *testing.T) {
	tag := func(v reflect.Value) string {
		tag, err := tagOf(v.Interface())
		require.NoError(t, err)
		return tag
	}
	dated := 0
	for _, r := range Routes {
		answers := reflect.TypeOf(r.Answers)
		if r.Method != http.MethodGet || r.stream != nil || answers.Kind() != reflect.Struct {
			continue
		}
		if at, has := answers.FieldByName("At"); has {
			dated++
			early, late := reflect.New(answers).Elem(), reflect.New(answers).Elem()
			late.FieldByIndex(at.Index).Set(reflect.ValueOf(time.Unix(1, 0)))
			require.Equal(t, tag(early), tag(late), answers)
		}
	}
	require.Equal(t, 4, dated)
	one, other := Numbers{Period: "day"}, Numbers{Period: "week"}
	require.NotEqual(t, tag(reflect.ValueOf(one)), tag(reflect.ValueOf(other)))
}

func TestTagsAreComparedWeakly(t *testing.T) {
	for sent, want := range map[string]bool{
		"": false, `"a"`: true, `W/"a"`: true, `"b"`: false, `"b", W/"a"`: true, `"b","a"`: true, "*": true, "a": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("If-None-Match", sent)
		require.Equal(t, want, has(r, `W/"a"`), sent)
	}
}
