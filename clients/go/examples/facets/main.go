// Command facets searches the catalogue and prints how many results each value of a facet has, and the first results.
//
//	KEY=... go run ./examples/facets http://localhost:3000 "wireless headphones" brand=Sonvara attr.colour=black
//
// Filters narrow the results down, except those of their own facet: after brand=Sonvara, the other brands keep their counts.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"product-catalogue/client/catalogue"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: facets URL WORDS [brand=NAME] [source=NAME] [attr.NAME=VALUE]...")
	}
	params, err := searchOf(os.Args[2], os.Args[3:])
	if err != nil {
		log.Fatal(err)
	}
	client, err := catalogue.NewClientWithResponses(os.Args[1], catalogue.WithRequestEditorFn(withKey(os.Getenv("KEY"))))
	if err != nil {
		log.Fatal(err)
	}
	page, err := search(context.Background(), client, params)
	if err != nil {
		log.Fatal(err)
	}
	show(page)
}

// search returns the first page of a search. While the service is busy, it waits as long as the service says.
func search(ctx context.Context, client *catalogue.ClientWithResponses, params *catalogue.SearchParams) (*catalogue.FoundPage, error) {
	for {
		answer, err := client.SearchWithResponse(ctx, params)
		if err != nil {
			return nil, err
		}
		if answer.JSON200 != nil {
			page, err := answer.JSON200.AsFoundPage()
			return &page, err
		}
		if answer.StatusCode() != http.StatusServiceUnavailable && answer.StatusCode() != http.StatusTooManyRequests {
			return nil, fmt.Errorf("%s: %s", answer.Status(), answer.Body)
		}
		seconds, err := strconv.Atoi(answer.HTTPResponse.Header.Get("Retry-After"))
		if err != nil {
			seconds = 5
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

// withKey sends the key with each request.
func withKey(key string) catalogue.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
}

// searchOf returns the parameters of a search with the filters that the user gave as name=value.
func searchOf(words string, filters []string) (*catalogue.SearchParams, error) {
	limit, facets := 5, []string{"brand", "source", "attributes"}
	brands, sources, attributes := []string{}, []string{}, catalogue.QueryAttrNAME{}
	for _, filter := range filters {
		name, value, found := strings.Cut(filter, "=")
		switch {
		case found && name == "brand":
			brands = append(brands, value)
		case found && name == "source":
			sources = append(sources, value)
		case found && strings.HasPrefix(name, "attr."):
			attributes[name] = value
		default:
			return nil, fmt.Errorf("%q is no filter: give brand=, source= or attr.NAME=", filter)
		}
	}
	return &catalogue.SearchParams{
		Q: &words, Limit: &limit, Facets: &facets, Brand: &brands, Source: &sources, AttrNAME: &attributes,
	}, nil
}

// show prints the facets and the results of a page.
func show(page *catalogue.FoundPage) {
	fmt.Printf("%d results\n", page.Total)
	if page.Facets != nil {
		for _, facet := range *page.Facets {
			if facet.Values == nil {
				continue
			}
			fmt.Println(facet.Name)
			for _, value := range *facet.Values {
				mark := " "
				if value.Selected {
					mark = "*"
				}
				fmt.Printf("  %s %s (%d)\n", mark, value.Value, value.Count)
			}
		}
	}
	for _, item := range page.Items {
		fmt.Printf("%s %s: %s\n", text(item.Currency), text(item.Price), item.Name)
	}
}

// text returns a text that may be null.
func text(value *string) string {
	if value == nil {
		return "-"
	}
	return *value
}
