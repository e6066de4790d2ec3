// go run chart-templates.go FILE...: parses the templates of a chart as Helm does, without rendering them. It needs no module, so
// that docker/check.sh can run it where Helm is not installed.
package main

import (
	"fmt"
	"os"
	"text/template/parse"
)

func main() {
	failed := false
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		if err == nil {
			tree := parse.New(file)
			tree.Mode = parse.SkipFuncCheck
			_, err = tree.Parse(string(text), "", "", map[string]*parse.Tree{})
		}
		if err != nil {
			fmt.Println(err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
