package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"waybill/config"
)

// FuzzLoad loads any bytes: Load never panics, makes a pipeline exactly when there is no error, and every problem has a
// place.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(pipelineOfDesign), []byte(config.AutomaticEverywhere))
	f.Add([]byte("version: 1\nallow: &a [*a]\n"), []byte("version: 1\nmay: {admit: [{teams: [x], stages: ['*']}]}"))
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(text).Files {
			f.Add(file.Data, file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, pipeline, policy []byte) {
		p, problems := config.Load(config.Sources{Home: "acme/deploy", Branch: "main", Pipeline: pipeline, Policy: policy})
		if (p == nil) != (len(problems.Errors()) > 0) {
			t.Fatalf("a pipeline is there: %v, but the problems are\n%s", p != nil, problems)
		}
		for _, one := range problems {
			if one.Line < 1 || one.Col < 1 || one.Message == "" {
				t.Fatalf("%+v has no place or no message", one)
			}
		}
	})
}
