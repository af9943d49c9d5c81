package oracle

import (
	"fmt"
	"reflect"
	"sync"
	"time"
)

// unrecorded are the fields of promotion that no decision reads: where freight comes from, the text that is written into
// files, and the id by which GitHub knows a pipeline. A promotion's place in the queue is its place in the recorded list.
var unrecorded = map[string]bool{
	"promotion.Pipeline.ID":         true,
	"promotion.Promotion.Place":     true,
	"promotion.Warehouse.Versions":  true,
	"promotion.Warehouse.Reporters": true,
	"promotion.Assignment.Value":    true,
	"promotion.Input.Value":         true,

	// What a recorded stage says itself is now said by its targets: placesOf translates it.
	"promotion.Stage.OneDeployment": true,
	"recorded.Stage.Changes":        true,
	"recorded.Stage.Copies":         true,
	"recorded.Stage.Verify":         true,
	"recorded.Stage.Environment":    true,
	"recorded.Stage.EnvironmentURL": true,
}

// derived are the fields that adapt.go makes of others.
var derived = map[string]bool{
	"promotion.Stage.Delivery": true,
	"recorded.Stage.Direct":    true,
	"promotion.Attempt.State":  true,
	"recorded.Attempt.Begun":   true,
}

// translator copies values between types that have the same fields. It says, by the type that is made, how to make what
// needs more than that.
type translator map[reflect.Type]func(to, from reflect.Value)

// copyTo makes to, a pointer, a deep copy of from. It panics when a field of either has no counterpart: then the two
// types have grown apart, and need a function that translates them.
func (t translator) copyTo(to, from any) {
	t.translate(reflect.ValueOf(to).Elem(), reflect.ValueOf(from))
}

func (t translator) translate(to, from reflect.Value) {
	if own := t[to.Type()]; own != nil {
		own(to, from)
		return
	}
	switch {
	case to.Type() == reflect.TypeFor[time.Time]():
		to.Set(reflect.ValueOf(from.Interface().(time.Time).Round(0).UTC()))
	case to.Kind() != from.Kind():
		panic(fmt.Sprintf("a %s cannot be made of a %s", to.Type(), from.Type()))
	case to.Kind() == reflect.Struct:
		for _, f := range fieldsOf(to.Type(), from.Type()) {
			t.translate(to.Field(f.to), from.Field(f.from))
		}
	case to.Kind() == reflect.Slice:
		t.translateList(to, from)
	case to.Kind() == reflect.Map:
		t.translateMap(to, from)
	case to.Kind() == reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
			t.translate(to.Elem(), from.Elem())
		}
	default:
		to.Set(from.Convert(to.Type()))
	}
}

func (t translator) translateList(to, from reflect.Value) {
	if from.IsNil() {
		return
	}
	to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
	for i := range from.Len() {
		t.translate(to.Index(i), from.Index(i))
	}
}

func (t translator) translateMap(to, from reflect.Value) {
	if from.IsNil() {
		return
	}
	to.Set(reflect.MakeMap(to.Type()))
	for key, value := range from.Seq2() {
		copied := reflect.New(to.Type().Elem()).Elem()
		t.translate(copied, value)
		to.SetMapIndex(key.Convert(to.Type().Key()), copied)
	}
}

// fieldPair is the place of a field in two types.
type fieldPair struct{ to, from int }

var fieldPairs sync.Map // of [2]reflect.Type: []fieldPair

// fieldsOf returns the fields that two structs have in common.
func fieldsOf(to, from reflect.Type) []fieldPair {
	key := [2]reflect.Type{to, from}
	if known, ok := fieldPairs.Load(key); ok {
		return known.([]fieldPair)
	}
	var all []fieldPair
	for i := range to.NumField() {
		if f := to.Field(i); copied(to, f) {
			source, ok := from.FieldByName(f.Name)
			if !ok || len(source.Index) > 1 {
				panic(fmt.Sprintf("%s.%s has no counterpart in %s", to, f.Name, from))
			}
			all = append(all, fieldPair{i, source.Index[0]})
		}
	}
	for i := range from.NumField() {
		if f := from.Field(i); copied(from, f) {
			if _, ok := to.FieldByName(f.Name); !ok {
				panic(fmt.Sprintf("%s.%s has no counterpart in %s", from, f.Name, to))
			}
		}
	}
	fieldPairs.Store(key, all)
	return all
}

// copied reports whether a field is part of a recording.
func copied(of reflect.Type, f reflect.StructField) bool {
	name := of.String() + "." + f.Name
	return f.IsExported() && !unrecorded[name] && !derived[name]
}
