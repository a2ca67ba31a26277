package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
)

// TestShardsInAFolder: a file for each shard, whole or called .part; merging says what
// is missing and takes no part of a shard.
func TestShardsInAFolder(t *testing.T) {
	inFolder(t, nil)
	t.Setenv("JOB_COMPLETION_INDEX", "2")
	const sweep = "sweep ring --range n=3..6 --links 1 "
	tells(t, []told{
		{sweep + "--out whole.jsonl", exitViolated, ""},
		{sweep + "--shard job/3 --out r", exitViolated, ""}, // r is a file: there is no such folder, and no slash
		{"sweep --merge r", exitUsage, "7 of 22 cases: some shards are missing or incomplete: 1 of 3 are there, without 1, 2"},
		{sweep + "--shard job/3 --out results/", exitViolated, ""},
		{"sweep --merge results", exitUsage, "1 of 3 are there, without 1, 2"},
		{sweep + "--shard 1/3 --out results", exitViolated, ""},
	})
	whole, err := os.ReadFile(filepath.Join("results", "shard-1-of-3.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	// The second is killed half-way.
	part := filepath.Join("results", "shard-2-of-3.jsonl.part")
	tells(t, []told{{sweep + "--shard 2/3 --out second.jsonl", exitViolated, ""}})
	second, err := os.ReadFile("second.jsonl")
	if err == nil {
		err = os.WriteFile(part, second[:len(second)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join("results", "old.jsonl"), 0o700); err != nil { // a folder is not a shard
		t.Fatal(err)
	}
	tells(t, []told{
		{"sweep --merge results", exitUsage, "2 of 3 are there, without 2"},
		{sweep + "--shard 2/3 --out results", exitViolated, ""},
		{sweep + "--shard 1/3 --out results", exitViolated, ""}, // again: as it was
		{"sweep --merge results --out merged.jsonl", exitViolated, ""},
		{"sweep --merge results --out results/shard-3-of-3.jsonl", exitUsage, "another name than that of the file that is read"},
		{"sweep --merge results --shard 1/3", exitUsage, "--shard is not for --merge"},
		{"sweep --merge results --links 1 --out no", exitUsage, "--links is not for --merge"},
		{"sweep --merge results results", exitUsage, filepath.Join("results", "shard-1-of-3.jsonl") + ": shard 1 comes twice"},
		{"sweep --merge results merged.jsonl", exitUsage,
			"merged.jsonl belongs to another sweep: the number of shards differs from " + filepath.Join("results", "shard-1-of-3.jsonl")},
		{"sweep ring --shard job/x", exitUsage, `invalid --shard "job/x": want I/N`},
		{"sweep ring --shard 1/3 --out results", exitUsage, "the results of another sweep"},
	})
	if again, _ := os.ReadFile(filepath.Join("results", "shard-1-of-3.jsonl")); string(again) != string(whole) {
		t.Error("a shard that was complete is another one now")
	}
	if _, err := os.Stat(part); err == nil {
		t.Errorf("%s is still there", part)
	}
	merged, _ := os.ReadFile("merged.jsonl")
	all, _ := os.ReadFile("whole.jsonl")
	if d := cmp.Diff(string(all), string(merged)); d != "" {
		t.Errorf("merged:\n%s", d)
	}
}

// TestClusterFiles: the guide shows the script and the manifest as they are; the
// manifest is a Job of batch/v1 (the schema is cut from the API's own: what a batch job
// can use, nothing else allowed), and changes that Kubernetes would refuse are refused.
func TestClusterFiles(t *testing.T) {
	page, err := guide.Page("clusters")
	if err != nil {
		t.Fatal(err)
	}
	const folder = "../../checker/sweep/cluster/"
	for _, name := range []string{"sweep.slurm", "sweep-job.yaml"} {
		text, err := os.ReadFile(folder + name)
		if err != nil || !strings.Contains(page, " "+name+"\n"+string(text)+"```\n") {
			t.Errorf("the guide does not show %s as it is: %v", name, err)
		}
	}
	schema, err := jsonschema.NewCompiler().Compile("testdata/job-batch-v1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(folder + "sweep-job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	job := func(text string) error {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	if err := job(string(manifest)); err != nil {
		t.Error(err)
	}
	for _, edit := range [][2]string{
		{"batch/v1", "batch/v2"}, {"Indexed", "indexed"}, {"completions: 20", "completions: many"}, {"restartPolicy: OnFailure", "restartPolicy: Always"},
		{"image:", "picture:"}, {"backoffLimit", "backofLimit"}, {"claimName: data", "claim: data"}, {"  template:", "  pod:"}, {"[sh, -c]", "sh -c"},
	} {
		if !strings.Contains(string(manifest), edit[0]) {
			t.Errorf("%q is gone", edit[0])
		}
		if job(strings.ReplaceAll(string(manifest), edit[0], edit[1])) == nil {
			t.Errorf("%s in place of %s is accepted", edit[1], edit[0])
		}
	}
	if n := strings.Count(string(manifest), "20"); n != 5 {
		t.Errorf("the number of shards stands in %d places, want 5: completions, parallelism, the retries, job/20 and the comment", n)
	}
}
