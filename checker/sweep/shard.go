package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// jobArrays are the ways in which batch systems tell a job which one of many it is.
// The first variable that is set gives the index, which counts from base.
var jobArrays = [...]struct {
	index, size, count string // the size is the last index; a count below it means that jobs are left out
	base               int
}{
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT", 1},
	{"JOB_COMPLETION_INDEX", "", "", 0}, // Kubernetes does not say how many
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "", 0},
}

// ParseShard reads I/N, the I-th of N shards, or job and job/N: then env, which returns the value of a variable or "",
// tells the index and, unless N is given, the size of the array of jobs of a batch system. What is not certain is an
// error, which says what is wanted of the text.
func ParseShard(text string, env func(variable string) string) (shard, shards int, err error) {
	i, n, _ := strings.Cut(text, "/")
	job := i == "job"
	if job {
		if i, n, err = thisJob(n, env); err != nil {
			return 0, 0, err
		}
	}
	shard, err1 := strconv.Atoi(i)
	shards, err2 := strconv.Atoi(n)
	if err1 != nil || err2 != nil || shard < 1 || shard > shards {
		if job && err2 == nil {
			return 0, 0, fmt.Errorf("this is job %s of %s: want jobs 1 to %[2]s", i, n)
		}
		return 0, 0, errors.New("want I/N with I from 1 to N, job or job/N")
	}
	return shard, shards, nil
}

// thisJob returns the index, from 1, of this job in its array, and the array's size.
func thisJob(size string, env func(string) string) (string, string, error) {
	var told []string
	index := ""
	for _, a := range jobArrays {
		id := env(a.index)
		if id == "" {
			continue
		}
		told = append(told, a.index)
		k, err := strconv.Atoi(id)
		if err != nil {
			return "", "", fmt.Errorf("invalid %s %q: want a number", a.index, id)
		}
		index = strconv.Itoa(k + 1 - a.base)
		switch {
		case size != "":
		case a.size == "" || env(a.size) == "":
			return "", "", fmt.Errorf("%s does not say how many jobs there are: want job/N", a.index)
		case a.count != "" && env(a.count) != env(a.size):
			return "", "", fmt.Errorf("this is an array of %s jobs up to number %s: want job/N",
				cmp.Or(env(a.count), "an unknown number of"), env(a.size))
		default:
			size = env(a.size)
		}
	}
	switch len(told) {
	case 0:
		return "", "", fmt.Errorf("this is not a job of an array: none of %s, %s, %s is set",
			jobArrays[0].index, jobArrays[1].index, jobArrays[2].index)
	case 1:
		return index, size, nil
	}
	return "", "", fmt.Errorf("%s are both set: want I/N", strings.Join(told, " and "))
}

// ShardFiles replaces each folder among names by the complete results that [Plan.ContinueIn] wrote in it.
func ShardFiles(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.IsDir() { // a file, or opening it tells why not
			files = append(files, name)
			continue
		}
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}
		before := len(files)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".jsonl") && !e.IsDir() {
				files = append(files, filepath.Join(name, e.Name()))
			}
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s holds no complete results (*.jsonl)", name)
		}
	}
	return files, nil
}
