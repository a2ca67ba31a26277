package explorer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"golang.org/x/net/html"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

const (
	host  = "127.0.0.1:4711"
	token = "TOKENTOKENTOKEN"
)

func handler(t testing.TB, o Options) http.Handler {
	t.Helper()
	h, err := Handler(host, token, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// get asks for a path below the token.
func get(h http.Handler, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://"+host+"/"+token+"/"+path, nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Only a request with the token, at this address, and from no other site, gets anything.
func TestGuard(t *testing.T) {
	h := handler(t, Options{Machine: modeltest.Machine(t, "peterson", nil)})
	for name, tt := range map[string]struct {
		method, path, host string
		head               map[string]string
		want               int
	}{
		"typed":                  {want: 200},
		"typed, says so":         {head: map[string]string{"Sec-Fetch-Site": "none"}, want: 200},
		"from the page":          {head: map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://" + host}, want: 200},
		"head":                   {method: "HEAD", want: 200},
		"another origin":         {head: map[string]string{"Origin": "http://example.com"}, want: 403},
		"no origin to speak of":  {head: map[string]string{"Origin": "null"}, want: 403},
		"another port":           {head: map[string]string{"Origin": "http://127.0.0.1:80"}, want: 403},
		"https":                  {head: map[string]string{"Origin": "https://" + host}, want: 403},
		"a link on another site": {head: map[string]string{"Sec-Fetch-Site": "cross-site"}, want: 403},
		"another port's page":    {head: map[string]string{"Sec-Fetch-Site": "same-site"}, want: 403},
		"rebound name":           {host: "evil.example:4711", want: 421},
		"localhost":              {host: "localhost:4711", want: 421},
		"no port":                {host: "127.0.0.1", want: 421},
		"post":                   {method: "POST", want: 405},
		"delete":                 {method: "DELETE", want: 405},
		"no token":               {path: "/", want: 404},
		"only the token":         {path: "/" + token, want: 404},
		"another token":          {path: "/" + strings.ToLower(token) + "/", want: 404},
		"part of the token":      {path: "/" + token[1:] + "/", want: 404},
		"more than the token":    {path: "/" + token + "x/", want: 404},
		"token further on":       {path: "/x/" + token + "/", want: 404},
		"style without it":       {path: "/walk.css", want: 404},
		"style":                  {path: "/" + token + "/walk.css", want: 200},
		"script":                 {path: "/" + token + "/walk.js", want: 200},
		"nothing there":          {path: "/" + token + "/nothing", want: 404},
		"no such start":          {path: "/" + token + "/walk/7", want: 404},
		"no such move":           {path: "/" + token + "/walk/0.999", want: 404},
		"no trace":               {path: "/" + token + "/walk/x", want: 404},
		"too long to find":       {path: "/" + token + "/walk/0?find=" + strings.Repeat("x", 201), want: 400},
	} {
		method, path := tt.method, tt.path
		if method == "" {
			method = "GET"
		}
		if path == "" {
			path = "/" + token + "/"
		}
		r := httptest.NewRequest(method, "http://"+host+path, nil)
		if tt.host != "" {
			r.Host = tt.host
		}
		for k, v := range tt.head {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%s: %d, want %d: %.80s", name, w.Code, tt.want, w.Body)
		}
		if w.Code != 200 && strings.Contains(w.Body.String(), token) {
			t.Errorf("%s: the answer tells the token", name)
		}
		if !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") || w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", name, w.Header())
		}
	}
}

// Whatever is typed is answered, never with a panic or a server error.
func TestAnyAddress(t *testing.T) {
	h := handler(t, Options{Machine: traffic(t, modeltest.Network(t, "ring", nil), spec.Scenario{Sink: 1})})
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9.]{0,12}`)).Draw(t, "path")
		r := httptest.NewRequest(http.MethodGet, "http://"+host+"/", nil)
		r.URL = &url.URL{Path: "/" + token + "/walk/" + path}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 404 && w.Code/100 != 3 {
			t.Fatalf("%q: %d %s", path, w.Code, w.Body)
		}
	})
}

// links returns the addresses of a page's links, by the value of an attribute.
func links(t testing.TB, page io.Reader, attribute string) map[string]string {
	t.Helper()
	root, err := html.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for n := range root.Descendants() {
		var key, href string
		for _, a := range n.Attr {
			if a.Key == attribute {
				key = a.Val
			}
			if a.Key == "href" {
				href = a.Val
			}
		}
		if n.Data == "a" && key != "" {
			out[key] = strings.TrimPrefix(href, "../")
		}
	}
	return out
}

// Following the link of the trace from the start leads to its end, and the page says what
// is there.
func TestAlongTheTrace(t *testing.T) {
	n := modeltest.Network(t, "torus", map[string]string{"routing": "dor"})
	trace := deadlock(t, n)
	o, err := Follow(evidence.Trace{Network: n, Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	h := handler(t, o)
	path := ""
	for range trace.Moves {
		next := links(t, get(h, path).Body, "id")["follow"]
		if next == "" {
			t.Fatalf("no way on from %q", path)
		}
		path = next
	}
	if path != "walk/"+o.Trace.String() {
		t.Errorf("the way ends at %s, the trace at %s", path, o.Trace)
	}
	text := get(h, path).Body.String()
	for _, want := range []string{"deadlock", "✗</span> deadlock: weak", `<path class="strong"`, "step 4 of 4 of the trace"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the last page", want)
		}
	}
	off := links(t, get(h, "").Body, "data-move")
	on := links(t, get(h, "").Body, "id")["follow"]
	for _, to := range off {
		if to == on {
			continue
		}
		if text := get(h, to).Body.String(); !strings.Contains(text, "off the trace") {
			t.Errorf("%s is not off the trace", to)
		}
		break
	}
}

// Every move of a page leads to a page on which its effect is what changed.
func TestMovesAreLinks(t *testing.T) {
	for _, m := range []states.Machine{modeltest.Machine(t, "peterson", nil), traffic(t, modeltest.Network(t, "ring", nil), spec.Scenario{})} {
		h := handler(t, Options{Machine: m})
		next, err := m.AppendSuccessors(nil, m.Start(nil)[:m.Layout().Words()])
		if err != nil {
			t.Fatal(err)
		}
		moves := links(t, get(h, "").Body, "data-move")
		if want := len(next) / m.Layout().Words(); len(moves) != want {
			t.Errorf("%s: %d links for %d moves", m.Name(), len(moves), want)
		}
		for _, to := range moves {
			w := get(h, to)
			if w.Code != 200 || !strings.Contains(w.Body.String(), "after 1 step.") {
				t.Errorf("%s: %d", to, w.Code)
			}
			back := links(t, w.Body, "id")["back"]
			if back != "walk/0" {
				t.Errorf("the way back from %s is %s", to, back)
			}
		}
	}
}

// TestInjections: if very many packets can be injected, a page lists the nodes and the injections
// of the requested one; over all nodes none is
// missing.
func TestInjections(t *testing.T) {
	m := traffic(t, modeltest.Network(t, "torus", nil), spec.Scenario{})
	h := handler(t, Options{Machine: m})
	first := get(h, "").Body.String()
	if got := len(links(t, strings.NewReader(first), "data-move")); got != 0 {
		t.Errorf("%d moves on the first page, want none before a node is chosen", got)
	}
	listed := 0
	if !strings.Contains(first, "The network is empty: every buffer is free") {
		t.Error("the first page does not say what the state is")
	}
	for v := range m.Network().Topology().Nodes() {
		at := fmt.Sprintf("?at=%d", v)
		if strings.Count(first, `href="`+at+`#moves"`) != 2 {
			t.Errorf("node %d is not both in the list and in the drawing", v)
		}
		listed += len(links(t, get(h, at).Body, "data-move"))
	}
	if want := len(m.Moves(m.Empty())); listed != want {
		t.Errorf("%d injections listed, of %d", listed, want)
	}
	for _, at := range []string{"?at=16", "?at=2147483647"} {
		if got := len(links(t, get(h, at).Body, "data-move")); got != 0 {
			t.Errorf("%s: %d moves at a node that there is not", at, got)
		}
	}
	for _, at := range []string{"?at=-1", "?at=x", "?at=4294967296"} {
		if code := get(h, at).Code; code != 400 {
			t.Errorf("%s: %d, want 400", at, code)
		}
	}
}

// Finding shows the moves that contain a text, and no others.
func TestFind(t *testing.T) {
	m := traffic(t, modeltest.Network(t, "ring", nil), spec.Scenario{})
	h := handler(t, Options{Machine: m})
	want := 0
	for _, move := range m.Moves(m.Empty()) {
		if strings.Contains(m.Describe(move), "for 2") {
			want++
		}
	}
	if got := len(links(t, get(h, "walk/0?find=for+2").Body, "data-move")); got != want || want == 0 {
		t.Errorf("%d moves found, want %d", got, want)
	}
}

func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	urls := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, 0, Options{Machine: modeltest.Machine(t, "peterson", nil)}, func(u string) { urls <- u })
	}()
	var address string
	select {
	case address = <-urls:
	case err := <-ended:
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() != "127.0.0.1" || len(strings.Trim(u.Path, "/")) < 24 {
		t.Fatalf("%s: %v", address, err)
	}
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("%s: %s", address, response.Status)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on after its context has ended")
	}
	if response, err := http.Get(address); err == nil {
		response.Body.Close()
		t.Error("it answers after its end")
	}
}

func TestServeRefuses(t *testing.T) {
	if err := Serve(context.Background(), 0, Options{}, func(string) { t.Error("announced") }); err == nil {
		t.Error("there is nothing to walk")
	}
	if err := Serve(context.Background(), 70000, Options{Machine: modeltest.Machine(t, "peterson", nil)}, func(string) { t.Error("announced") }); err == nil {
		t.Error("there is no such port")
	}
	bad := &Run{Choices: slices.Repeat([]int{1 << 20}, 3)}
	if _, err := Handler(host, token, Options{Machine: modeltest.Machine(t, "peterson", nil),
		Trace: bad}); err == nil || !strings.Contains(err.Error(), "the trace") {
		t.Errorf("a trace that is not possible: %v", err)
	}
}
