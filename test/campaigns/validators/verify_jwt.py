"""Verifies the JWT on standard input by PyJWT: `JWKS_URL TYP ISSUER [AUDIENCE]`."""

import json
import sys

import jwt

address, kind, issuer, *audience = sys.argv[1:]
token = sys.stdin.read().strip()
if jwt.get_unverified_header(token).get("typ") != kind:
    sys.exit("another type")
key = jwt.PyJWKClient(address).get_signing_key_from_jwt(token)
claims = jwt.decode(
    token,
    key,
    algorithms=["ES256"],
    issuer=issuer,
    audience=audience[0] if audience else None,
    leeway=60,
    options={"require": ["iss", "sub", "iat", "exp"], "verify_aud": bool(audience)},
)
print(json.dumps(claims))
