package sweep_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/sweep"
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
		{"job/x", map[string]string{"JOB_COMPLETION_INDEX": "1"}, [2]int{}, "want I/N"},
		{"jobs/3", nil, [2]int{}, "want I/N"},
		{"0/3", nil, [2]int{}, "want I/N"},
	} {
		i, n, err := sweep.ParseShard(tt.flag, func(name string) string { return tt.env[name] })
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s with %v: %v, want %q", tt.flag, tt.env, err, tt.err)
			}
		} else if err != nil || [2]int{i, n} != tt.want {
			t.Errorf("%s with %v: %d/%d, %v; want %v", tt.flag, tt.env, i, n, err, tt.want)
		}
	}
}

// TestVary: ranges that are written, those of a parameter with declared values, and what has a value already.
func TestVary(t *testing.T) {
	declared := map[string]string{"tie": "east|west"}
	q := &sweep.Question{Set: map[string]string{"k": "3"}}
	if err := q.Vary([]string{"n=3..5", "tie"}, declared); err != nil {
		t.Fatal(err)
	}
	want := []sweep.Range{{Name: "n", Values: []string{"3", "4", "5"}}, {Name: "tie", Values: []string{"east", "west"}}}
	if diff := cmp.Diff(want, q.Ranges); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for text, wrong := range map[string]string{
		"k=1..2":       "k has a fixed value, too",
		"n=7..8":       "n has a range already",
		"tie":          "tie has a range already",
		"m":            `invalid range "m"`,
		"m=5..3":       "want the lesser number first",
		"tie=a..b":     "invalid range",
		"=1..2":        "invalid range",
		"m=1..1e9":     "invalid range",
		"m=1..9999999": "want at most 100000 values",
	} {
		if err := q.Vary([]string{text}, declared); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v, want %q", text, err, wrong)
		}
	}
}
