package simulate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/seed-105a2da2/unknot/spec/support/atomicfile"
	"github.com/seed-105a2da2/unknot/spec/support/limited"
)

// A run may be kept: a long study that is interrupted goes on where it stopped, and figures that share runs have them
// once. A run is found by all that it depends on, so a folder may hold those of many studies.

// keptFormat names what a run depends on besides its network and options: this simulator. It changes whenever results do.
const keptFormat = "unknot-kept-1"

// mostKept bounds a file: the links of the largest networks take a hundred bytes each.
const mostKept = 1 << 30

// keptRun is the content of a file.
type keptRun struct {
	Format         string
	Result         *Result
	Growth         [3]float64 // flits, noise, slack
	Grows          bool       // was measured
	Sustained      Estimate
	Total, Network []byte // histograms
}

// run simulates one seed of a job, or reads what is kept of it.
func (j *Job) run(ctx context.Context, o Options) (*Result, error) {
	if j.Keep == "" {
		return Run(ctx, j.Network, o)
	}
	name, err := j.file(o)
	if err != nil {
		return nil, err
	}
	r, err := readRun(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	if r, err = Run(ctx, j.Network, o); err != nil || r.Deadlock != nil { // whose trace would be lost
		return r, err
	}
	return r, writeRun(name, r)
}

// file names the file of a run.
func (j *Job) file(o Options) (string, error) {
	depends, err := json.Marshal(struct {
		Format, Network, Selects string
		Options                  Options
	}{keptFormat, j.Network.Digest().String(), j.Selects, o})
	if err != nil {
		return "", err
	}
	return filepath.Join(j.Keep, fmt.Sprintf("%x.json", sha256.Sum256(depends))), nil
}

func writeRun(name string, r *Result) error {
	kept := keptRun{
		Format: keptFormat, Result: r, Sustained: r.sustained,
		Growth: [3]float64{r.growth.flits, r.growth.noise, r.growth.slack}, Grows: r.growth.measured,
	}
	var errs [2]error
	kept.Total, errs[0] = r.Total.histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	kept.Network, errs[1] = r.Network.histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(name, ".part", false, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func readRun(name string) (*Result, error) {
	text, err := limited.ReadFile(name, mostKept)
	if err != nil {
		return nil, err
	}
	var kept keptRun
	if err := json.Unmarshal(text, &kept); err != nil || kept.Result == nil {
		return nil, fmt.Errorf("%s: not a run that was kept: remove it, and it is run again", name)
	}
	r := kept.Result
	var errs [2]error
	r.Total.histogram, errs[0] = hdrhistogram.Decode(kept.Total)
	r.Network.histogram, errs[1] = hdrhistogram.Decode(kept.Network)
	if errors.Join(errs[:]...) != nil || kept.Format != keptFormat {
		return nil, fmt.Errorf("%s: not a run that was kept: remove it, and it is run again", name)
	}
	r.growth = growth{flits: kept.Growth[0], noise: kept.Growth[1], slack: kept.Growth[2], measured: kept.Grows, runs: 1}
	r.sustained = kept.Sustained
	return r, nil
}
