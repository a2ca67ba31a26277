package fabric

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/prompt"
)

// Kinds of files, in the order in which they are read.
const (
	kindSubnet    = "subnet list"
	kindDiscovery = "ibnetdiscover"
	kindTables    = "forwarding tables"
	kindLanes     = "SL2VL tables"
	kindPaths     = "path SLs"
	kindOptions   = "options of the subnet manager"
	kindRun       = "run of the subnet manager"
	kindLog       = "log of the subnet manager"
	kindRecords   = "path records"
	kindMulticast = "multicast tables, not checked"
	kindQuery     = "output of smpquery sl2vl, not read"
	kindBroken    = "begins as gzip, but cannot be unpacked"
	kindClosed    = "cannot be read"
	kindEmpty     = "empty"
	kindPrompt    = "begins with the prompt of a terminal"
	kindQuoted    = "is quoted, as in a mail"
	kindForeign   = "begins with lines of another program"
	kindPasted    = "begins with the prompt of a terminal, or lines of another program, not read"
)

// Is reports whether a folder holds dumps of a subnet: forwarding tables, a subnet list
// or the output of ibnetdiscover, or unreadable files with names of dumps. [Read] says what
// else it needs, and what is wrong.
func Is(dir fs.FS) bool {
	files, err := classify(dir, "")
	if err != nil {
		entries, _ := fs.ReadDir(dir, ".")
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return namedAsDump(e.Name()) })
	}
	return slices.ContainsFunc(files, func(f File) bool {
		return f.Kind == kindTables || f.Kind == kindSubnet || f.Kind == kindDiscovery || f.Kind == kindPrompt ||
			f.Kind == kindForeign || f.Kind == kindQuoted
	})
}

// Unrouted returns the name of the output of ibnetdiscover in a folder that has one, and no forwarding tables: the file
// alone is a topology, to be routed. Otherwise "".
func Unrouted(dir fs.FS) string {
	files, err := classify(dir, "")
	if err != nil {
		return ""
	}
	return unrouted(files)
}

func unrouted(files []File) (name string) {
	for _, f := range files {
		switch {
		case f.Kind == kindTables, f.Kind == kindDiscovery && name != "":
			return ""
		case f.Kind == kindDiscovery:
			name = f.Name
		}
	}
	return name
}

// namedAsDump reports whether a file has a name that the programs use by default.
func namedAsDump(name string) bool {
	return strings.HasPrefix(name, "opensm") || strings.HasPrefix(name, "ibnetdiscover")
}

// namedAsTables reports whether a file has a name that tables have in the guide or by default.
func namedAsTables(name string) bool {
	return strings.HasPrefix(name, "psl") || slices.ContainsFunc([]string{".dump", ".fdbs", ".lst"},
		func(end string) bool { return strings.Contains(name, end) })
}

// classify lists the files of a folder that are dumps, in the order to read them.
func classify(dir fs.FS, name string) ([]File, error) {
	const mostFiles = 1000
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, err
	}
	if len(entries) > mostFiles {
		return nil, &spec.BoundError{What: "files in " + name, Limit: mostFiles}
	}
	var files []File
	pasted := map[string]string{} // what is below the prompt, or the foreign lines, of a file
	for _, e := range entries {
		info, err := fs.Stat(dir, e.Name())
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		head, err := headOf(dir, e.Name())
		kind := kindOf(head)
		if below, ok := prompt.Above(head); ok && kindOf(below) != "" {
			kind, pasted[e.Name()] = kindPrompt, kindOf(below)
		} else if of := kindOf(unquoted(head)); kind == "" && of != "" {
			kind, pasted[e.Name()] = kindQuoted, of
		} else if of, _ := belowOthers(head); kind == "" && of != "" {
			kind, pasted[e.Name()] = kindForeign, of
		}
		switch {
		case notGzip(err):
			if kind == "" {
				kind = kindBroken
			}
		case err == nil && info.Size() < 2 && namedAsTables(e.Name()): // of a full disk, say
			kind = kindEmpty
		case errors.Is(err, fs.ErrPermission) && !namedAsDump(e.Name()): // OpenSM writes where all logs are
			kind = kindClosed
		case err != nil:
			if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
				err = wrong.Err
			}
			return nil, fmt.Errorf("%s: %w", path.Join(name, spec.Printable(e.Name())), err)
		}
		if kind != "" {
			files = append(files, File{e.Name(), kind})
		}
	}
	files = newestLog(files)
	said := map[string]bool{}
	for _, file := range files {
		said[tells(file.Kind)] = true
	}
	for i, file := range files {
		below, above := pasted[file.Name], []string{kindPrompt, kindForeign, kindQuoted}
		if slices.Contains(above, file.Kind) && (tells(below) == "" || said[tells(below)]) {
			files[i].Kind = kindPasted
		}
	}
	order := []string{kindPrompt, kindQuoted, kindForeign, kindSubnet, kindDiscovery, kindTables, kindLanes, kindPaths,
		kindRecords, kindOptions, kindRun, kindLog, kindMulticast, kindQuery, kindBroken, kindClosed, kindEmpty, kindPasted}
	slices.SortStableFunc(files, func(a, b File) int {
		return slices.Index(order, a.Kind) - slices.Index(order, b.Kind)
	})
	return files, nil
}

// unquoted removes the marks that programs for mail put before the lines that they quote; of a text whose first line has
// none it returns nil.
func unquoted(head []byte) []byte {
	if !bytes.HasPrefix(head, []byte("> ")) {
		return nil
	}
	return bytes.ReplaceAll(head[len("> "):], []byte("\n> "), []byte("\n"))
}

// belowOthers returns the kind of a dump below lines of other programs, such as a prompt or what a shell that joined
// standard error to it let in, and how many lines those are; "" if there is none. It looks below the first lines alone.
func belowOthers(head []byte) (kind string, above int) {
	const most = 10
	for i := range most {
		_, below, ended := bytes.Cut(head, []byte("\n"))
		if !ended {
			break
		}
		if kind := kindOf(below); tells(kind) != "" {
			return kind, i + 1
		}
		head = below
	}
	return "", 0
}

// tells returns what the verdict takes from a kind of file, "" if it does not depend on it: a file that was
// copied with its prompt is an extra sample where another tells the same, and a gap where none does.
func tells(kind string) string {
	switch kind {
	case kindSubnet, kindDiscovery:
		return "nodes and links"
	case kindPaths, kindRecords:
		return "SLs"
	case kindTables, kindLanes:
		return kind
	}
	return ""
}

// newestLog leaves out the logs that have been rotated away: their names are longer.
func newestLog(files []File) []File {
	newest := ""
	for _, file := range files {
		if file.Kind == kindLog && (newest == "" || len(file.Name) < len(newest)) {
			newest = file.Name
		}
	}
	return slices.DeleteFunc(files, func(file File) bool { return file.Kind == kindLog && file.Name != newest })
}

// kindOf recognises the kind of a file by its beginning; "" if it is not a dump.
func kindOf(head []byte) string {
	has := func(text string) bool { return bytes.Contains(head, []byte(text)) }
	first := ""
	for l := range bytes.Lines(bytes.TrimPrefix(head, byteOrder)) {
		text := strings.TrimSpace(string(l))
		if strings.HasPrefix(text, "# Topology file:") {
			return kindDiscovery
		}
		if strings.HasPrefix(text, "# SL2VL table:") {
			return kindQuery
		}
		if text != "" && !strings.HasPrefix(text, "***") && text[0] != '#' {
			first = text
			break
		}
	}
	switch {
	case strings.HasPrefix(first, "{ ") && strings.Contains(first, "NodeGUID:"):
		return kindSubnet
	case strings.HasPrefix(first, "Multicast mlids"),
		strings.HasPrefix(first, "Switch 0x") && (has("MLID") || has("Out Port(s)")):
		return kindMulticast
	case strings.HasPrefix(first, "Unicast lids"), strings.Contains(first, "dump_ucast_routes: Switch 0x"):
		return kindTables
	case (strings.HasPrefix(first, "Switch 0x") || strings.HasPrefix(first, "Channel Adapter 0x")) &&
		strings.Contains(first, "base LID"):
		return kindLanes
	case strings.HasPrefix(first, "vendid="):
		return kindDiscovery
	case isPathSL(first):
		return kindPaths
	case first == "PathRecord dump:":
		return kindRecords
	case strings.Contains(first, "] 0x") && strings.Contains(first, " -> "):
		return kindLog
	case strings.HasPrefix(first, "{") && has(`"engine_used"`):
		return kindRun
	case has("\nmax_op_vls ") || strings.HasPrefix(first, "max_op_vls "):
		return kindOptions
	}
	return ""
}

// isPathSL reports whether a line is one of a list of path SLs: a GUID, a LID and SLs, in decimal, with commas between
// the SLs. Other lists of a subnet manager begin with a GUID, too: guid2lid has LIDs in hexadecimal behind it, the map
// of node names a quoted name, and the order in which ports are searched their numbers.
func isPathSL(line string) bool {
	f := strings.Fields(line)
	return len(f) >= 3 && strings.HasPrefix(f[0], "0x") && !strings.HasPrefix(f[1], "0x") && f[1][0] != '"' &&
		(len(f) == 3 || strings.Contains(line, ","))
}

// mostHead is how many bytes of a file tell its kind.
const mostHead = 16 << 10

// headOf returns the first bytes of a file, unpacked. A gzipped file that ends early may
// yield some, or none, along with the error.
func headOf(dir fs.FS, name string) ([]byte, error) {
	in, err := open(dir, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head := make([]byte, mostHead)
	n := 0
	for n < len(head) && err == nil {
		var more int
		more, err = in.Read(head[n:])
		n += more
	}
	if !notGzip(err) || errors.Is(err, io.EOF) { // the whole file, or one whose fault is reported when it is read
		err = nil
	}
	return head[:n], err
}

// notGzip reports whether an error says that a file begins like gzip but is not, or is incomplete.
func notGzip(err error) bool {
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(flate.CorruptInputError))
}

// packed is a gzipped file, unpacked while it is read.
type packed struct {
	io.Reader
	fs.File
}

func (p packed) Read(b []byte) (int, error) { return p.Reader.Read(b) }

// open opens a file, and unpacks it if it is packed.
func open(dir fs.FS, name string) (io.ReadCloser, error) {
	file, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(file)
	if head, _ := in.Peek(2); len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
		return packed{in, file}, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		file.Close()
		return nil, err
	}
	return packed{z, file}, nil
}
