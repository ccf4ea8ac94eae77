package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// A job is the part of a Kubernetes Job manifest that the test checks.
type job struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Spec       struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int
		Parallelism          int
		BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
		PodFailurePolicy     struct {
			Rules []struct {
				Action      string
				OnExitCodes struct {
					ContainerName string `yaml:"containerName"`
					Values        []int
				} `yaml:"onExitCodes"`
			}
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				RestartPolicy string `yaml:"restartPolicy"`
				Containers    []container
				Volumes       []struct{ Name string }
			}
		}
	}
}

type container struct {
	Name, Image   string
	Command, Args []string
	Env           []struct{ Name, Value string }
	VolumeMounts  []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// TestKubernetesJobResultsMergeToOneRun runs the pods of each example Job locally and
// compares their merged results with a single run.
func TestKubernetesJobResultsMergeToOneRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh not found")
	}
	for name, merge := range map[string][]string{"job-shards.yaml": {"report"}, "job-files.yaml": {"report", "--append"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := readJob(t, name)
			pod := j.Spec.Template.Spec
			if len(pod.Containers) != 1 || len(pod.Volumes) != 1 {
				t.Fatalf("got %d containers and %d volumes, want one of each", len(pod.Containers), len(pod.Volumes))
			}
			c, n := pod.Containers[0], j.Spec.Completions
			if j.APIVersion != "batch/v1" || j.Kind != "Job" || j.Spec.CompletionMode != "Indexed" || n < 2 || j.Spec.Parallelism > n ||
				j.Spec.BackoffLimitPerIndex < 1 || pod.RestartPolicy != "Never" {
				t.Errorf("want an indexed Job that retries its pods, got %+v", j)
			}
			if len(c.VolumeMounts) != 1 || c.VolumeMounts[0].Name != pod.Volumes[0].Name || c.VolumeMounts[0].MountPath != "/data" {
				t.Errorf("invalid volume mounts: %+v", c.VolumeMounts)
			}
			// Usage errors are not retried.
			if rules := j.Spec.PodFailurePolicy.Rules; len(rules) != 1 || rules[0].OnExitCodes.ContainerName != c.Name ||
				rules[0].Action != "FailJob" || !slices.Equal(rules[0].OnExitCodes.Values, []int{exitUsage}) {
				t.Errorf("got failure policy %+v", rules)
			}

			data := t.TempDir()
			text := readFile(t, filepath.Join(docsRoot, "testdata", "rows.jsonl"))
			writeFile(t, filepath.Join(data, "dataset.jsonl"), text)
			lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
			for i := range n { // like split
				part := lines[i*len(lines)/n : (i+1)*len(lines)/n]
				writeFile(t, filepath.Join(data, "dataset-"+strconv.Itoa(i)+".jsonl"), strings.Join(part, ""))
			}
			for i := range n {
				c.run(t, data, i)
			}
			c.run(t, data, 0) // a finished pod may be started again
			runGated(t, data, "score", filepath.Join(data, "dataset.jsonl"), "-q", "--to", "none", "-o", filepath.Join(data, "whole.jsonl"))

			var shards []string
			for i := range n {
				shards = append(shards, filepath.Join(data, "results-"+strconv.Itoa(i)+".jsonl"))
				if _, err := os.Stat(filepath.Join(data, "results-"+strconv.Itoa(i)+".summary.json")); err != nil {
					t.Error(err)
				}
			}
			runGated(t, data, slices.Concat(merge, []string{"-q", "--to", "none", "-o", filepath.Join(data, "merged.jsonl")}, shards)...)
			if d := cmp.Diff(readFile(t, filepath.Join(data, "whole.jsonl")), readFile(t, filepath.Join(data, "merged.jsonl"))); d != "" {
				t.Errorf("merged results differ (-want +got):\n%s", d)
			}
		})
	}
}

// readJob reads a manifest from examples/kubernetes.
func readJob(t *testing.T, name string) *job {
	t.Helper()
	var j job
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(docsRoot, "examples", "kubernetes", name))), &j); err != nil {
		t.Fatal(err)
	}
	return &j
}

// run runs the container of the pod with that index, with its volume at data.
func (c *container) run(t *testing.T, data string, index int) {
	t.Helper()
	env := map[string]string{"JOB_COMPLETION_INDEX": strconv.Itoa(index)} // set in every pod of an indexed Job
	for _, v := range c.Env {
		env[v.Name] = v.Value
	}
	// Kubernetes expands $(NAME) in commands and leaves unknown names unchanged.
	expand := func(text string) string {
		text = regexp.MustCompile(`\$\((\w+)\)`).ReplaceAllStringFunc(text, func(ref string) string {
			if value, ok := env[ref[2:len(ref)-1]]; ok {
				return value
			}
			return ref
		})
		return strings.ReplaceAll(text, "/data/", data+"/")
	}
	command := slices.Clone(c.Command)
	if command == nil {
		command = []string{"ragfaith"} // entry point of the image
	}
	var argv []string
	for _, word := range slices.Concat(command, c.Args) {
		argv = append(argv, expand(word))
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + data}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+expand(value))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pod %d: %v\n%q\n%s", index, err, argv, out)
	}
}

// TestSparkJobPartitions runs the unit tests of the Spark job, which need no Spark.
func TestSparkJobPartitions(t *testing.T) {
	t.Parallel()
	skipShort(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 not found")
	}
	binary, err := exec.LookPath("ragfaith")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-m", "unittest", "discover", "-s", filepath.Join(docsRoot, "examples", "spark"))
	cmd.Env = append(os.Environ(), "RAGFAITH="+binary)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
