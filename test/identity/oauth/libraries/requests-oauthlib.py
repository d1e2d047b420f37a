"""One authorization by requests-oauthlib, as its documentation shows it.

Reads what it needs to know as a line of JSON, prints the address for the customer's browser, reads the address that the
browser was called back with, and prints what came of it as JSON.
"""

import json
import os

import requests
from oauthlib.oauth2 import BackendApplicationClient, OAuth2Error, WebApplicationClient
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

# Tests speak http to their own machine, which the library refuses otherwise.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

given = json.loads(input())
client_id, secret = given["client_id"], given["client_secret"]
metadata = requests.get(given["issuer"] + "/.well-known/oauth-authorization-server").json()
token_url = metadata["token_endpoint"]
own_client = {"client_secret": secret} if secret else {"include_client_id": True}


def status(session):
    headers = {"X-API-Version": "2026-09-08.gauss"}
    return session.get(given["issuer"] + "/households", headers=headers).status_code


def authorize():
    client = WebApplicationClient(client_id)
    verifier = client.create_code_verifier(64)
    challenge = client.create_code_challenge(verifier, given["method"])
    session = OAuth2Session(client=client, redirect_uri=given["redirect_uri"])
    # Without a method the challenge is the verifier itself, and says nothing about it.
    named = {"code_challenge_method": given["method"]} if given["method"] else {}
    address, _ = session.authorization_url(
        metadata["authorization_endpoint"], code_challenge=challenge, **named
    )
    print(address, flush=True)
    callback = input()
    exchange = {"authorization_response": callback, "code_verifier": verifier, **own_client}
    first = session.fetch_token(token_url, **exchange)
    facts = {"scope": first["scope"], "first": status(session)}
    own_auth = {"auth": HTTPBasicAuth(client_id, secret)} if secret else {"client_id": client_id}
    second = session.refresh_token(token_url, **own_auth)
    facts["second"] = status(session)
    facts["rotated"] = first["refresh_token"] != second["refresh_token"]
    address, headers, body = client.prepare_token_revocation_request(
        metadata["revocation_endpoint"], second["refresh_token"], "refresh_token"
    )
    if not secret:
        body += "&client_id=" + client_id
    answer = requests.post(address, data=body, headers=headers, auth=own_auth.get("auth"))
    facts["revoked"] = answer.status_code
    for name, attempt in {
        "refused": lambda: session.refresh_token(token_url, **own_auth),
        "replayed": lambda: session.fetch_token(token_url, **exchange),
    }.items():
        try:
            attempt()
        except OAuth2Error as error:
            facts[name] = error.error
    return facts


def own_tokens():
    session = OAuth2Session(client=BackendApplicationClient(client_id))
    token = session.fetch_token(token_url, client_id=client_id, client_secret=secret)
    return {"scope": token["scope"], "first": status(session)}


try:
    print(json.dumps(authorize() if given["redirect_uri"] else own_tokens()), flush=True)
except OAuth2Error as error:
    print(json.dumps({"error": error.error}), flush=True)
