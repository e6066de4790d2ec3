// Command tour calls ten operations for a product and prints what each returns.
//
//	KEY=... go run ./examples/tour http://localhost:3000 "wireless headphones"
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"product-catalogue/client/catalogue"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: tour URL PRODUCT")
	}
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	}
	client, err := catalogue.NewClientWithResponses(os.Args[1], catalogue.WithRequestEditorFn(withKey))
	check(err)
	ctx, words := context.Background(), os.Args[2]

	found, err := client.SearchWithResponse(ctx, &catalogue.SearchParams{Q: &words})
	check(err, found.JSON200 != nil)
	page, err := found.JSON200.AsFoundPage()
	check(err)
	fmt.Printf("search: %d listings\n", page.Total)

	fields := catalogue.QueryFields{"name"}
	named, err := client.SearchWithResponse(ctx, &catalogue.SearchParams{Q: &words, Fields: &fields})
	check(err, named.JSON200 != nil)
	selected, err := named.JSON200.AsSelectedPage()
	check(err)
	fmt.Printf("search with fields: %s\n", *selected.Items[0].Name)

	cheapest, err := client.BestPriceWithResponse(ctx, &catalogue.BestPriceParams{Q: words})
	check(err, cheapest.JSON200 != nil)
	best, err := cheapest.JSON200.AsBestPrice()
	check(err)
	fmt.Printf("best price: %s\n", best.Name)

	few := 3
	several, err := client.BestPriceWithResponse(ctx, &catalogue.BestPriceParams{Q: words, Limit: &few})
	check(err, several.JSON200 != nil)
	prices, err := several.JSON200.AsBestPrices()
	check(err)
	fmt.Printf("best prices: %d\n", len(prices.Items))

	one, err := client.GetProductWithResponse(ctx, best.Id, nil)
	check(err, one.JSON200 != nil)
	fmt.Printf("listing: %s\n", one.JSON200.Name)

	offers, err := client.OffersWithResponse(ctx, best.Id, nil)
	check(err, offers.JSON200 != nil)
	fmt.Printf("offers: %d\n", len(offers.JSON200.Offers))

	history, err := client.PriceHistoryWithResponse(ctx, best.Id, nil)
	check(err, history.JSON200 != nil)
	fmt.Printf("price history: %d points\n", len(history.JSON200.Points))

	sources, err := client.SourcesWithResponse(ctx, nil)
	check(err, sources.JSON200 != nil)
	fmt.Printf("sources: %d\n", sources.JSON200.Total)

	categories, err := client.CategoriesWithResponse(ctx, nil)
	check(err, categories.JSON200 != nil)
	fmt.Printf("categories: %d\n", categories.JSON200.Total)

	agent := catalogue.UcpSearchParams{UCPAgent: `profile="https://platform.example/.well-known/ucp"`}
	products, err := client.UcpSearchWithResponse(ctx, &agent, catalogue.UcpSearchJSONRequestBody{Query: &words})
	check(err, products.JSON200 != nil)
	fmt.Printf("catalogue for agents: %s\n", products.Status())
}

// check ends the program after an error, or if an answer is not the expected one.
func check(err error, expected ...bool) {
	if err != nil {
		log.Fatal(err)
	}
	for _, is := range expected {
		if !is {
			log.Fatal("the service refused a request")
		}
	}
}
