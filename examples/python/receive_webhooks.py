"""Receives the webhooks of an account and prints each event.

    TRUSTCHECK_URL=... TRUSTCHECK_KEY=... TRUSTCHECK_ACCOUNT=... \\
      python3 examples/python/receive_webhooks.py

It listens on 127.0.0.1, so the service must run on the same machine and in development. Ctrl-C ends
it and removes the endpoint.
"""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from trustcheck import Client, WebhookRefused, verify_webhook

secret = ""
# The same event can come more than once. A real receiver keeps this in its database.
seen: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            event = verify_webhook(secret, dict(self.headers), body)
        except WebhookRefused as refused:
            print(refused, flush=True)
            self.answer(400)
            return
        if event["event_id"] not in seen:
            seen.add(event["event_id"])
            print(event["type"], event["object_id"], flush=True)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        """Prints events alone."""


client = Client(os.environ["TRUSTCHECK_URL"], os.environ["TRUSTCHECK_KEY"])
server = HTTPServer(("127.0.0.1", 0), Receiver)
url = f"http://127.0.0.1:{server.server_port}/trustcheck"
endpoints = f"/v2/accounts/{os.environ['TRUSTCHECK_ACCOUNT']}/webhook-endpoints"
made = client.call("POST", endpoints, body={"url": url})
secret = made["secret"]
print(f"listening at {url}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
finally:
    client.call("DELETE", f"{endpoints}/{made['endpoint_id']}")
