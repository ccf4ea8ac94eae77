module github.com/ragfaith/ragfaith

go 1.26
