package local

import "testing"

func TestLocalServersHaveNoPrice(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"http://localhost:11434/v1": true, "http://127.0.0.1:8000": true, "http://[::1]:8000/v1": true, "http://192.168.1.7/v1": true,
		"http://10.0.0.1": true, "http://0.0.0.0:1": true, "http://ollama:11434/v1": true, "http://gpu.local/v1": true,
		"http://host.docker.internal:11434/v1": true, "https://api.openai.com/v1": false, "http://8.8.8.8/v1": false,
		"http://localhost.example.com": false, "": false, "localhost:80": false,
	} {
		if got := IsNear(address); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}
