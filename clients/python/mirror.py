"""Keeps an SQLite database equal to the catalogue. Needs Python 3.9 or newer and no package.

    KEY=... python3 mirror.py http://localhost:3000 catalogue.sqlite [--once]

The table `listings` has a row for each listing, with the listing as JSON. The cursor is stored in the same transaction as the
rows of its page, so that the program continues without a gap wherever it ends.
"""

import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SCHEMA = """
CREATE TABLE IF NOT EXISTS listings (id INTEGER PRIMARY KEY, source TEXT, sku TEXT, price TEXT, product TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS progress (only INTEGER PRIMARY KEY CHECK (only = 1), cursor TEXT NOT NULL);
"""


def request_page(url, key, cursor, wait):
    query = {"limit": 1000, "wait": wait, **({"cursor": cursor} if cursor else {"from": "start"})}
    request = urllib.request.Request(
        f"{url}/v1/changes?{urllib.parse.urlencode(query)}", headers={"Authorization": f"Bearer {key}"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def apply_page(database, page):
    with database:  # One transaction.
        for item in page["items"]:
            product = item["product"]
            if product is None:
                database.execute("DELETE FROM listings WHERE id = ?", (item["id"],))
            else:
                row = (item["id"], product["source"], product["sku"], product["price"], json.dumps(product))
                database.execute("INSERT OR REPLACE INTO listings VALUES (?, ?, ?, ?, ?)", row)
        database.execute("INSERT OR REPLACE INTO progress VALUES (1, ?)", (page["cursor"],))


def start_again(database):
    with database:
        database.execute("DELETE FROM listings")
        database.execute("DELETE FROM progress")


def main(url, file, once):
    key = os.environ["KEY"]
    database = sqlite3.connect(file)
    database.executescript(SCHEMA)
    while True:
        row = database.execute("SELECT cursor FROM progress").fetchone()
        try:
            page = request_page(url, key, row[0] if row else None, 0 if once else 25)
        except urllib.error.HTTPError as error:
            if error.code == 410:  # The cursor is too old, or the catalogue was restored from a backup.
                start_again(database)
            elif error.code in (429, 500, 502, 503, 504):
                time.sleep(int(error.headers.get("Retry-After", 5)))
            else:
                raise SystemExit(f"{error.code}: {error.read().decode()}")
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(1)  # The service is being restarted.
        else:
            apply_page(database, page)
            if once and not page["has_more"]:
                return


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--once"]
    main(*arguments, once="--once" in sys.argv)
