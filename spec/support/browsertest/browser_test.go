package browsertest

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The watch must see what pages must not do.
func TestComplaints(t *testing.T) {
	b := New(t)
	page := filepath.Join(t.TempDir(), "page.html")
	text := `<!DOCTYPE html><title>bad</title><p>bad</p><img src="http://127.0.0.1:9/picture.png"><script>console.error("told"); setTimeout(() => { throw new Error("thrown") })</script>`
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: page}).String()
	b.Open(address, address)
	all := strings.Join(b.Complaints(), "\n")
	for _, want := range []string{"the page asked for http://127.0.0.1:9/picture.png", "console: error", "exception: Uncaught"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing from:\n%s", want, all)
		}
	}
}
