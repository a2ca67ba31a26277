package program_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestGuide: the page of the user guide on machines names every key and every operator of the schema.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile("../../cmd/unknot/guide/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("program.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var all any
	if err := json.Unmarshal(schema, &all); err != nil {
		t.Fatal(err)
	}
	names := 0
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				visit(x)
			}
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			for key := range properties {
				names++
				if !strings.Contains(string(text), "`"+key+"`") && !strings.Contains(string(text), `"`+key+`"`) {
					t.Errorf("the guide says nothing of the key %s", key)
				}
			}
			operators, _ := v["enum"].([]any)
			for _, op := range append(operators, v["const"]) {
				if op != nil && !strings.Contains(string(text), `"`+op.(string)+`"`) && !strings.Contains(string(text), op.(string)) {
					t.Errorf("the guide says nothing of %s", op)
				}
			}
			for _, x := range v {
				visit(x)
			}
		}
	}
	visit(all)
	if names < 10 {
		t.Errorf("the schema has %d keys", names)
	}
}
