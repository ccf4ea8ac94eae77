package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// buildMock builds a simulated judge, whose source is not part of the repository, and
// returns the path of its executable. It skips the test if the source is neither in nor
// beside the repository.
func buildMock(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "mock")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".")
	cmd.Dir = mockSource(t)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the mock server: %v\n%s", err, out)
	}
	return bin
}

// mockSource returns the directory of its source code.
func mockSource(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			continue
		}
		for _, root := range []string{dir, parent} {
			source := filepath.Join(root, "shared", "peers", "mock")
			if _, err := os.Stat(filepath.Join(source, "mock.go")); err == nil {
				return source
			}
		}
		break
	}
	t.Skip("the source of the mock server (shared/peers/mock) was not found")
	return ""
}

// startMock runs the server built at bin with args until the test ends, and returns its base
// URL.
func startMock(t *testing.T, bin string, args ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	cmd := exec.CommandContext(t.Context(), bin, append([]string{"-addr", addr}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for range 600 {
		if conn, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
			_ = conn.Close()
			return "http://" + addr + "/v1"
		}
		<-poll.C
	}
	t.Fatal("the mock server did not start")
	return ""
}
