package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// TestShardOfAJob: the index and the size that batch systems give, as their manuals
// describe them, and what is refused rather than guessed.
func TestShardOfAJob(t *testing.T) {
	slurm := func(id, most, count string) map[string]string {
		return map[string]string{"SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_MAX": most, "SLURM_ARRAY_TASK_COUNT": count}
	}
	for _, tt := range []struct {
		flag string
		env  map[string]string
		want [2]int
		err  string
	}{
		{"2/5", nil, [2]int{2, 5}, ""},
		{"2/5", slurm("3", "20", "20"), [2]int{2, 5}, ""}, // explicit numbers win
		{"job", slurm("3", "20", "20"), [2]int{3, 20}, ""},
		{"job/20", slurm("7", "7", "2"), [2]int{7, 20}, ""}, // --array=3,7: two are run again
		{"job/4", map[string]string{"JOB_COMPLETION_INDEX": "0"}, [2]int{1, 4}, ""},
		{"job/4", map[string]string{"JOB_COMPLETION_INDEX": "3"}, [2]int{4, 4}, ""},
		{"job", map[string]string{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, [2]int{1, 2}, ""},

		{"job", slurm("7", "7", "2"), [2]int{}, "an array of 2 jobs up to number 7: want job/N"},
		{"job", slurm("1", "3", ""), [2]int{}, "an array of an unknown number of jobs up to number 3: want job/N"},
		{"job", slurm("0", "1", "2"), [2]int{}, "an array of 2 jobs up to number 1"},
		{"job/20", slurm("0", "1", "2"), [2]int{}, "this is job 0 of 20: want jobs 1 to 20"},
		{"job/20", slurm("21", "21", "21"), [2]int{}, "this is job 21 of 20"},
		{"job", map[string]string{"JOB_COMPLETION_INDEX": "3"}, [2]int{}, "JOB_COMPLETION_INDEX does not say how many jobs there are: want job/N"},
		{"job", map[string]string{"OMPI_COMM_WORLD_RANK": "1"}, [2]int{}, "does not say how many"},
		{"job/3", map[string]string{"JOB_COMPLETION_INDEX": "x"}, [2]int{}, `invalid JOB_COMPLETION_INDEX "x": want a number`},
		{"job/3", map[string]string{"JOB_COMPLETION_INDEX": "1", "OMPI_COMM_WORLD_RANK": "1"}, [2]int{},
			"JOB_COMPLETION_INDEX and OMPI_COMM_WORLD_RANK are both set"},
		{"job", nil, [2]int{}, "not a job of an array"},
		{"job/x", map[string]string{"JOB_COMPLETION_INDEX": "1"}, [2]int{}, "job/x"},
		{"jobs/3", nil, [2]int{}, `"jobs/3": want I/N`},
		{"0/3", nil, [2]int{}, `"0/3": want I/N`},
	} {
		i, n, err := parseShard(tt.flag, func(name string) string { return tt.env[name] })
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s with %v: %v, want %q", tt.flag, tt.env, err, tt.err)
			}
		} else if err != nil || [2]int{i, n} != tt.want {
			t.Errorf("%s with %v: %d/%d, %v; want %v", tt.flag, tt.env, i, n, err, tt.want)
		}
	}
}

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
	page, err := guidePage("clusters")
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
