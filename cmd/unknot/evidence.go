package main

import (
	"context"
	"io"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Names of the files in a folder of evidence.
const (
	networkFile = evidence.NetworkFile
	machineFile = evidence.MachineFile
	resultFile  = evidence.ResultFile
)

// programOf returns the program of a machine, nil if it has none.
func programOf(m states.Machine) *program.Program {
	if p, ok := m.(*program.Machine); ok {
		return p.Program()
	}
	return nil
}

// writeEvidence writes a folder of evidence, unless a file in it must not be overwritten.
func writeEvidence(ctx context.Context, dir string, r *checker.Result) error {
	return report.WriteFiles(ctx, dir, r, folder{ctx})
}

// folder is how a command writes the files of a folder, see [overwriting].
type folder struct{ ctx context.Context }

func (f folder) Allow(name string, write func(io.Writer) error) error {
	return overwritingOf(f.ctx).allows(name, write)
}

func (f folder) Write(name string, write func(io.Writer) error) error {
	return writeFile(f.ctx, name, write)
}

func (f folder) Remove(name string) error { return overwritingOf(f.ctx).removes(name) }
