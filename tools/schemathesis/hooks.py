"""Hooks for Schemathesis, which cannot know the existing listings, the admin secret, and the rate limits."""

import itertools
import os
from decimal import Decimal

import requests
import schemathesis

LISTINGS = [int(listing) for listing in os.environ["FUZZ_LISTINGS"].split(",")]
ADMIN_SECRET = os.environ["FUZZ_ADMIN_SECRET"]
KEYS = os.environ["FUZZ_KEYS"].split(",")
KEY_IDS = os.environ["FUZZ_KEY_IDS"].split(",")
NOBODY = "00000000-0000-4000-8000-000000000000"


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def mostly_a_listing(value):
    """Replaces three of four generated ids by the id of an existing listing."""
    return LISTINGS[value % len(LISTINGS)] if is_integer(value) and value % 4 != 3 else value


def mostly_listings(values):
    """Replaces three of four generated lists of ids by ids of existing listings, without duplicates."""
    if not values or not all(map(is_integer, values)) or values[0] % 4 == 3:
        return values
    return [LISTINGS[(values[0] + place) % len(LISTINGS)] for place in range(len(values))]


def plain(value):
    """Formats a number without an exponent, as the OpenAPI document requires. Python would write 1e+16."""
    return format(Decimal(repr(value)), "f") if isinstance(value, float) else value


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters and "product_id" in path_parameters:
        return {**path_parameters, "product_id": mostly_a_listing(path_parameters["product_id"])}
    return path_parameters


@schemathesis.hook
def map_query(context, query):
    if not query:
        return query
    query = {name: plain(value) for name, value in query.items()}
    if "product_id" in query:
        query["product_id"] = mostly_a_listing(query["product_id"])
    return query


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict):
        return body
    body = dict(body)
    if isinstance(body.get("product_ids"), list):
        body["product_ids"] = mostly_listings(body["product_ids"])
    if isinstance(body.get("admin_secret"), str) and len(body["admin_secret"]) % 4 != 3:
        body["admin_secret"] = ADMIN_SECRET
    return body


class Spread(requests.auth.AuthBase):
    """
    Changes each request before it is sent: distributes the requests over keys and client addresses, so that no
    rate limit ends the run (rate limits have tests of their own), and keeps the run from revoking its own keys.
    """

    calls = itertools.count()

    def __call__(self, request):
        call = next(self.calls)
        request.headers["X-Forwarded-For"] = f"198.18.{call // 250 % 250}.{call % 250}"
        if request.headers.get("Authorization") == f"Bearer {KEYS[0]}":
            request.headers["Authorization"] = f"Bearer {KEYS[call % len(KEYS)]}"
        for key_id in KEY_IDS:
            request.url = request.url.replace(key_id, NOBODY)
        return request


@schemathesis.hook
def before_call(context, case, kwargs):
    kwargs["auth"] = Spread()
