// Site writes a static site: the guide, a playground in which unknot-page runs, the field cases, the papers and the
// exercises. It needs no server of its own, and asks no other. .ci/site calls it:
//
//	go run ./cmd/unknot-page/site -program unknot-page.wasm -runtime wasm_exec.js DIR
//
// From a file, the guide works, and the playground says why it does not.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// Design of the site.
//
//   - Every page is whole without a script, except for the playground. All layout is made here.
//   - The program is stored packed, under a name that no server takes for an encoding, and unpacked by the browser.
//   - A policy in every page forbids requests elsewhere. The reports of the playground are pages of their own, whose
//     script the policy knows by its digest.
//   - The service worker has the list of all files, under the digest of their contents: after the first visit the site
//     works offline, and a new version replaces the old one whole.
//   - The same commit and the same Go write the same bytes.

//go:embed assets
var assets embed.FS

// site is what is written, by path.
type site struct {
	files  map[string][]byte
	search []section
	policy string
}

func main() {
	program := flag.String("program", "", "unknot-page, compiled for GOOS=js GOARCH=wasm")
	runtime := flag.String("runtime", "", "wasm_exec.js of the Go that compiled it")
	flag.Parse()
	if flag.NArg() != 1 || *program == "" || *runtime == "" {
		fmt.Fprintln(os.Stderr, "usage: site -program FILE -runtime FILE DIR")
		os.Exit(2)
	}
	if err := build(context.Background(), *program, *runtime, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(2)
	}
}

func build(ctx context.Context, program, runtime, dir string) error {
	s := &site{files: map[string][]byte{}}
	if err := s.program(program, runtime); err != nil {
		return err
	}
	for _, make := range []func(context.Context) error{
		s.assets, s.guide, s.papers, s.fieldCases, s.playground, s.index, s.links, s.worker,
	} {
		if err := make(ctx); err != nil {
			return err
		}
	}
	return s.write(dir)
}

// most is how large a file that goes into the site can be.
const most = 1 << 28

// program packs the program.
func (s *site) program(program, runtime string) error {
	text, err := limited.ReadFile(program, most)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	s.files["unknot-page.bin"] = b.Bytes()
	s.files["wasm_exec.js"], err = limited.ReadFile(runtime, most)
	return err
}

// assets copies scripts and styles.
func (s *site) assets(context.Context) error {
	files, err := fs.Glob(assets, "assets/*.[cj]s*")
	for _, name := range files {
		if s.files[filepath.Base(name)], err = assets.ReadFile(name); err != nil {
			return err
		}
	}
	return err
}

// worker writes the service worker, which has the list of all files, and their digest as its version.
func (s *site) worker(context.Context) error {
	names := slices.Sorted(maps.Keys(s.files))
	names = slices.DeleteFunc(names, func(name string) bool { return name == "service-worker.js" })
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%s %x\n", name, sha256.Sum256(s.files[name]))
	}
	list, err := json.Marshal(names)
	if err != nil {
		return err
	}
	version := hex.EncodeToString(h.Sum(nil))[:16]
	const head = "const version = %q;\nconst files = %s;\n%s"
	s.files["service-worker.js"] = fmt.Appendf(nil, head, "unknot-"+version, list, s.files["service-worker.js"])
	return nil
}

// write writes all files into a folder, which must be empty or missing.
func (s *site) write(dir string) error {
	if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
		return fmt.Errorf("%s is not empty", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, s.files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
