#!/usr/bin/env python3
"""An application with holes everywhere, for tests/tools alone. It serves loopback only.

  vulnerable_app.py --port PORT [--mariadb SOCKET] [--postgresql FOLDER] --sqlite FILE

/DB/PLACE answers with what the database says: rows, its error's text with status 500, or nothing. DB is my, pg or lite.
Every place puts what the client sends into the text of a query as it stands; PLACES lists them. /web/HOLE puts it into a page (echo), a shell's
command line (ping), a file's name (page), a Location header (go).
"""
import argparse
import html
import json
import sqlite3
import subprocess
import threading
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

SELECT = "SELECT id, name, price FROM items WHERE "
# Place -> (where the value comes from, a value that finds something, the query around it).
PLACES = {
    "number": ("query", "1", SELECT + "id = {}"),
    "string": ("query", "apple", SELECT + "name = '{}'"),
    "group": ("query", "apple", SELECT + "(price > 0 AND (name = ('{}')))"),
    "like": ("query", "app", SELECT + "name LIKE '%{}%'"),
    "order": ("query", "name", "SELECT id, name, price FROM items ORDER BY {}"),
    "json": ("json", "1", SELECT + "id IN ({})"),
    "cookie": ("cookie", "apple", SELECT + "name = '{}'"),
    "agent": ("agent", "Mozilla/5.0", "INSERT INTO visits (agent, page) VALUES ('{}', 'home')"),
    "path": ("path", "1", SELECT + "id = {}"),
    "login": ("form", "tom", "SELECT id, name, role FROM users WHERE name = '{}' AND pass = '{}'"),
}
TABLES = [
    "CREATE TABLE items (id INTEGER PRIMARY KEY, name VARCHAR(40), price INTEGER)",
    "CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR(40), pass VARCHAR(40), role VARCHAR(10))",
    "CREATE TABLE visits (agent VARCHAR(4000), page VARCHAR(40))",
    "INSERT INTO items VALUES (1, 'apple', 3), (2, 'pear', 4), (3, 'plum', 2)",
    "INSERT INTO users VALUES (1, 'admin', 'S3cret!', 'T'), (2, 'tom', 'x', 'U')",
]


class MariaDb:
    def __init__(self, socket):
        import pymysql
        from pymysql.constants import CLIENT
        self.connect = lambda: pymysql.connect(unix_socket=socket, user="root", database="shop", autocommit=True,
                                               client_flag=CLIENT.MULTI_STATEMENTS, read_timeout=30)
        with pymysql.connect(unix_socket=socket, user="root") as connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE shop")
        self.make()

    def make(self):
        with self.connect() as connection, connection.cursor() as cursor:
            for statement in TABLES:
                cursor.execute(statement)

    def run(self, query):
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchall()


class PostgreSql:
    def __init__(self, folder):
        import psycopg2
        self.connect = lambda: psycopg2.connect(host=folder, user="postgres", dbname="postgres")
        with self.connect() as connection, connection.cursor() as cursor:
            for statement in TABLES:
                cursor.execute(statement)

    def run(self, query):
        connection = self.connect()
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(query)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()


class Sqlite:
    def __init__(self, file):
        self.file = file
        connection = sqlite3.connect(file)
        for statement in TABLES:
            connection.execute(statement)
        connection.commit()
        connection.close()

    def run(self, query):
        connection = sqlite3.connect(self.file, timeout=10)
        watchdog = threading.Timer(20, connection.interrupt)
        watchdog.start()
        try:
            rows = connection.execute(query).fetchall()
            connection.commit()
            return rows
        finally:
            watchdog.cancel()
            connection.close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    databases = {}

    def do_GET(self):
        self.answer({})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("utf-8", "replace")
        if "json" in self.headers.get("Content-Type", ""):
            try:
                fields = {name: [str(value)] for name, value in json.loads(body).items()}
            except (ValueError, AttributeError):
                fields = {}
        else:
            fields = parse_qs(body, keep_blank_values=True)
        self.answer(fields)

    def answer(self, fields):
        url = urlsplit(self.path)
        parts = url.path.split("/")
        if parts[1] == "web" and len(parts) == 3:
            return self.hole(parts[2], parse_qs(url.query, keep_blank_values=True).get("v", [""])[0])
        database = self.databases.get(parts[1]) if len(parts) > 2 else None
        place = PLACES.get(parts[2]) if len(parts) > 2 else None
        if database is None or place is None:
            return self.say(200, self.index())
        source, default, query = place
        values = [default, "x"]
        if source == "query":
            values = parse_qs(url.query, keep_blank_values=True).get("v", values)
        elif source == "json":
            values = fields.get("v", values)
        elif source == "form":
            values = [fields.get("user", [""])[0], fields.get("pass", [""])[0]]
        elif source == "cookie":
            cookie = SimpleCookie(self.headers.get("Cookie", ""))
            values = [unquote(cookie["v"].value)] if "v" in cookie else values
        elif source == "agent":
            values = [self.headers.get("User-Agent", "")]
        elif source == "path":
            values = [unquote("/".join(parts[3:]))]
        try:
            rows = database.run(query.format(*values[: query.count("{}")]))
        except Exception as error:  # what the database says is part of what is tested
            return self.say(500, "<p>" + html.escape(str(error)) + "</p>")
        cells = ("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
        self.say(200, f"<h1>{parts[2]}</h1><table>{''.join(cells)}</table>")

    def hole(self, name, value):
        if name == "echo":
            return self.say(200, f"<p>You said {value}</p><input value='{value}'>")
        if name == "ping":
            said = subprocess.run(["sh", "-c", f"echo host {value}"], capture_output=True, timeout=20, text=True, errors="replace")
            return self.say(200, f"<pre>{html.escape(said.stdout)}</pre>")
        if name == "page":
            try:
                with open("/usr/share/doc/" + value, encoding="utf-8", errors="replace") as file:
                    return self.say(200, f"<pre>{html.escape(file.read(4000))}</pre>")
            except (OSError, ValueError) as error:
                return self.say(404, html.escape(str(error)))
        if name == "go":
            self.send_response(302)
            self.wfile.write(b"".join(self._headers_buffer) + f"Location: {value}\r\n\r\n".encode("utf-8", "replace"))
            self._headers_buffer = []
            return None
        return self.say(404, "no such hole")

    def index(self):
        links = "".join(f'<li><a href="/{db}/{place}?v={value}">{db} {place}</a></li>'
                        for db in self.databases for place, (source, value, _) in PLACES.items() if source == "query")
        links += "".join(f'<li><a href="/web/{hole}?v={value}">{hole}</a></li>'
                         for hole, value in (("echo", "hello"), ("ping", "localhost"), ("page", "bash/copyright"), ("go", "/")))
        forms = "".join(f'<form method="post" action="/{db}/login"><input name="user"><input name="pass"><button>Go</button></form>'
                        for db in self.databases)
        return f"<ul>{links}</ul>{forms}"

    def say(self, status, text):
        body = ("<!doctype html><title>Shop</title>" + text).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--mariadb")
    parser.add_argument("--postgresql")
    parser.add_argument("--sqlite", required=True)
    options = parser.parse_args()
    Handler.databases = {"lite": Sqlite(options.sqlite)}
    if options.mariadb:
        Handler.databases["my"] = MariaDb(options.mariadb)
    if options.postgresql:
        Handler.databases["pg"] = PostgreSql(options.postgresql)
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main()
