package fabric

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
	"github.com/seed-105a2da2/unknot/spec/support/prompt"
)

// Options says how a folder is read.
type Options struct {
	Name string // of the fabric and, in errors, of the folder
	// SL is the SL of every path, instead of those that the dump names; nil: the dump's.
	SL *int
	// LeaveOut has ends of descriptions: a host with one of them neither sends nor receives.
	LeaveOut []string
}

// Read reads the dumps in a folder. It recognises the kind of a file by its content, gzipped
// or not, and ignores others. A subnet list or the output of ibnetdiscover suffices;
// several files of a kind must agree. Faults are *spec.PosError.
// Time is linear in the text; memory is, too, except for at most 2^28 entries of tables.
func Read(ctx context.Context, dir fs.FS, opt Options) (*Fabric, error) {
	f := &Fabric{Name: cmp.Or(opt.Name, "fabric")}
	files, err := classify(dir, opt.Name)
	if err != nil {
		return nil, err
	}
	f.Files = files
	for _, file := range files {
		switch file.Kind {
		case kindBroken:
			f.warn("%s: cannot be unpacked: ignored", path.Join(opt.Name, file.Name))
		case kindClosed:
			f.warn("%s: cannot be read: ignored", path.Join(opt.Name, file.Name))
		case kindQuery:
			f.warn("%s: the output of smpquery sl2vl is not read: opensm-sl2vl.dump has the same tables",
				path.Join(opt.Name, file.Name))
		case kindPasted:
			f.warn("%s: begins with the prompt of a terminal, or lines of another program: ignored, as other files tell the same", path.Join(opt.Name, file.Name))
		case kindEmpty:
			f.warn("%s: the file is empty", path.Join(opt.Name, file.Name))
		}
	}
	s := newSubnet()
	groups := byKind(files) // which know nothing of each other
	err = each.Do(ctx, runtime.GOMAXPROCS(0), len(groups), func(_, i int) error {
		for _, file := range groups[i] {
			if err := f.read(ctx, dir, file, path.Join(opt.Name, file.Name), s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	missing := func(what string) error {
		if i := slices.IndexFunc(files, func(file File) bool { return file.Kind == kindBroken }); i >= 0 {
			what += "; " + spec.Printable(files[i].Name) + " cannot be unpacked"
		}
		return fmt.Errorf("%s: want %s", f.Name, what)
	}
	if len(s.devices) == 0 {
		return nil, missing("a subnet list (opensm-subnet.lst) or the output of ibnetdiscover")
	}
	if len(s.tables) == 0 {
		tables := "forwarding tables (opensm.fdbs, opensm-lfts.dump, or the outputs of dump_lfts or ibroute)"
		if file := unrouted(files); file != "" {
			tables += "; --route ENGINE routes the topology in the file " + path.Join(opt.Name, spec.Printable(file))
		}
		return nil, missing(tables)
	}
	return f, f.finish(s, opt)
}

// byKind groups files that are read one after the other: those that describe the subnet,
// and those of each other kind.
func byKind(files []File) (groups [][]File) {
	for i, file := range files {
		if i > 0 && (file.Kind == files[i-1].Kind || file.Kind == kindDiscovery) {
			groups[len(groups)-1] = append(groups[len(groups)-1], file)
		} else {
			groups = append(groups, []File{file})
		}
	}
	return groups
}

// finish makes the fabric from what was read.
func (f *Fabric) finish(s *subnet, opt Options) error {
	if err := s.nodes(f); err != nil {
		return err
	}
	f.nameNodes()
	if err := s.assign(f); err != nil {
		return err
	}
	f.inferLMC()
	if err := f.ownLIDs(); err != nil {
		return err
	}
	if err := f.leaveOut(opt.LeaveOut); err != nil {
		return err
	}
	f.adviseAggregation()
	for i := range f.Nodes {
		n := &f.Nodes[i]
		n.sl2vl = s.lanes[n.PortGUID]
		if row, ok := n.sl2vl[[2]uint8{0, 0}]; ok && !f.IsSwitch(i) { // its row does not name the port
			n.sl2vl = map[[2]uint8]lanes{{0, uint8(n.Port)}: row}
		}
	}
	if f.Used == "" {
		f.Asked, f.Used = s.log.asked, s.log.used
	}
	f.hasVLs = len(s.lanes) > 0
	s.ofLIDs(f)
	f.paths, f.hasSLs = s.paths, len(s.paths) > 0
	if opt.SL != nil {
		f.assume(*opt.SL)
	}
	f.countSLs()
	f.advise(s)
	return nil
}

// assume has every path use one SL.
func (f *Fabric) assume(sl int) {
	f.paths, f.hasSLs = map[uint64][]uint16{}, true
	of := make([]uint16, len(f.owner))
	for lid := range of {
		of[lid] = 1 << sl
	}
	for i := range f.Nodes {
		f.paths[f.Nodes[i].GUID] = of
	}
}

// read reads one file.
func (f *Fabric) read(ctx context.Context, dir fs.FS, file File, name string, s *subnet) error {
	var readLine func(*line) error
	switch file.Kind {
	case kindPrompt:
		return &spec.PosError{File: name, Line: 1, Col: 1, Msg: prompt.Advice}
	case kindQuoted:
		return &spec.PosError{File: name, Line: 1, Col: 1,
			Msg: `the text is quoted, as in a mail: delete "> " before each line`}
	case kindForeign:
		return foreign(dir, file.Name, name)
	case kindSubnet:
		readLine = s.readSubnet
	case kindDiscovery:
		readLine = (&discovery{s: s}).read
	case kindTables:
		readLine = (&forwarding{s: s}).read
	case kindLanes:
		readLine = (&virtualLanes{s: s}).read
	case kindPaths:
		readLine = (&pathSLs{s: s}).read
	case kindRecords:
		readLine = (&pathRecords{s: s}).read
	case kindLog:
		readLine = s.log.read
	case kindOptions:
		readLine = f.readOption
	case kindMulticast, kindQuery, kindBroken, kindClosed, kindEmpty, kindPasted:
		return nil
	}
	in, err := open(dir, file.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer in.Close()
	if file.Kind == kindRun {
		return f.readRun(name, in)
	}
	err = eachLine(ctx, name, in, readLine)
	if file.Kind == kindLog && ctx.Err() == nil { // others write there, too, and the tables stand without it
		s.log.name, s.log.wrong = name, err
		return nil
	}
	return err
}

// foreign is the error about lines of another program above a dump.
func foreign(dir fs.FS, file, name string) error {
	head, err := headOf(dir, file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	lines := "delete this line"
	kind, above := belowOthers(head)
	if above > 1 {
		lines = fmt.Sprintf("delete lines 1 to %d", above)
	}
	return &spec.PosError{File: name, Line: 1, Col: 1, Msg: fmt.Sprintf("of another program, above %s: %s", kind, lines)}
}

// readOption reads the number of VLs in opensm.conf: max_op_vls 1 to 5 mean 1, 2, 4, 8
// and 15 lanes.
func (f *Fabric) readOption(l *line) error {
	if !l.take("max_op_vls") {
		return nil
	}
	v, err := l.field("", 10, 5)
	if err == nil && v > 0 {
		f.MaxVLs = [...]int{1, 2, 4, 8, 15}[v-1]
	}
	return err
}

// readRun reads which engine was asked for and which was used.
func (f *Fabric) readRun(name string, in io.Reader) error {
	const most = 1 << 20
	var run struct {
		Args []string `json:"opensm_args"`
		Used string   `json:"engine_used"`
	}
	if err := json.NewDecoder(io.LimitReader(in, most)).Decode(&run); err != nil {
		return &spec.PosError{File: name, Line: 1, Col: 1, Msg: err.Error()}
	}
	f.Used = spec.Printable(run.Used)
	for i, arg := range run.Args {
		if (arg == "-R" || arg == "--routing_engine") && i+1 < len(run.Args) {
			f.Asked = spec.Printable(run.Args[i+1])
		}
	}
	return nil
}
