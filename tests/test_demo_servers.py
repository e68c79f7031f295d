"""The stand-ins for GitHub and Slack answer as the real ones do, as far as we rely on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from watcher.demo.github import GitHubServer, blob_sha
from watcher.demo.slack import SlackServer

FILES = {"summary.json": b"{}", "closed/A/x.txt": b"one", "closed/A/y/z.txt": b"two"}


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer(token="t0ken", limit=10) as server:
        server.publish("inference_results_v6.1", FILES)
        yield server


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with SlackServer() as server:
        yield server


@pytest.fixture
def http() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


def repository(github: GitHubServer, rest: str = "") -> str:
    return f"{github.api}/repos/mlcommons/inference_results_v6.1{rest}"


def test_a_blob_is_named_as_git_names_it():
    assert blob_sha(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_the_list_shows_public_repositories_newest_first_in_pages(github, http):
    for n in range(3):
        github.publish(f"r{n}")
    github.prepare("secret")
    url = f"{github.api}/orgs/mlcommons/repos?per_page=2"
    first = http.get(url)
    second = http.get(first.links["next"]["url"])

    assert [r["name"] for r in first.json()] == ["r2", "r1"]
    assert [r["name"] for r in second.json()] == ["r0", "inference_results_v6.1"]
    assert "next" not in second.links


def test_an_etag_gives_a_304_until_something_changes(github, http):
    url = repository(github, "/commits?path=summary.json&per_page=1&sha=main")
    first = http.get(url)
    held = {"If-None-Match": first.headers["ETag"]}
    unchanged = http.get(url, headers=held)
    github.commit("inference_results_v6.1", "README.md", b"words")
    elsewhere = http.get(url, headers=held)
    github.commit("inference_results_v6.1", "summary.json", b"{1}")
    changed = http.get(url, headers=held)

    assert [r.status_code for r in (first, unchanged, elsewhere, changed)] == [200, 304, 304, 200]
    assert len({first.json()[0]["sha"], changed.json()[0]["sha"]}) == 2
    assert "Last-Modified" in first.headers


def test_contents_trees_and_raw_files_agree(github, http):
    root = {entry["name"]: entry for entry in http.get(repository(github, "/contents?ref=main")).json()}
    commit = http.get(repository(github, "/commits?per_page=1&sha=main")).json()[0]["sha"]
    tree = http.get(repository(github, f"/git/trees/{commit}?recursive=1")).json()
    raw = http.get(f"{github.raw}/mlcommons/inference_results_v6.1/{commit}/closed/A/y/z.txt")

    assert (root["summary.json"]["sha"], root["closed"]["type"]) == (blob_sha(b"{}"), "dir")
    assert {e["path"]: e["sha"] for e in tree["tree"] if e["type"] == "blob"} == {
        p: blob_sha(b) for p, b in FILES.items()
    }
    assert (tree["truncated"], raw.content) == (False, b"two")


def test_a_file_beyond_a_megabyte_has_no_content_in_the_contents_interface(github, http):
    github.commit("inference_results_v6.1", "big.json", b" " * (1 << 20) + b" ")

    assert http.get(repository(github, "/contents/big.json")).json()["encoding"] == "none"


@pytest.mark.parametrize(
    ("rest", "status"),
    [
        ("", 200),
        ("/commits?sha=master", 404),
        ("/contents/nothing", 404),
        ("/git/trees/0123", 404),
        ("/stars", 404),
    ],
)
def test_what_is_not_there_is_404(github, http, rest, status):
    assert http.get(repository(github, rest)).status_code == status


def test_an_empty_repository_has_no_commits(github, http):
    github.publish("endpoints_results_v1.0")

    assert http.get(f"{github.api}/repos/mlcommons/endpoints_results_v1.0/commits").status_code == 409


def test_a_renamed_repository_is_redirected_to_within_the_api(github, http):
    github.rename("inference_results_v6.1", "elsewhere")
    answer = http.get(repository(github, "/commits?per_page=1"))

    assert ([r.status_code for r in answer.history], len(answer.json())) == ([301], 1)
    assert answer.url.startswith(f"{github.api}/repositories/")


def test_anonymous_requests_run_out_and_a_token_s_do_not(github, http):
    anonymous = [http.get(repository(github)) for _ in range(11)]
    known = http.get(repository(github), headers={"Authorization": "Bearer t0ken"})
    wrong = http.get(repository(github), headers={"Authorization": "Bearer other"})

    assert [r.status_code for r in anonymous] == [200] * 10 + [403]
    assert (anonymous[-1].headers["X-RateLimit-Remaining"], known.status_code, wrong.status_code) == (
        "0",
        200,
        401,
    )


def test_troubles_come_as_ordered_and_end(github, http):
    github.fail(503, {"Retry-After": "7"}, at="/commits", times=1)
    answers = [http.get(repository(github, rest)) for rest in ("", "/commits", "/commits")]
    github.fail(500)
    troubled = http.get(repository(github))
    github.recover()

    assert [r.status_code for r in answers] == [200, 503, 200]
    assert (
        answers[1].headers["Retry-After"],
        troubled.status_code,
        http.get(repository(github)).status_code,
    ) == ("7", 500, 200)
    assert github.counts[503] == 1


def test_a_hidden_repository_is_gone_for_everybody_until_it_is_shown(github, http):
    github.hide("inference_results_v6.1")
    raw = f"{github.raw}/mlcommons/inference_results_v6.1/main/summary.json"
    hidden = [http.get(url).status_code for url in (repository(github), raw)]
    github.show("inference_results_v6.1")

    assert (hidden, http.get(raw).status_code) == ([404, 404], 200)


def test_a_webhook_takes_a_message_and_says_ok(slack):
    answer = WebhookClient(slack.webhook).send(text="A result")

    assert (answer.status_code, answer.body) == (200, "ok")
    assert [(m.by, m.content["text"]) for m in slack.messages] == [("webhook", "A result")]


def test_a_bot_posts_and_finds_its_message_again(slack):
    client = WebClient("xoxb-demo", base_url=slack.api)
    posted = client.chat_postMessage(
        channel="C1", text="A result", metadata={"event_type": "t", "event_payload": {"id": "n"}}
    )
    reply = client.chat_postMessage(channel="C1", text="More", thread_ts=posted["ts"])
    found = client.conversations_history(channel="C1")["messages"]
    thread = client.conversations_replies(channel="C1", ts=posted["ts"])["messages"]

    assert [(m["ts"], m["text"]) for m in found] == [(posted["ts"], "A result")]
    assert [m["ts"] for m in thread] == [reply["ts"]]


@pytest.mark.parametrize(
    ("token", "word"), [("xoxb-wrong", "invalid_auth"), ("xoxb-demo", "channel_not_found")]
)
def test_slack_says_no_in_its_own_words(slack, token, word):
    if token == "xoxb-demo":
        slack.refuse(word)
    with pytest.raises(SlackApiError) as caught:
        WebClient(token, base_url=slack.api).chat_postMessage(channel="C1", text="A result")

    assert (caught.value.response["error"], slack.messages) == (word, [])


def test_slack_fails_as_ordered_and_then_takes_the_message(slack, http):
    slack.fail(500, 429, retry_after=30)
    answers = [http.post(slack.webhook, json={"text": "A result"}) for _ in range(3)]

    assert [r.status_code for r in answers] == [500, 429, 200]
    assert (answers[1].headers["Retry-After"], len(slack.messages)) == ("30", 1)


@pytest.mark.parametrize(("after_taking", "taken"), [(False, 0), (True, 1)])
def test_slack_may_break_off_before_or_after_it_took_the_message(slack, http, after_taking, taken):
    slack.reset(after_taking=after_taking)
    with pytest.raises(requests.ConnectionError):
        http.post(slack.webhook, json={"text": "A result"})

    assert len(slack.messages) == taken


def test_slack_may_never_answer(slack, http):
    slack.hang()
    with pytest.raises(requests.ReadTimeout):
        http.post(slack.webhook, json={"text": "A result"}, timeout=0.05)

    assert slack.messages == []


def test_a_message_without_words_is_refused(slack, http):
    assert http.post(slack.webhook, json={"blocks": []}).status_code == 400
