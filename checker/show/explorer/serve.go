package explorer

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Design. The page is for one person at this computer. The server listens on 127.0.0.1 only, and
// its addresses begin with a random token that only the terminal shows. A page of another site
// in the same browser must not get access either: requests for another host name (DNS
// rebinding), with another origin, or marked by the browser as coming from another site are
// refused, nothing can be framed, and no address is passed on as a referrer. It only answers
// questions: methods other than GET and HEAD are
// refused.

// Serve serves the walk on a port of 127.0.0.1 (0 chooses a free one) until ctx
// ends, which is not an error. It calls announce once with the address to open.
func Serve(ctx context.Context, port int, o Options, announce func(url string)) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("serving a walk: %w", err)
	}
	token := rand.Text()
	h, err := Handler(listener.Addr().String(), token, o)
	if err != nil {
		listener.Close()
		return err
	}
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	announce("http://" + listener.Addr().String() + "/" + token + "/")
	select {
	case err = <-ended:
	case <-ctx.Done():
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(within) != nil {
			server.Close()
		}
		err = <-ended
	}
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving a walk: %w", err)
	}
	return nil
}

// Handler answers requests to host (address and port) whose path begins with the
// token.
func Handler(host, token string, o Options) (http.Handler, error) {
	p, err := newPages(o)
	if err != nil {
		return nil, fmt.Errorf("serving a walk: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.start)
	mux.HandleFunc("GET /walk/{run}", p.state)
	mux.HandleFunc("GET /violation/{run}", p.violation)
	mux.HandleFunc("GET /goal/{run}", p.goal)
	mux.HandleFunc("GET /walk.css", text("text/css; charset=utf-8", p.style))
	mux.HandleFunc("GET /walk.js", text("text/javascript; charset=utf-8", walkScript))
	return guard(host, token, mux), nil
}

func text(kind, content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(content))
	}
}

// guard admits requests with the token that come from the page itself or were typed.
func guard(host, token string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src data:; form-action "+
				"'self'; base-uri 'none'; frame-ancestors 'none'")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		switch {
		case r.Host != host:
			http.Error(w, "this page is served as "+host+" alone", http.StatusMisdirectedRequest)
			return
		case origin != "" && origin != "http://"+host, site != "" && site != "none" && site != "same-origin":
			http.Error(w, "requests from another site are refused", http.StatusForbidden)
			return
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			head.Set("Allow", "GET, HEAD")
			http.Error(w, "this page changes nothing: GET and HEAD only", http.StatusMethodNotAllowed)
			return
		}
		given, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "not found: open the address that the terminal shows", http.StatusNotFound)
			return
		}
		inner := r.Clone(r.Context())
		inner.URL.Path, inner.URL.RawPath = "/"+rest, ""
		h.ServeHTTP(w, inner)
	})
}
