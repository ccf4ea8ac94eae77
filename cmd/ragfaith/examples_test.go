package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// A job is the part of a Kubernetes Job manifest that the test runs.
type job struct {
	Spec struct {
		Completions int
		Template    struct {
			Spec struct{ Containers []container }
		}
	}
}

type container struct {
	Command, Args []string
	Env           []struct{ Name, Value string }
}

// TestKubernetesJobResultsMergeToOneRun runs the pods of each example Job locally and
// compares their merged results with a single run.
func TestKubernetesJobResultsMergeToOneRun(t *testing.T) {
	t.Parallel()
	for name, merge := range map[string][]string{"job-shards.yaml": {"report"}, "job-files.yaml": {"report", "--append"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j job
			if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(docsRoot, "examples", "kubernetes", name))), &j); err != nil {
				t.Fatal(err)
			}
			c, n, data := j.Spec.Template.Spec.Containers[0], j.Spec.Completions, t.TempDir()
			text := readFile(t, filepath.Join(docsRoot, "testdata", "rows.jsonl"))
			writeFile(t, filepath.Join(data, "dataset.jsonl"), text)
			lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
			for i := range n { // like split
				part := lines[i*len(lines)/n : (i+1)*len(lines)/n]
				writeFile(t, filepath.Join(data, "dataset-"+strconv.Itoa(i)+".jsonl"), strings.Join(part, ""))
			}
			var shards []string
			for i := range n {
				c.run(t, data, i)
				shards = append(shards, filepath.Join(data, "results-"+strconv.Itoa(i)+".jsonl"))
			}
			c.run(t, data, 0) // a finished pod may be started again
			whole, merged := filepath.Join(data, "whole.jsonl"), filepath.Join(data, "merged.jsonl")
			mustRun(t, data, nil, "score", filepath.Join(data, "dataset.jsonl"), "--judge", "lexical", "-q", "--to", "none", "-o", whole)
			mustRun(t, data, nil, slices.Concat(merge, []string{"-q", "--to", "none", "-o", merged}, shards)...)
			if d := cmp.Diff(readFile(t, whole), readFile(t, merged)); d != "" {
				t.Errorf("merged results differ (-want +got):\n%s", d)
			}
		})
	}
}

// run runs the container of the pod with that index, with its volume at data.
func (c *container) run(t *testing.T, data string, index int) {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + data, "RAGFAITH_JUDGE=lexical", "JOB_COMPLETION_INDEX=" + strconv.Itoa(index)} // the index is set in every pod
	// Kubernetes expands $(NAME) in arguments.
	expand := strings.NewReplacer("$(JOB_COMPLETION_INDEX)", strconv.Itoa(index), "/data/", data+"/").Replace
	for _, v := range c.Env {
		env = append(env, v.Name+"="+expand(v.Value))
	}
	argv := c.Command
	if argv == nil {
		argv = []string{"ragfaith"} // entry point of the image
	}
	for _, arg := range c.Args {
		argv = append(slices.Clip(argv), expand(arg))
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = env
	mustExit(t, runCommand(t, cmd), exitOK)
}

// TestSparkJobPartitions runs the unit tests of the Spark job, which need no Spark.
func TestSparkJobPartitions(t *testing.T) {
	t.Parallel()
	skipShort(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 not found")
	}
	cmd := exec.Command(python, "-m", "unittest", "discover", "-s", filepath.Join(docsRoot, "examples", "spark"))
	cmd.Env = append(os.Environ(), "RAGFAITH="+must(exec.LookPath("ragfaith")))
	mustExit(t, runCommand(t, cmd), exitOK)
}
