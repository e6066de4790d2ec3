"""Keeps a copy of the catalogue in SQLite, with the prices of each night. Cron runs it once a night.

    KEY=... python3 nightly_mirror.py http://localhost:3000 catalogue.sqlite

The first run copies everything, each later one only what has changed. The table `listings` has the current state, `prices`
a row for each price that a night found. The cursor is stored in the same transaction as the rows of its page, so a run that
was interrupted is continued by the next one.
"""

import json
import os
import sqlite3
import sys
import time
from datetime import date
from http import HTTPStatus

from product_catalogue_client import AuthenticatedClient
from product_catalogue_client.api.listings import changes
from product_catalogue_client.models import ChangePage, ChangesFrom

SCHEMA = """
CREATE TABLE IF NOT EXISTS listings (id INTEGER PRIMARY KEY, source TEXT, name TEXT, currency TEXT, price TEXT, listing TEXT);
CREATE TABLE IF NOT EXISTS prices (id INTEGER, night TEXT, currency TEXT, price TEXT, PRIMARY KEY (id, night));
CREATE TABLE IF NOT EXISTS progress (only INTEGER PRIMARY KEY CHECK (only = 1), cursor TEXT NOT NULL);
"""


def store(database: sqlite3.Connection, page: ChangePage, night: str) -> None:
    """Stores a page of changes and its cursor in one transaction."""
    with database:
        for change in page.items:
            product = change.product
            if not product:  # The listing was withdrawn.
                database.execute("DELETE FROM listings WHERE id = ?", (change.id,))
                continue
            row = (product.id, product.source, product.name, product.currency, product.price)
            listing = json.dumps(product.to_dict())
            database.execute("INSERT OR REPLACE INTO listings VALUES (?, ?, ?, ?, ?, ?)", (*row, listing))
            if product.price is not None:
                price = (product.id, night, product.currency, product.price)
                database.execute("INSERT OR REPLACE INTO prices VALUES (?, ?, ?, ?)", price)
        database.execute("INSERT OR REPLACE INTO progress VALUES (1, ?)", (page.cursor,))


def mirror(client: AuthenticatedClient, database: sqlite3.Connection, night: str) -> int:
    """Stores what has changed since the last run, and returns the number of changes."""
    database.executescript(SCHEMA)
    changed = 0
    while True:
        row = database.execute("SELECT cursor FROM progress").fetchone()
        start = {"cursor": row[0]} if row else {"from_": ChangesFrom.START}
        answer = changes.sync_detailed(client=client, limit=1000, **start)
        if answer.status_code == HTTPStatus.GONE:  # The cursor is too old: everything is copied again.
            with database:
                database.executescript("DELETE FROM listings; DELETE FROM progress;")
        elif answer.status_code in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
            time.sleep(int(answer.headers.get("Retry-After", "5")))
        elif isinstance(answer.parsed, ChangePage):
            store(database, answer.parsed, night)
            changed += len(answer.parsed.items)
            if not answer.parsed.has_more:
                return changed
        else:
            raise SystemExit(f"{answer.status_code}: {answer.content.decode()}")


if __name__ == "__main__":
    url, file = sys.argv[1:]
    with AuthenticatedClient(base_url=url, token=os.environ["KEY"], timeout=60) as service:
        count = mirror(service, sqlite3.connect(file), date.today().isoformat())
    print(f"{count} listings have changed")
