"""Client of the trustcheck API in one file. Needs Python 3.10 or later and no packages.

    from trustcheck import Client

    client = Client("https://check.example.com", "tk_live_...")
    link = client.create_link("my-app", required_proofs=["phone"])
    print(link["url"])
    for event in client.follow_events():
        print(event["type"], event["object_id"])

All operations that have no method of their own: `client.call(method, path, ...)`. The reference is
at /docs of the service.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Iterator, Mapping

API_VERSION = "2026-11-25"

REPEATED_STATUSES = {429, 502, 503, 504}
WAIT_S_MAX = 20.0


class ApiError(Exception):
    """The service refused a call. `code` is one of the failure codes in the reference."""

    def __init__(self, status: int, problem: Mapping[str, Any]):
        self.status = status
        self.problem = problem
        self.detail = problem.get("detail")
        self.request_id = problem.get("request_id")
        # A refused body has a list of faults instead of a code: the first one names the reason.
        faults = self.detail if isinstance(self.detail, list) else []
        self.code = str(problem.get("code") or (faults[0]["type"] if faults else "unexpected"))
        said = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults]
        words = "; ".join(said) or self.detail or problem.get("title", "")
        super().__init__(f"{status} {self.code}: {words}")


class WebhookRefused(Exception):
    """A webhook that must not be used; answer it with 400."""

    def __init__(self, code: str):
        self.code = code
        super().__init__(f"the webhook is refused: {code}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    # A redirect could send the API key to another host.
    def redirect_request(self, *_args: Any) -> None:
        return None


class Client:
    """Calls the API with an API key. An API key stays on a server."""

    def __init__(self, base_url: str, key: str, *, timeout_s: float = 30, repeats_max: int = 4):
        self.base_url = base_url.rstrip("/")
        self.key = key
        self.timeout_s = timeout_s
        self.repeats_max = repeats_max
        self._opener = urllib.request.build_opener(_NoRedirects())

    # Links

    def create_link(self, app_id: str, **fields: Any) -> dict[str, Any]:
        """Makes a link; `url` of the result is for the person who is checked."""
        return self.call("PUT", f"/v2/link/{_part(app_id)}", body=fields)

    def links(self, account_id: int, app_id: str, **query: Any) -> Iterator[dict[str, Any]]:
        return self.items(f"/v2/links/{account_id}/{_part(app_id)}", query)

    def update_link(self, app_id: str, link_uuid: str, **fields: Any) -> dict[str, Any]:
        path = f"/v2/link/{_part(app_id)}/{_part(link_uuid)}"
        return self.call("PATCH", path, body=fields)

    def delete_link(self, app_id: str, link_uuid: str) -> None:
        self.call("DELETE", f"/v2/link/{_part(app_id)}/{_part(link_uuid)}")

    # Checks

    def check(self, link_session_id: str, **query: Any) -> dict[str, Any]:
        return self.call("GET", f"/v2/trust-checks/{_part(link_session_id)}", query=query)

    def checks(self, **query: Any) -> Iterator[dict[str, Any]]:
        """Every check, the newest first, page by page; `status`, `app_id` and others filter."""
        return self.items("/v2/trust-checks", query)

    def cancel_check(self, link_session_id: str, reason: str | None = None) -> dict[str, Any]:
        body = {} if reason is None else {"reason": reason}
        return self.call("POST", f"/v2/trust-checks/{_part(link_session_id)}/cancel", body=body)

    # Events

    def events(self, after: str = "0", **query: Any) -> Iterator[dict[str, Any]]:
        """The events after a place in the log, up to now."""
        return self.items("/v2/events", {**query, "after": after})

    def follow_events(self, after: str = "0", *, every_s: float = 2, **query: Any) -> EventFeed:
        """The events after a place in the log, then each new one; it never ends."""
        return EventFeed(self, after, every_s, query)

    # Everything

    def items(self, path: str, query: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Every item of a list, page by page."""
        wanted: dict[str, Any] | None = dict(query)
        while wanted is not None:
            page = self.call("GET", path, query=wanted)
            yield from page["items"]
            wanted = _next_page(wanted, page)

    def call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """One call; repeated with one Idempotency-Key where the answer is lost or says so.

        Raises `ApiError`, or `OSError` where the service cannot be reached.
        """
        url = f"{self.base_url}{path}"
        if query:
            url += "?" + urllib.parse.urlencode(query, doseq=True)
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Trustcheck-Version": API_VERSION,
            "User-Agent": "trustcheck-python",
        }
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        if method in ("POST", "PUT"):
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        for attempt in range(self.repeats_max + 1):
            is_last = attempt == self.repeats_max
            try:
                with self._opener.open(request, timeout=self.timeout_s) as response:
                    return json.loads(response.read() or b"{}")
            except urllib.error.HTTPError as error:
                failure = ApiError(error.code, _problem_of(error))
                if is_last or not _is_passing(failure):
                    raise failure from None
                wait_s = _wait_s(attempt, error.headers.get("Retry-After"))
                if wait_s > WAIT_S_MAX:
                    raise failure from None
            except OSError:
                if is_last:
                    raise
                wait_s = _wait_s(attempt, None)
            time.sleep(wait_s)
        raise AssertionError("unreachable")


class EventFeed:
    """Events as they happen. Keep `after`: a feed that begins with it misses nothing.

    `after` moves when all events of an answer were handled, so events can come again after a
    break: drop what you have seen, by its `event_id`.
    """

    def __init__(self, client: Client, after: str, every_s: float, query: Mapping[str, Any]):
        self.after = after
        self._client = client
        self._every_s = every_s
        self._query = dict(query)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            query = {**self._query, "after": self.after}
            page = self._client.call("GET", "/v2/events", query=query)
            yield from page["items"]
            self.after = page["next_after"]
            if not page["has_more"]:
                time.sleep(self._every_s)


def verify_webhook(
    secret: str | list[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_s: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """The event of a webhook (Standard Webhooks 1.0).

    `secret` is `whsec_...`, or the old and the new one while they change. `body` is the bytes as
    they came. The same event can come more than once: drop what you have seen, by its `event_id`.

    Raises `WebhookRefused`.
    """
    given = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    message_id, timestamp, signatures = (given.get(name, "") for name in names)
    if not (message_id and timestamp and signatures):
        raise WebhookRefused("headers_missing")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise WebhookRefused("timestamp_invalid")
    late_s = (time.time() if now is None else now) - int(timestamp)
    if late_s > tolerance_s:
        raise WebhookRefused("timestamp_too_old")
    if late_s < -tolerance_s:
        raise WebhookRefused("timestamp_too_new")
    signed = f"{message_id}.{timestamp}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [_signature(each, signed) for each in secrets]
    offered = signatures.split(" ")[:10]
    if not any(hmac.compare_digest(e.encode(), o.encode()) for e in expected for o in offered):
        raise WebhookRefused("signature_wrong")
    try:
        return json.loads(body)
    except ValueError:
        raise WebhookRefused("body_unreadable") from None


def _signature(secret: str, signed: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        raise WebhookRefused("secret_invalid") from None
    if not key:
        raise WebhookRefused("secret_invalid")
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def _part(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _next_page(query: dict[str, Any], page: Mapping[str, Any]) -> dict[str, Any] | None:
    # An empty page ends any list.
    if not page["items"]:
        return None
    if "next_after" in page:
        return {**query, "after": page["next_after"]} if page["has_more"] else None
    if "next_cursor" in page:
        cursor = page["next_cursor"]
        return None if cursor is None else {**query, "cursor": cursor}
    number = page.get("page", 1)
    return {**query, "page": number + 1} if number < page.get("pages", 0) else None


def _problem_of(error: urllib.error.HTTPError) -> Mapping[str, Any]:
    try:
        problem = json.loads(error.read())
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _is_passing(failure: ApiError) -> bool:
    # 502 and 504 come from a proxy that lost the service: the call may have been done, or not.
    return failure.status in REPEATED_STATUSES or failure.code == "idempotency_in_progress"


def _wait_s(attempt: int, retry_after: str | None) -> float:
    if retry_after is not None and retry_after.isdigit():
        return float(retry_after)
    return random.uniform(0, min(WAIT_S_MAX, 0.25 * 2**attempt))
