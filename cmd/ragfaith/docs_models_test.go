package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
)

func TestModelsPageListsEveryModel(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range hub.Names() {
		c := n.Card
		row := fmt.Sprintf("\n| %s | %s | %d | %s | %s | %s |", n.Short, n.Repo, c.Millions, c.License, c.Languages, c.Accuracy)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/models.md: missing%s", row)
		}
	}
}
