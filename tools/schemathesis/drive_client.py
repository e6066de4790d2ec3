"""Sends requests to the service with the client generated from its OpenAPI document.

Usage: drive_client.py FOLDER URL KEY ID ID
"""

import sys

folder, url, key, *ids = sys.argv[1:]
sys.path.insert(0, folder)

from catalogue import AuthenticatedClient, models  # noqa: E402
from catalogue.api.comparison import best_price, compare, diff  # noqa: E402
from catalogue.api.listings import get_product, lookup_many, search, trending  # noqa: E402
from catalogue.api.prices import price_history  # noqa: E402

product_ids = [int(one) for one in ids]
client = AuthenticatedClient(base_url=url, token=key)

product = get_product.sync(product_ids[0], client=client)
assert isinstance(product, models.Product) and product.id == product_ids[0], product

page = search.sync(client=client, q=product.name, limit=3)
assert page.items[0].name == product.name, page

# A list of values is written into one value, because the generated client cannot write lists into a query.
both = search.sync(client=client, source=["no_such_shop|" + product.source], limit=1)
assert both.total >= 1, both

found = best_price.sync(client=client, q=product.name)
assert isinstance(found, (models.Product, models.Error)), found

comparison = compare.sync(client=client, product_id=product.id)
assert comparison.source_product_id == product.id, comparison

table = diff.sync(client=client, body=models.DiffBody(product_ids=product_ids))
assert [one.id for one in table.products] == product_ids, table

history = price_history.sync(product.id, client=client, days=30)
assert history.product_id == product.id, history

identifier = models.Identifier(type_=models.IdentifierType.ID, value=product.id)
results = lookup_many.sync(client=client, body=models.LookupManyBody(identifiers=[identifier]))
assert results.found == 1, results

wrong = search.sync(client=client, limit=0)
assert isinstance(wrong, models.ValidationError), wrong

refusal = search.sync(client=AuthenticatedClient(base_url=url, token="nobody"))
assert isinstance(refusal, models.Error), refusal

moves = trending.sync(client=client, basis=models.TrendingBasis.MOVEMENT, limit=1)
assert len(moves.items) == 1, moves

print("The generated Python client sends requests and reads the answers correctly")
